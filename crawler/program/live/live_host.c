#include "crawler/program/live/live_host.h"

#include "base/bytes.h"

#include <arpa/inet.h>

/* Cuts ":PORT" off. False: the part behind the colon is not a port. */
static bool cut_port(crawl_slice *host)
{
    const char *end = host->size ? memrchr(host->data, ']', host->size) : NULL;
    const char *from = end ? end : host->data;
    const char *colon = host->size ? memchr(from, ':', host->size - (size_t)(from - host->data)) : NULL;
    if (!colon)
        return !end || end + 1 == host->data + host->size;
    for (const char *at = colon + 1; at < host->data + host->size; at++)
        if (!cw_is_digit((unsigned char)*at))
            return false;
    host->size = (size_t)(colon - host->data);
    return !end || end + 1 == colon;
}

static bool live_host_is_address(crawl_slice host)
{
    unsigned char bytes[16];
    char text[64];
    bool bracketed = host.size > 2 && host.data[0] == '[' && host.data[host.size - 1] == ']';
    if (bracketed)
        host = crawl_slice_of(host.data + 1, host.size - 2);
    if (host.size >= sizeof text || memchr(host.data, '\0', host.size))
        return false;
    memcpy(text, host.data, host.size);
    text[host.size] = '\0';
    return inet_pton(bracketed ? AF_INET6 : AF_INET, text, bytes) == 1;
}

bool cw_live_host_allowed(crawl_slice host, const char *listened)
{
    if (!cut_port(&host) || host.size == 0)
        return false;
    return live_host_is_address(host) || cw_is_in_domain(host, crawl_slice_from("localhost")) ||
           cw_is_nocase(host, listened);
}

bool cw_live_origin_is_own(crawl_slice origin, crawl_slice host)
{
    if (cw_starts_with(origin, "http://"))
        origin = cw_drop(origin, strlen("http://"));
    else if (cw_starts_with(origin, "https://")) /* the viewer may reach us through a proxy that speaks https */
        origin = cw_drop(origin, strlen("https://"));
    else
        return false;
    return host.size && cw_equal_nocase(origin, host);
}

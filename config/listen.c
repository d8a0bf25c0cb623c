/* Where a server listens, from the text of an option. */
#include "base/bytes.h"
#include "config/number.h"

#include <crawl/config.h>

#include <arpa/inet.h>

static bool is_digits_and(crawl_slice text, char more)
{
    for (size_t i = 0; i < text.size; i++)
        if (!cw_is_digit((unsigned char)text.data[i]) && text.data[i] != more)
            return false;
    return true;
}

static bool is_name(crawl_slice text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!cw_is_alpha((unsigned char)text.data[i]) && !cw_is_digit((unsigned char)text.data[i]) &&
            !strchr("-._", text.data[i]))
            return false;
    return text.size > 0 && text.data[0] != '.';
}

/* Takes "[...]" for IPv6, digits and dots for IPv4, and everything else for a name. */
static crawl_err take_host(crawl_slice text, crawl_listen *out)
{
    unsigned char bytes[16];
    bool bracketed = text.size > 2 && text.data[0] == '[' && text.data[text.size - 1] == ']';
    if (bracketed)
        text = crawl_slice_of(text.data + 1, text.size - 2);
    if (text.size == 0)
        text = crawl_slice_from("127.0.0.1");
    if (text.size >= sizeof out->host || memchr(text.data, '\0', text.size))
        return CRAWL_EPARSE;
    memcpy(out->host, text.data, text.size);
    out->host[text.size] = '\0';
    if (bracketed)
        return inet_pton(AF_INET6, out->host, bytes) == 1 ? CRAWL_OK : CRAWL_EPARSE;
    if (is_digits_and(text, '.'))
        return inet_pton(AF_INET, out->host, bytes) == 1 ? CRAWL_OK : CRAWL_EPARSE;
    return is_name(text) ? CRAWL_OK : CRAWL_EPARSE;
}

static crawl_err take_port(crawl_slice text, crawl_listen *out)
{
    uint64_t port;
    if (!is_digits_and(text, '0') || cw_quantity_parse(text, cw_units_plain, &port) || port > 65535)
        return CRAWL_EPARSE;
    out->port = (uint16_t)port;
    return CRAWL_OK;
}

crawl_err crawl_listen_parse(crawl_slice text, crawl_listen *out)
{
    crawl_listen taken = {{0}, 0};
    const char *colon = text.size ? memrchr(text.data, ':', text.size) : NULL;
    crawl_slice host = crawl_slice_of(text.data, colon ? (size_t)(colon - text.data) : 0);
    crawl_slice port = colon ? crawl_slice_of(colon + 1, text.size - host.size - 1) : text;
    if (take_port(port, &taken) || take_host(host, &taken))
        return CRAWL_EPARSE;
    *out = taken;
    return CRAWL_OK;
}

/* Parses the address that a server listens on: an address or name, and a port. */
#include "base/bytes.h"
#include "base/net.h"

#include <arpa/inet.h>
#include <crawl/config.h>

static bool listen_is_name(crawl_slice text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!cw_is_alnum((unsigned char)text.data[i]) && !strchr("-._", text.data[i]))
            return false;
    return text.size > 0 && text.data[0] != '.';
}

/* Takes "[...]" as IPv6, digits and dots as IPv4, and everything else as a name. */
static crawl_err listen_take_host(crawl_slice text, crawl_listen *out)
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
        return cw_address_read(AF_INET6, text, bytes) ? CRAWL_OK : CRAWL_EPARSE;
    if (strspn(out->host, "0123456789.") == text.size)
        return cw_address_read(AF_INET, text, bytes) ? CRAWL_OK : CRAWL_EPARSE;
    return listen_is_name(text) ? CRAWL_OK : CRAWL_EPARSE;
}

crawl_err crawl_listen_parse(crawl_slice text, crawl_listen *out)
{
    crawl_listen taken = {{0}, 0};
    size_t colon = cw_find_last(text, ':');
    bool named = colon < text.size;
    int32_t port = cw_port_of(named ? cw_drop(text, colon + 1) : text);
    if (port < 0 || listen_take_host(crawl_slice_of(text.data, named ? colon : 0), &taken))
        return CRAWL_EPARSE;
    taken.port = (uint16_t)port;
    *out = taken;
    return CRAWL_OK;
}

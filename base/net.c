#include "base/net.h"

#include "base/bytes.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

bool cw_address_read(int family, crawl_slice text, void *bytes)
{
    char ended[INET6_ADDRSTRLEN];
    if (text.size >= sizeof ended || memchr(text.data ? text.data : "", '\0', text.size))
        return false;
    snprintf(ended, sizeof ended, "%.*s", (int)text.size, text.data);
    return inet_pton(family, ended, bytes) == 1;
}

bool cw_address_is(const char *text)
{
    unsigned char bytes[16];
    return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

bool cw_address_is_host(crawl_slice host)
{
    size_t end = 0;
    while (end < host.size && (cw_is_digit((unsigned char)host.data[end]) || host.data[end] == '.'))
        end++;
    return end == host.size || host.data[0] == '[';
}

cw_authority cw_authority_of(crawl_slice url)
{
    cw_authority parts = {0};
    size_t scheme = cw_find_text(url, "://");
    crawl_slice rest = scheme < url.size ? cw_drop(url, scheme + 3) : url;
    crawl_slice host = parts.whole = cw_take(&rest, cw_find_any(rest, "/?#"));
    size_t user = cw_find_last(host, '@');
    host = user < host.size ? cw_drop(host, user + 1) : host;
    parts.host = cw_take_text(&host, "[") ? cw_cut(&host, ']') : cw_cut(&host, ':');
    parts.host.size -= parts.host.size > 1 && cw_ends_with(parts.host, ".");
    parts.rest = rest;
    return parts;
}

static crawl_slice without_brackets(crawl_slice host)
{
    bool bracketed = host.size > 1 && host.data[0] == '[' && host.data[host.size - 1] == ']';
    return bracketed ? crawl_slice_of(host.data + 1, host.size - 2) : host;
}

crawl_slice cw_without_end_dot(crawl_slice name)
{
    return name.size && name.data[name.size - 1] == '.' ? crawl_slice_of(name.data, name.size - 1) : name;
}

static bool no_proxy_names(crawl_slice entry, crawl_slice host)
{
    if (crawl_slice_equal(entry, crawl_slice_from("*")))
        return true;
    size_t cut = cw_starts_with(entry, "*.") ? 2 : cw_starts_with(entry, ".") ? 1 : 0;
    entry = cw_without_end_dot(without_brackets(crawl_slice_of(entry.data + cut, entry.size - cut)));
    if (!entry.size || host.size < entry.size)
        return false;
    size_t before = host.size - entry.size;
    return cw_equal_nocase(crawl_slice_of(host.data + before, entry.size), entry) &&
           (before == 0 || host.data[before - 1] == '.');
}

bool cw_no_proxy_names(const char *list, crawl_slice host)
{
    host = cw_without_end_dot(without_brackets(host));
    while (list && *list) {
        size_t size = strcspn(list, ", \t");
        if (size && no_proxy_names(crawl_slice_of(list, size), host))
            return true;
        list += size + (list[size] != '\0');
    }
    return false;
}

/* The list in the standard's order, which is numerical. */
static const uint16_t bad[] = {
    0,    1,    7,    9,    11,   13,   15,   17,   19,   20,   21,   22,   23,   25,   37,    42,   43,
    53,   69,   77,   79,   87,   95,   101,  102,  103,  104,  109,  110,  111,  113,  115,   117,  119,
    123,  135,  137,  139,  143,  161,  179,  389,  427,  465,  512,  513,  514,  515,  526,   530,  531,
    532,  540,  548,  554,  556,  563,  587,  601,  636,  989,  990,  993,  995,  1719, 1720,  1723, 2049,
    3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
};

static int bad_port_compare(const void *a, const void *b)
{
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

bool cw_bad_port(unsigned port)
{
    uint16_t key = (uint16_t)port;
    return port <= UINT16_MAX && bsearch(&key, bad, sizeof bad / sizeof *bad, sizeof *bad, bad_port_compare) != NULL;
}

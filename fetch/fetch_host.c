#include "fetch/fetch_host.h"

#include "base/bytes.h"
#include "base/net.h"

#include <curl/curl.h>
#include <stdlib.h>

/* Returns true for a byte of a host name by RFC 1123, 2.1, or an underscore, which some hosts use in spite of it. */
static bool fetch_host_is_letter(unsigned char c)
{
    return cw_is_alpha(c) || cw_is_digit(c) || c == '-' || c == '_';
}

static bool fetch_host_is_name(crawl_slice name)
{
    size_t label = 0;
    for (size_t i = 0; i < name.size; i++) {
        bool dot = name.data[i] == '.';
        if (dot ? label == 0 : !fetch_host_is_letter((unsigned char)name.data[i]) || label == CW_HOST_LABEL_MAX)
            return false;
        label = dot ? 0 : label + 1;
    }
    return label > 0 && name.size <= CW_HOST_MAX;
}

static crawl_slice without_dot(crawl_slice host)
{
    bool dot = host.size > 1 && host.data[host.size - 1] == '.';
    return crawl_slice_of(host.data, host.size - dot);
}

static bool is_v4(crawl_slice host)
{
    unsigned char bytes[4];
    return cw_address_read(AF_INET, host, bytes);
}

cw_fetch_host_kind cw_fetch_host_kind_of(crawl_slice host)
{
    crawl_slice name = without_dot(host);
    if (host.size == 0)
        return CW_HOST_BAD;
    if (host.data[0] == '[' || is_v4(host) || cw_is_in_domain(host, crawl_slice_from("localhost")))
        return CW_HOST_DIRECT;
    if (cw_is_in_domain(name, crawl_slice_from("localhost")) && fetch_host_is_name(name))
        return CW_HOST_LOCAL;
    if (cw_is_in_domain(name, crawl_slice_from("invalid")) || cw_is_in_domain(name, crawl_slice_from("onion")))
        return CW_HOST_NOWHERE;
    return fetch_host_is_name(name) ? CW_HOST_NAME : CW_HOST_BAD;
}

/* host: NUL-terminated; converted to lower case. */
static void fetch_host_fill(cw_fetch_host *out, char *host, unsigned port)
{
    crawl_slice text = crawl_slice_from(host);
    cw_copy_lower(host, text);
    *out = (cw_fetch_host){.kind = cw_fetch_host_kind_of(text), .port = port};
    bool is_name = out->kind == CW_HOST_NAME || out->kind == CW_HOST_LOCAL;
    bool is_direct = out->kind == CW_HOST_DIRECT && text.data[0] != '[' && text.size < sizeof out->text;
    if (is_name || is_direct)
        memcpy(out->text, text.data, text.size + 1);
    if (is_name)
        out->name_size = without_dot(text).size;
}

/* ---- URLs with only one interpretation ---- */

/* Takes a name or an IPv4 address. If its last part begins with a digit it would be read as an IPv4 address, which has
 * many forms; accepts only the usual one. */
static bool take_plain_host(crawl_slice *rest, char host[CW_HOST_MAX + 1])
{
    size_t size = 0, last = 0;
    for (; size < rest->size && (fetch_host_is_letter((unsigned char)rest->data[size]) || rest->data[size] == '.');
         size++)
        if (size > 0 && rest->data[size - 1] == '.')
            last = rest->data[size] == '.' ? last : size;
    crawl_slice name = crawl_slice_of(rest->data, size);
    if (size == 0 || size > CW_HOST_MAX || (cw_is_digit((unsigned char)name.data[last]) && !is_v4(name)))
        return false;
    memcpy(host, name.data, size);
    host[size] = '\0';
    *rest = cw_drop(*rest, size);
    return true;
}

/* Takes the port, or leaves the default if there is none. */
static bool take_plain_port(crawl_slice *rest, unsigned *port)
{
    enum { DIGITS = 5, LAST = 65535 };
    if (!cw_take_text(rest, ":"))
        return true;
    size_t digits = 0;
    for (*port = 0; digits < rest->size && digits < DIGITS && cw_is_digit((unsigned char)rest->data[digits]); digits++)
        *port = *port * 10 + (unsigned)(rest->data[digits] - '0');
    bool is_plain = digits > 0 && rest->data[0] != '0' && *port <= LAST;
    *rest = cw_drop(*rest, digits);
    return is_plain;
}

/* Parses most URLs: a scheme, a name or an IPv4 address, and an optional port. False: left to libcurl. */
static bool read_plain(crawl_slice url, cw_fetch_host *out)
{
    char host[CW_HOST_MAX + 1];
    unsigned port = cw_take_text(&url, "https://") ? 443 : cw_take_text(&url, "http://") ? 80 : 0;
    if (!port || !take_plain_host(&url, host) || !take_plain_port(&url, &port))
        return false;
    if (url.size > 0 && !strchr("/?#", url.data[0]))
        return false;
    fetch_host_fill(out, host, port);
    return true;
}

/* ---- any URL ---- */

static crawl_err read_by_libcurl(const char *url, cw_fetch_host *out)
{
    char *host = NULL, *port = NULL;
    CURLU *parsed = curl_url();
    if (!parsed)
        return CRAWL_ENOMEM;
    CURLUcode code = curl_url_set(parsed, CURLUPART_URL, url, CURLU_PATH_AS_IS);
    if (code == CURLUE_OK)
        code = curl_url_get(parsed, CURLUPART_HOST, &host, 0);
    if (code == CURLUE_OK)
        code = curl_url_get(parsed, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT);
    if (code == CURLUE_OK)
        fetch_host_fill(out, host, (unsigned)strtoul(port, NULL, 10));
    curl_free(host);
    curl_free(port);
    curl_url_cleanup(parsed);
    return code == CURLUE_OK ? CRAWL_OK : code == CURLUE_OUT_OF_MEMORY ? CRAWL_ENOMEM : CRAWL_EPARSE;
}

crawl_err cw_fetch_host_of_url(const char *url, cw_fetch_host *out)
{
    return read_plain(crawl_slice_from(url), out) ? CRAWL_OK : read_by_libcurl(url, out);
}

/* See host.h. */
#include "fetch/host.h"

#include "base/bytes.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <stdlib.h>

/* A byte that the name of a host may have by RFC 1123, 2.1; or an underscore, which some hosts have in spite of it. */
static bool is_letter(unsigned char c)
{
    return cw_is_alpha(c) || cw_is_digit(c) || c == '-' || c == '_';
}

static bool is_name(crawl_slice name)
{
    size_t label = 0;
    for (size_t i = 0; i < name.size; i++) {
        bool dot = name.data[i] == '.';
        if (dot ? label == 0 : !is_letter((unsigned char)name.data[i]) || label == CW_HOST_LABEL_MAX)
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
    char text[INET_ADDRSTRLEN];
    unsigned char bytes[4];
    if (host.size >= sizeof text)
        return false;
    memcpy(text, host.data, host.size);
    text[host.size] = '\0';
    return inet_pton(AF_INET, text, bytes) == 1;
}

cw_fetch_host_kind cw_fetch_host_kind_of(crawl_slice host)
{
    crawl_slice name = without_dot(host);
    if (host.size == 0)
        return CW_HOST_BAD;
    if (host.data[0] == '[' || is_v4(host) || cw_is_in_domain(host, crawl_slice_from("localhost")))
        return CW_HOST_DIRECT;
    if (cw_is_in_domain(name, crawl_slice_from("invalid")) || cw_is_in_domain(name, crawl_slice_from("onion")))
        return CW_HOST_NOWHERE;
    return is_name(name) ? CW_HOST_NAME : CW_HOST_BAD;
}

static void fill(cw_fetch_host *out, char *host, const char *port)
{
    crawl_slice text = crawl_slice_from(host);
    for (size_t i = 0; i < text.size; i++)
        host[i] = (char)cw_lower((unsigned char)host[i]);
    *out = (cw_fetch_host){.kind = cw_fetch_host_kind_of(text), .port = (unsigned)strtoul(port, NULL, 10)};
    if (out->kind != CW_HOST_NAME)
        return;
    memcpy(out->text, text.data, text.size + 1);
    out->name_size = without_dot(text).size;
}

crawl_err cw_fetch_host_of_url(const char *url, cw_fetch_host *out)
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
        fill(out, host, port);
    curl_free(host);
    curl_free(port);
    curl_url_cleanup(parsed);
    return code == CURLUE_OK ? CRAWL_OK : code == CURLUE_OUT_OF_MEMORY ? CRAWL_ENOMEM : CRAWL_EPARSE;
}

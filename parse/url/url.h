/* Internals of a crawl_url: the serialization as one string, and the positions of its parts. */
#pragma once

#include <crawl/url.h>

#include "parse/url/query_encode.h"

/* The special schemes (URL standard, 4.2) and all others. */
typedef enum cw_url_scheme {
    CW_SCHEME_OTHER,
    CW_SCHEME_FILE,
    CW_SCHEME_FTP,
    CW_SCHEME_HTTP,
    CW_SCHEME_HTTPS,
    CW_SCHEME_WS,
    CW_SCHEME_WSS
} cw_url_scheme;

/* A part of the serialization. 32 bits are plenty for CRAWL_URL_MAX_INPUT. */
typedef struct cw_url_span {
    uint32_t at;
    uint32_t size;
} cw_url_span;

typedef struct cw_url_parts {
    cw_url_span scheme;
    cw_url_span username;
    cw_url_span password;
    cw_url_span host;
    cw_url_span port;
    cw_url_span path;
    cw_url_span query;
    cw_url_span fragment;
    uint32_t authority_end; /* end of "scheme:" or "scheme://authority"; the path begins there, or two bytes later if
                               "/." keeps a path that begins with "//" from being taken for a host */
    int32_t port_number;    /* -1: the default of the scheme */
    cw_url_scheme special;
    bool has_host; /* may be empty */
    bool opaque;   /* the path is, as in "mailto:x" */
    bool has_query;
    bool has_fragment;
} cw_url_parts;

struct crawl_url {
    crawl_buf text;
    cw_url_parts parts;
    crawl_buf spare;   /* parsed into, then swapped with text: a failure changes nothing, and base may be this URL */
    crawl_buf clean;   /* the input without bytes that the standard removes, if there are any */
    crawl_buf scratch; /* of the host parser */
    cw_url_query_encoder encoder;
};

/* Returns input without the control characters and spaces around it. */
crawl_slice cw_url_trim(crawl_slice input);

/* Copies input to *out, which is cleared first, with the bytes of broken UTF-8 escaped and then tabs and newlines
 * removed: a tab inside a sequence breaks it. CRAWL_ENOMEM. */
crawl_err cw_url_clean(crawl_slice input, crawl_buf *out);

/* Returns the default port of the scheme. -1: it has none. */
static inline int32_t cw_url_default_port(cw_url_scheme scheme)
{
    static const int16_t ports[] = {
        [CW_SCHEME_OTHER] = -1,  [CW_SCHEME_FILE] = -1, [CW_SCHEME_FTP] = 21,  [CW_SCHEME_HTTP] = 80,
        [CW_SCHEME_HTTPS] = 443, [CW_SCHEME_WS] = 80,   [CW_SCHEME_WSS] = 443,
    };
    return ports[scheme];
}

static inline bool cw_url_scheme_is_http(cw_url_scheme scheme)
{
    return scheme == CW_SCHEME_HTTP || scheme == CW_SCHEME_HTTPS;
}

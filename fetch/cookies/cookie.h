/* One cookie: parsing of a Set-Cookie field, the host and path that it came from, and the requests that may carry it,
 * by RFC 6265 and, where browsers follow it, by draft-ietf-httpbis-rfc6265bis, called "bis" below. Pure: no store and
 * no clock. */
#pragma once

#include "fetch/fetch_host.h"

#include <crawl/base.h>

enum {
    CW_COOKIE_PAIR_MAX = 4096,     /* bytes of name and value (bis, 5.6) */
    CW_COOKIE_ATTRIBUTE_MAX = 1024 /* bytes of the value of an attribute (bis, 5.6), and of any path */
};

/* Maximum lifetime of a cookie with an expiry date, counted from when the server sets it (bis, 5.5). */
#define CW_COOKIE_LIFETIME_MAX_MS ((int64_t)400 * 24 * 60 * 60 * 1000)

/* The expiry time of a cookie without a date: it stays until it is dropped. Other times are in ms since 1970. */
#define CW_COOKIE_SESSION INT64_MAX

typedef enum cw_cookie_flag {
    CW_COOKIE_HOST_ONLY = 1, /* sent to its host only, not to hosts below it */
    CW_COOKIE_SECURE = 2,
    CW_COOKIE_HTTP_ONLY = 4,
    CW_COOKIE_OWN = 8 /* given by the user, not by a server: never dropped to make room */
} cw_cookie_flag;

/* The contents of a cookie to store. Slices are borrowed. */
typedef struct cw_cookie_words {
    crawl_slice name;
    crawl_slice value;
    crawl_slice path;
    int64_t expires_ms;
    int64_t set_ms; /* when the server set it, by the watch of the store; 0: there is no watch */
    unsigned flags;
} cw_cookie_words;

/* A parsed Set-Cookie field. */
typedef struct cw_cookie_field {
    cw_cookie_words words;        /* path: empty if the field has no valid one; HOST_ONLY and OWN are not set */
    char domain[CW_HOST_MAX + 1]; /* of the Domain attribute, in lower case, without its leading dot */
    size_t domain_size;           /* 0: no Domain attribute */
} cw_cookie_field;

/* The destination of a request and origin of its answer: host, path and security of the connection. */
typedef struct cw_cookie_place {
    char host[CW_HOST_MAX + 1]; /* in lower case, without brackets and without a trailing dot; NUL-terminated */
    size_t host_size;
    crawl_slice path; /* borrowed from the URL; not empty */
    bool secure;      /* https, or a connection to this machine, which browsers and curl trust as much */
    bool is_address;
    crawl_slice origin; /* of the URL; borrowed */
    int64_t asked_us;   /* by CLOCK_BOOTTIME, when the request departed; 0: not known */
} cw_cookie_place;

/* Returns the place that a URL names. CRAWL_EPARSE: not an http(s) URL, or its host is too long. */
crawl_err cw_cookie_place_of(crawl_slice url, cw_cookie_place *out);

static inline crawl_slice cw_cookie_place_host(const cw_cookie_place *place)
{
    return crawl_slice_of(place->host, place->host_size);
}

/* Parses a Set-Cookie field (bis, 5.6). CRAWL_EPARSE: the field must be ignored. */
crawl_err cw_cookie_parse(crawl_slice field, int64_t now_ms, cw_cookie_field *out);

/* Parses a date by the algorithm specific to cookies (RFC 6265, 5.1.1); *ms counts from 1970. CRAWL_EPARSE: not a
 * date. */
crawl_err cw_cookie_date(crawl_slice text, int64_t *ms);

/* Returns true if a cookie's domain matches a host (RFC 6265, 5.1.3). is_address: the host is an address. */
bool cw_cookie_domain_match(crawl_slice host, bool is_address, crawl_slice domain);

/* Return true if a cookie's path matches the path of a request, and the path of a cookie that names none (RFC 6265,
 * 5.1.4). */
bool cw_cookie_path_match(crawl_slice path, crawl_slice cookie_path);
crawl_slice cw_cookie_default_path(crawl_slice path);

/* Returns true if a cookie may have this name with these flags and this path, given the promises of the prefixes
 * "__Secure-" and "__Host-" (bis, 4.1.3). An empty path means that the field has none. */
bool cw_cookie_prefix_holds(const cw_cookie_words *words);

/* Returns true if host, written as in a URL, is an IPv4 address, or an IPv6 address without brackets. */
bool cw_cookie_is_address(crawl_slice host);

/* One cookie: how a Set-Cookie field is read, which host and path it came from, and to which requests it may go, by RFC
 * 6265 and, where browsers follow it, by draft-ietf-httpbis-rfc6265bis, which is called "bis" below. Pure: it has no
 * store and no clock. */
#pragma once

#include "fetch/fetch_host.h"

#include <crawl/base.h>

enum {
    CW_COOKIE_PAIR_MAX = 4096,     /* bytes of name and value (bis, 5.6) */
    CW_COOKIE_ATTRIBUTE_MAX = 1024 /* bytes of the value of an attribute (bis, 5.6), and of any path */
};

/* The longest time that a cookie with an expiry date is kept, counted from when the server sets it (bis, 5.5). */
#define CW_COOKIE_LIFETIME_MAX_MS ((int64_t)400 * 24 * 60 * 60 * 1000)

/* The expiry time of a cookie without a date: it stays until it is dropped. Other times are in ms since 1970. */
#define CW_COOKIE_SESSION INT64_MAX

typedef enum cw_cookie_flag {
    CW_COOKIE_HOST_ONLY = 1, /* goes to the host it is bound to alone, not to hosts below it */
    CW_COOKIE_SECURE = 2,
    CW_COOKIE_HTTP_ONLY = 4,
    CW_COOKIE_OWN = 8 /* given by the user, not by a server: never dropped to make room */
} cw_cookie_flag;

/* The contents of a cookie that is to be kept. Slices are borrowed. */
typedef struct cw_cookie_words {
    crawl_slice name;
    crawl_slice value;
    crawl_slice path;
    int64_t expires_ms;
    int64_t set_ms; /* when the server has set it, by the watch of the store; 0: there is none */
    unsigned flags;
} cw_cookie_words;

/* A Set-Cookie field, read. */
typedef struct cw_cookie_field {
    cw_cookie_words words;        /* path: empty where the field has none that counts; HOST_ONLY and OWN are not set */
    char domain[CW_HOST_MAX + 1]; /* of the Domain attribute, in lower case, without its leading dot */
    size_t domain_size;           /* 0: there is no Domain attribute */
} cw_cookie_field;

/* The place that a request goes to and its answer comes from: host, path and security of the connection. */
typedef struct cw_cookie_place {
    char host[CW_HOST_MAX + 1]; /* in lower case, without brackets and without a dot at its end; ended by NUL */
    size_t host_size;
    crawl_slice path; /* borrowed from the URL; not empty */
    bool secure;      /* https, or a connection to this machine, which browsers and curl trust as much */
    bool is_address;
    crawl_slice origin; /* of the URL; borrowed */
    int64_t asked_us;   /* of CLOCK_BOOTTIME, when the request left; 0: not known */
} cw_cookie_place;

/* The place that a URL names. CRAWL_EPARSE: it is no http(s) URL, or its host is longer than a host can be. */
crawl_err cw_cookie_place_of(crawl_slice url, cw_cookie_place *out);

static inline crawl_slice cw_cookie_place_host(const cw_cookie_place *place)
{
    return crawl_slice_of(place->host, place->host_size);
}

/* Reads a Set-Cookie field (bis, 5.6). CRAWL_EPARSE: the field is to be ignored. */
crawl_err cw_cookie_parse(crawl_slice field, int64_t now_ms, cw_cookie_field *out);

/* Reads a date by the algorithm that cookies have of their own (RFC 6265, 5.1.1); *ms counts from 1970. CRAWL_EPARSE:
 * text is no date. */
crawl_err cw_cookie_date(crawl_slice text, int64_t *ms);

/* Does a cookie's domain match a host (RFC 6265, 5.1.3)? is_address: the host is an address. */
bool cw_cookie_domain_match(crawl_slice host, bool is_address, crawl_slice domain);

/* Does a cookie's path match the path of a request, and which path has a cookie that names none (RFC 6265, 5.1.4)? */
bool cw_cookie_path_match(crawl_slice path, crawl_slice cookie_path);
crawl_slice cw_cookie_default_path(crawl_slice path);

/* May a cookie have this name with these flags and this path, given what the prefixes "__Secure-" and "__Host-" promise
 * (bis, 4.1.3)? An empty path says that the field has none. */
bool cw_cookie_prefix_holds(const cw_cookie_words *words);

/* Is host, written as in a URL, an IPv4 address, or an IPv6 address without brackets? */
bool cw_cookie_is_address(crawl_slice host);

/* One cookie: what a Set-Cookie field says, where it was said, and where it may go (RFC 6265, and
 * draft-ietf-httpbis-rfc6265bis, "bis" below, where browsers follow that). Pure: no store, no clock. */
#ifndef CW_COOKIE_H
#define CW_COOKIE_H

#include "fetch/host.h"

#include <crawl/base.h>

enum {
    CW_COOKIE_PAIR_MAX = 4096,     /* bytes of name and value (bis, 5.6) */
    CW_COOKIE_ATTRIBUTE_MAX = 1024 /* bytes of the value of an attribute (bis, 5.6), and of any path */
};

/* It is to be kept that long at most, if a server says so (bis, 5.5). */
#define CW_COOKIE_LIFETIME_MAX_MS ((int64_t)400 * 24 * 60 * 60 * 1000)

/* When a cookie expires, in ms since 1970, that has no date: it stays until it is dropped. */
#define CW_COOKIE_SESSION INT64_MAX

typedef enum cw_cookie_flag {
    CW_COOKIE_HOST_ONLY = 1, /* goes to the host of its name alone, not to those below */
    CW_COOKIE_SECURE = 2,
    CW_COOKIE_HTTP_ONLY = 4,
    CW_COOKIE_OWN = 8 /* of the user, not of a server: never dropped to make room */
} cw_cookie_flag;

/* A cookie as somebody wants it kept. Slices are borrowed. */
typedef struct cw_cookie_words {
    crawl_slice name;
    crawl_slice value;
    crawl_slice path;
    int64_t expires_ms;
    unsigned flags;
} cw_cookie_words;

/* A Set-Cookie field. */
typedef struct cw_cookie_field {
    cw_cookie_words words;        /* path: empty where the field has none that counts; HOST_ONLY and OWN are not set */
    char domain[CW_HOST_MAX + 1]; /* of the attribute, in lower case, without a dot before it */
    size_t domain_size;           /* 0: no such attribute */
} cw_cookie_field;

/* A request or its answer: who it is exchanged with. */
typedef struct cw_cookie_place {
    char host[CW_HOST_MAX + 1]; /* in lower case, without brackets and without a dot at its end; ended by NUL */
    size_t host_size;
    crawl_slice path; /* borrowed from the URL; not empty */
    bool secure;      /* https, or this machine, which browsers and curl trust as much */
    bool is_address;
} cw_cookie_place;

/* CRAWL_EPARSE: no http(s) URL, or its host is too long for one. */
crawl_err cw_cookie_place_of(crawl_slice url, cw_cookie_place *out);

static inline crawl_slice cw_cookie_place_host(const cw_cookie_place *place)
{
    return crawl_slice_of(place->host, place->host_size);
}

/* Reads a field (bis, 5.6). CRAWL_EPARSE: it is to be ignored. */
crawl_err cw_cookie_parse(crawl_slice field, int64_t now_ms, cw_cookie_field *out);

/* The date of a cookie by its own algorithm (RFC 6265, 5.1.1), in ms since 1970. CRAWL_EPARSE: none. */
crawl_err cw_cookie_date(crawl_slice text, int64_t *ms);

/* RFC 6265, 5.1.3. is_address: of host. */
bool cw_cookie_domain_match(crawl_slice host, bool is_address, crawl_slice domain);

/* RFC 6265, 5.1.4. */
bool cw_cookie_path_match(crawl_slice path, crawl_slice cookie_path);
crawl_slice cw_cookie_default_path(crawl_slice path);

/* May this place set a cookie of this name and these flags, by what "__Secure-" and "__Host-" promise (bis, 4.1.3)?
 * path: empty: none was given. */
bool cw_cookie_prefix_holds(const cw_cookie_words *words);

/* Is it an IPv4 address, or IPv6 without brackets? Of hosts as URLs have them. */
bool cw_cookie_is_address(crawl_slice host);

#endif

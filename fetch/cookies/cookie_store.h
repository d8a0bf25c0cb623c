/* The cookies of a crawl: kept by RFC 6265, found by host, safe for use from many threads.
 *
 * Names lie in shards by their last two labels, each behind a lock of its own that is held for a look-up or a change
 * alone. All names that one request looks at, and all of one registrable domain, have these labels in common, and no
 * public suffix has to be looked up to find them. That is done when a server binds a cookie to a name for the first
 * time. */
#ifndef CW_COOKIE_STORE_H
#define CW_COOKIE_STORE_H

#include "fetch/cookies/cookie.h"

/* What a Cookie header has at most: a server refuses a longer line (curl's limit, and the common one of servers).
 * Cookies of shorter paths, and younger ones, are left out. */
enum { CW_COOKIE_HEADER_MAX = 8190 };

typedef struct cw_cookie_cookies cw_cookie_cookies;

typedef struct cw_cookies_stats {
    size_t cookies; /* of the user and of servers; some may have expired */
    size_t bytes;   /* of memory, that those of servers take */
    size_t dropped; /* to make room, before they expired */
    uint64_t changes;
} cw_cookies_stats;

/* max_bytes: of memory for cookies of servers. NULL: no memory. */
cw_cookie_cookies *cw_cookies_create(size_t max_bytes);
void cw_cookies_free(cw_cookie_cookies *cookies);

/* For cookies that are set from now on. */
void cw_cookies_limit(cw_cookie_cookies *cookies, size_t max_bytes);

/* A Set-Cookie field of an answer (bis, 5.7). CRAWL_EPARSE: it is none; CRAWL_REFUSED: this place may not set it;
 * CRAWL_ENOMEM. */
crawl_err cw_cookies_set(cw_cookie_cookies *cookies, const cw_cookie_place *place, crawl_slice field, int64_t now_ms);

/* Keeps a cookie below a name as it is, as a file has it. CRAWL_ENOMEM. */
crawl_err cw_cookies_put(cw_cookie_cookies *cookies, crawl_slice name, const cw_cookie_words *words, int64_t now_ms);

/* Appends "a=1; b=2", what a request to this place is sent with (RFC 6265, 5.4), or nothing. given: what it is sent
 * with besides, in the same form; a name that is in there is left out. CRAWL_ENOMEM: nothing is appended. */
crawl_err cw_cookies_get(cw_cookie_cookies *cookies, const cw_cookie_place *place, crawl_slice given, int64_t now_ms,
                         crawl_buf *out);

/* Appends all that have not expired in Netscape's format; own: those of the user, or those of servers. Takes a few
 * under a lock at a time, so that nobody waits for long; what is set meanwhile may be left out or stand twice.
 * CRAWL_ENOMEM. */
crawl_err cw_cookies_write(cw_cookie_cookies *cookies, bool own, int64_t now_ms, crawl_buf *out);

void cw_cookies_stats_get(cw_cookie_cookies *cookies, cw_cookies_stats *out);

#endif

/* The cookies of a crawl: kept by RFC 6265, found by host, safe for use from many threads.
 *
 * Names are spread over shards by their last two labels. Each shard has a lock, which is held only for a look-up or a
 * change. All names that one request looks at, and all names of one registrable domain, share these two labels, so they
 * are in one shard, and no public suffix has to be looked up to find it. The public suffix list is asked only when a
 * server binds a cookie to a name for the first time. */
#pragma once

#include "fetch/cookies/cookie.h"

/* The most bytes of a Cookie header: servers refuse a longer line (this is curl's limit, and a common one of servers).
 * Cookies with shorter paths, and younger ones, are left out first. */
enum { CW_COOKIE_HEADER_MAX = 8190 };

typedef struct cw_cookie_cookies cw_cookie_cookies;

typedef struct cw_cookies_stats {
    size_t cookies; /* of the user and of servers; some may have expired */
    size_t bytes;   /* of memory that cookies of servers take */
    size_t dropped; /* dropped to make room, before they expired */
    uint64_t changes;
} cw_cookies_stats;

/* Is asked under a lock before a cookie is kept or deleted, as crawl_jar_watch has it. place: where it comes from;
 * NULL: it was read, or is told again. is_known: it is kept so already. words->set_ms is its to set. Any answer
 * but CRAWL_OK is the answer of the call that sets the cookie, which is not kept then. */
typedef crawl_err cw_cookie_watch(void *user, const cw_cookie_place *place, crawl_slice host, cw_cookie_words *words,
                                  bool is_deleted, bool is_known);

/* max_bytes: of memory for cookies of servers. Returns NULL if there is no memory. */
cw_cookie_cookies *cw_cookies_create(size_t max_bytes);
void cw_cookies_free(cw_cookie_cookies *cookies);

/* Changes max_bytes; the new limit is applied when the next cookie is set. */
void cw_cookies_limit(cw_cookie_cookies *cookies, size_t max_bytes);

/* Before any other thread uses the store. */
void cw_cookies_watch(cw_cookie_cookies *cookies, cw_cookie_watch *watch, void *user);

/* A name has these cookies, as of as_of_ms: the others that it has go, but for those that were set later, and one that
 * was set later stays and is told the watch again where it differs. A cookie that has expired is one that was deleted.
 * CRAWL_ENOMEM: some are missing. */
crawl_err cw_cookies_replace(cw_cookie_cookies *cookies, crawl_slice name, const cw_cookie_words *words, size_t count,
                             int64_t as_of_ms, int64_t now_ms);

/* Takes a Set-Cookie field of an answer (bis, 5.7). CRAWL_EPARSE: it is no cookie; CRAWL_REFUSED: this place may not
 * set it; CRAWL_ENOMEM. */
crawl_err cw_cookies_set(cw_cookie_cookies *cookies, const cw_cookie_place *place, crawl_slice field, int64_t now_ms);

/* Keeps a cookie below a name without the checks of a field, as a file of cookies gives it. CRAWL_ENOMEM. */
crawl_err cw_cookies_put(cw_cookie_cookies *cookies, crawl_slice name, const cw_cookie_words *words, int64_t now_ms);

/* Appends the cookies that a request to this place is sent with (RFC 6265, 5.4), such as "a=1; b=2", or nothing. given:
 * cookies that the request has already, in the same form; cookies with one of their names are left out. CRAWL_ENOMEM:
 * nothing is appended. */
crawl_err cw_cookies_get(cw_cookie_cookies *cookies, const cw_cookie_place *place, crawl_slice given, int64_t now_ms,
                         crawl_buf *out);

/* Appends all cookies that have not expired, in Netscape's format. own: those of the user; otherwise those of servers.
 * It holds a lock for a few names at a time, so that no thread waits long; a cookie that is set meanwhile may be
 * missing or be there twice. CRAWL_ENOMEM. */
crawl_err cw_cookies_write(cw_cookie_cookies *cookies, bool own, int64_t now_ms, crawl_buf *out);

void cw_cookies_stats_get(cw_cookie_cookies *cookies, cw_cookies_stats *out);

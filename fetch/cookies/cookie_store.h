/* The cookies of a crawl: stored by RFC 6265, found by host, thread-safe.
 *
 * Names are distributed over shards by their last two labels. Each shard has a lock, which is held only for a lookup or
 * a change. All names that one request looks up, and all names of one registrable domain, share these two labels, so
 * they are in one shard, which is found without looking up a public suffix. The public suffix list is asked only when a
 * server binds a cookie to a name for the first time. */
#pragma once

#include "fetch/cookies/cookie.h"

/* Maximum bytes of a Cookie header: servers refuse a longer line (this is curl's limit, and a common one of servers).
 * Cookies with shorter paths, and younger ones, are left out first. */
enum { CW_COOKIE_HEADER_MAX = 8190 };

typedef struct cw_cookie_cookies cw_cookie_cookies;

typedef struct cw_cookies_stats {
    size_t cookies; /* of the user and of servers, including expired ones */
    size_t bytes;   /* of memory used by cookies of servers */
    size_t dropped; /* to make room, before they expired */
    uint64_t changes;
} cw_cookies_stats;

/* Called with a lock held before a cookie is stored or deleted, as crawl_jar_watch describes. place: where it comes
 * from; NULL: it was read, or is reported again. is_known: it is stored already. May set words->set_ms. Anything but
 * CRAWL_OK is returned by the call that sets the cookie, which is then not stored. */
typedef crawl_err cw_cookie_watch(void *user, const cw_cookie_place *place, crawl_slice host, cw_cookie_words *words,
                                  bool is_deleted, bool is_known);

/* Creates a store. max_bytes: of memory for cookies of servers. NULL: out of memory. */
cw_cookie_cookies *cw_cookies_create(size_t max_bytes);
void cw_cookies_free(cw_cookie_cookies *cookies);

/* Changes max_bytes; the new limit is applied when the next cookie is set. */
void cw_cookies_limit(cw_cookie_cookies *cookies, size_t max_bytes);

/* Sets the watch. Must be called before any other thread uses the store. */
void cw_cookies_watch(cw_cookie_cookies *cookies, cw_cookie_watch *watch, void *user);

/* Replaces the cookies of a name by these, as of as_of_ms. Others are removed, except those set later; one set later
 * also stays if it is in the list, and is reported to the watch again if it differs. An expired cookie in the list was
 * deleted. CRAWL_ENOMEM: some are missing. */
crawl_err cw_cookies_replace(cw_cookie_cookies *cookies, crawl_slice name, const cw_cookie_words *words, size_t count,
                             int64_t as_of_ms, int64_t now_ms);

/* Takes a Set-Cookie field of an answer (bis, 5.7). CRAWL_EPARSE: not a cookie; CRAWL_REFUSED: this place may not set
 * it; CRAWL_ENOMEM. */
crawl_err cw_cookies_set(cw_cookie_cookies *cookies, const cw_cookie_place *place, crawl_slice field, int64_t now_ms);

/* Stores a cookie under a name without the checks of a field, as from a file of cookies. CRAWL_ENOMEM. */
crawl_err cw_cookies_put(cw_cookie_cookies *cookies, crawl_slice name, const cw_cookie_words *words, int64_t now_ms);

/* Appends the cookies for a request to this place (RFC 6265, 5.4), such as "a=1; b=2", or nothing. given: cookies that
 * the request already has, in the same form; cookies with one of their names are left out. CRAWL_ENOMEM: nothing is
 * appended. */
crawl_err cw_cookies_get(cw_cookie_cookies *cookies, const cw_cookie_place *place, crawl_slice given, int64_t now_ms,
                         crawl_buf *out);

/* Appends all unexpired cookies in Netscape's format. own: those of the user; otherwise those of servers. Holds a lock
 * for a few names at a time, so that no thread waits long; a cookie set meanwhile may be missing or appear twice.
 * CRAWL_ENOMEM. */
crawl_err cw_cookies_write(cw_cookie_cookies *cookies, bool own, int64_t now_ms, crawl_buf *out);

void cw_cookies_stats_get(cw_cookie_cookies *cookies, cw_cookies_stats *out);

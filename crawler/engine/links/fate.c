#include "crawler/engine/links/fate.h"

/* The verdicts of limits are in the order of crawl_trap. */
_Static_assert(CRAWL_EDGE_MAX_VARIANTS - CRAWL_EDGE_MAX_URL == CRAWL_TRAP_VARIANTS - CRAWL_TRAP_LENGTH,
               "each limit has its verdict");

#define BEYOND(limit) "redirected beyond crawl." limit

/* The name of each verdict and, if a redirect can get it, the class and words of the error. */
static const struct {
    const char *name;
    cw_links_fate_error redirect;
} fates[CRAWL_EDGE_COUNT] = {
    [CRAWL_EDGE_NEW] = {"new", {0}},
    [CRAWL_EDGE_SEEN] = {"seen", {0}},
    [CRAWL_EDGE_REPEATED] = {"repeated", {0}},
    [CRAWL_EDGE_ELEMENT] = {"element", {0}},
    [CRAWL_EDGE_NOFOLLOW] = {"nofollow", {0}},
    [CRAWL_EDGE_DEPTH] = {"depth", {0}},
    [CRAWL_EDGE_SCOPE] = {"scope", {CRAWL_CLASS_SCOPE, "redirected out of the scope of the crawl"}},
    [CRAWL_EDGE_FILTER] = {"filter",
                           {CRAWL_CLASS_SCOPE, "redirected to a URL that crawl.include and crawl.exclude leave out"}},
    [CRAWL_EDGE_REFUSED] = {"refused", {CRAWL_CLASS_REFUSED, "redirected to a URL that a hook refuses"}},
    [CRAWL_EDGE_DUPLICATE] = {"duplicate", {0}},
    [CRAWL_EDGE_NOT_HTTP] = {"not-http", {CRAWL_CLASS_REDIRECTS, "redirected to a URL that is neither http nor https"}},
    [CRAWL_EDGE_NO_URL] = {"no-url", {CRAWL_CLASS_REDIRECTS, "redirected to an invalid URL"}},
    [CRAWL_EDGE_FULL] = {"full", {CRAWL_CLASS_LIMIT, BEYOND("max_queued or crawl.max_hosts")}},
    [CRAWL_EDGE_PORT] = {"port",
                         {CRAWL_CLASS_PORT,
                          "redirected to a port that browsers block, and that no seed names for this host"}},
    [CRAWL_EDGE_REDIRECTS] = {"redirects", {CRAWL_CLASS_REDIRECTS, "too many redirects in a row"}},
    [CRAWL_EDGE_MAX_URL] = {"max_url", {CRAWL_CLASS_LIMIT, BEYOND("max_url")}},
    [CRAWL_EDGE_MAX_PATH_DEPTH] = {"max_path_depth", {CRAWL_CLASS_LIMIT, BEYOND("max_path_depth")}},
    [CRAWL_EDGE_MAX_REPEATS] = {"max_repeats", {CRAWL_CLASS_LIMIT, BEYOND("max_repeats")}},
    [CRAWL_EDGE_MAX_QUERIES] = {"max_queries", {CRAWL_CLASS_LIMIT, BEYOND("max_queries")}},
    [CRAWL_EDGE_MAX_PAGES_PER_HOST] = {"max_pages_per_host", {CRAWL_CLASS_LIMIT, BEYOND("max_pages_per_host")}},
    [CRAWL_EDGE_MAX_PAGES_PER_DOMAIN] = {"max_pages_per_domain", {CRAWL_CLASS_LIMIT, BEYOND("max_pages_per_domain")}},
    [CRAWL_EDGE_MAX_SESSIONS] = {"max_sessions", {CRAWL_CLASS_LIMIT, BEYOND("max_sessions")}},
    [CRAWL_EDGE_MAX_VARIANTS] = {"max_variants", {CRAWL_CLASS_LIMIT, BEYOND("max_variants")}},
};

const char *crawl_edge_verdict_name(crawl_edge_verdict verdict)
{
    return (unsigned)verdict < CRAWL_EDGE_COUNT ? fates[verdict].name : "";
}

crawl_edge_verdict cw_links_fate_of_trap(crawl_trap trap)
{
    return trap ? (crawl_edge_verdict)(CRAWL_EDGE_MAX_URL + (trap - CRAWL_TRAP_LENGTH)) : CRAWL_EDGE_NEW;
}

crawl_trap cw_links_fate_trap(crawl_edge_verdict verdict)
{
    return verdict < CRAWL_EDGE_MAX_URL ? CRAWL_TRAP_NONE
                                        : (crawl_trap)(CRAWL_TRAP_LENGTH + (verdict - CRAWL_EDGE_MAX_URL));
}

crawl_edge_verdict cw_links_fate_of_push(crawl_pushed pushed)
{
    static const crawl_edge_verdict verdicts[] = {
        [CRAWL_PUSHED_NEW] = CRAWL_EDGE_NEW,
        [CRAWL_PUSHED_SEEN] = CRAWL_EDGE_SEEN,
        [CRAWL_PUSHED_INVALID] = CRAWL_EDGE_FULL, /* the frontier has failed: only valid URLs are pushed */
        [CRAWL_PUSHED_FULL] = CRAWL_EDGE_FULL,
    };
    return verdicts[pushed];
}

cw_links_fate_error cw_links_fate_of_redirect(crawl_edge_verdict verdict)
{
    return fates[verdict].redirect;
}

/* ---- errors ---- */

static const char *const class_names[CRAWL_CLASS_COUNT] = {
    [CRAWL_CLASS_DNS] = "dns",
    [CRAWL_CLASS_CONNECT] = "connect",
    [CRAWL_CLASS_TLS] = "tls",
    [CRAWL_CLASS_TIMEOUT] = "timeout",
    [CRAWL_CLASS_RESET] = "reset",
    [CRAWL_CLASS_PROTOCOL] = "protocol",
    [CRAWL_CLASS_TOO_LARGE] = "too-large",
    [CRAWL_CLASS_PRIVATE] = "private",
    [CRAWL_CLASS_LOCAL] = "local",
    [CRAWL_CLASS_ROBOTS] = "robots",
    [CRAWL_CLASS_SCOPE] = "scope",
    [CRAWL_CLASS_REDIRECTS] = "redirects",
    [CRAWL_CLASS_RETRY_AFTER] = "retry-after",
    [CRAWL_CLASS_LIMIT] = "limit",
    [CRAWL_CLASS_GIVEN_UP] = "given-up",
    [CRAWL_CLASS_PORT] = "port",
    [CRAWL_CLASS_REFUSED] = "refused",
    [CRAWL_CLASS_WALL] = "wall",
    [CRAWL_CLASS_SOFT_404] = "soft-404",
};

const char *crawl_error_class_name(crawl_error_class error_class)
{
    return (unsigned)error_class < CRAWL_CLASS_COUNT ? class_names[error_class] : "";
}

crawl_error_class cw_links_fate_of_fetch(crawl_fetch_error error)
{
    static const crawl_error_class classes[] = {
        [CRAWL_FETCH_OK] = CRAWL_CLASS_LOCAL,          [CRAWL_FETCH_DNS] = CRAWL_CLASS_DNS,
        [CRAWL_FETCH_CONNECT] = CRAWL_CLASS_CONNECT,   [CRAWL_FETCH_TLS] = CRAWL_CLASS_TLS,
        [CRAWL_FETCH_TIMEOUT] = CRAWL_CLASS_TIMEOUT,   [CRAWL_FETCH_RESET] = CRAWL_CLASS_RESET,
        [CRAWL_FETCH_PROTOCOL] = CRAWL_CLASS_PROTOCOL, [CRAWL_FETCH_TOO_LARGE] = CRAWL_CLASS_TOO_LARGE,
        [CRAWL_FETCH_CANCELLED] = CRAWL_CLASS_LOCAL,   [CRAWL_FETCH_PRIVATE] = CRAWL_CLASS_PRIVATE,
        [CRAWL_FETCH_LOCAL] = CRAWL_CLASS_LOCAL,       [CRAWL_FETCH_NO_SOCKET] = CRAWL_CLASS_LOCAL,
    };
    return classes[error];
}

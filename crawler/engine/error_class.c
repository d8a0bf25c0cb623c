#include "crawler/engine/error_class.h"

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

crawl_error_class cw_engine_class_of(crawl_fetch_error error)
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

/* Many HTTP transfers on one libevent loop: libcurl's multi interface driven by its socket callbacks, no polling.
 *
 * Redirects are handed back, never followed. Only http and https are spoken. Cookies are off unless asked for. Proxies
 * are those of crawl_fetch_access alone: what the environment names (http_proxy and the like) is ignored, so that a
 * crawl does the same wherever it runs. The target of the URL is sent byte for byte. gzip, deflate, br and zstd are
 * offered and undone, several in one another too. Names below .localhost are the loopback addresses, without DNS (RFC
 * 6761, section 6.3). */
#ifndef CRAWL_FETCH_H
#define CRAWL_FETCH_H

#include <crawl/base.h>

struct event_base;
struct crawl_signing;

#ifdef __cplusplus
extern "C" {
#endif

/* Single-thread: all calls from the thread that runs the event_base. */
typedef struct crawl_fetcher crawl_fetcher;

/* A jar of cookies and TLS sessions that fetchers share, also those of several threads. Thread-safe. No call waits for
 * a disk, a network, or long for another.
 *
 * Cookies are kept and sent by RFC 6265, and by draft-ietf-httpbis-rfc6265bis where browsers follow that: prefixes
 * __Host- and __Secure-, cookies without a name, 4096 bytes of name and value and 1024 of an attribute, secure cookies
 * that plain http cannot set over, 400 days. A domain that is a public suffix is refused. Of servers there are 50
 * cookies at most for a host, and 180 for all hosts below one name; a registrable domain has an eighth of the memory
 * that crawl_jar_limit sets, and where all of it is taken, those go first that were used least recently. Cookies of the
 * caller (crawl_jar_read) count towards no limit and stay until they expire or a server says that they have. A request
 * has 8190 bytes of them at most. */
typedef struct crawl_jar crawl_jar;

/* cookies: false: TLS sessions alone. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_jar_create(bool cookies, crawl_jar **out);
/* No fetcher may use it any more. */
CRAWL_API void crawl_jar_free(crawl_jar *jar);
/* Bytes of memory for cookies that servers set; CRAWL_JAR_BYTES before this is called. */
CRAWL_API void crawl_jar_limit(crawl_jar *jar, uint64_t max_bytes);
#define CRAWL_JAR_BYTES ((uint64_t)256 * 1024 * 1024)

/* Adds the cookies of a text in Netscape's format: domain, TRUE for hosts below it too, path, TRUE for https alone,
 * time of expiry in seconds since 1970 or 0, name, value, apart by tabs; "#HttpOnly_" may stand before the domain,
 * other lines with "#" are comments. kept: the text is of crawl_jar_write, and what in it servers have set is theirs
 * again; otherwise all are the caller's own. now_ms: since 1970, here and below. CRAWL_EPARSE: a line that is none of
 * these; error starts with NAME:LINE, and no cookie was added. CRAWL_EINVAL: no cookies are kept. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_jar_read(crawl_jar *jar, const char *name, crawl_slice text, bool kept, int64_t now_ms,
                                   crawl_error *error);
/* Appends all cookies in this format that have not expired: the caller's own, then those of servers; without those that
 * have no name, which it cannot hold. Cookies set meanwhile may be left out or stand twice. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_jar_write(crawl_jar *jar, int64_t now_ms, crawl_buf *out);

/* For transfers by other means: does as a fetcher does with each Set-Cookie field and before each request. url: http
 * or https, with a host in ASCII. CRAWL_EPARSE: no such URL, or the field is no cookie; CRAWL_REFUSED: this URL may not
 * set it; CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_jar_set(crawl_jar *jar, crawl_slice url, crawl_slice field, int64_t now_ms);
/* Appends "name=value; name=value". given: what the caller sends besides in that form, or empty: names in it are left
 * out. */
CRAWL_API crawl_err crawl_jar_get(crawl_jar *jar, crawl_slice url, crawl_slice given, int64_t now_ms, crawl_buf *out);

/* --- a jar that is one of several, of processes that crawl together --- */

/* Bytes of a host's name. */
#define CRAWL_JAR_HOST_MAX 253

/* The host of a URL as cookies have it, in lower case and without brackets, with a NUL behind it; and, as a part of it,
 * its site: its registrable domain by the public suffix list, or the host itself where it has none. The hosts and
 * domains whose cookies a request has are the host, and what stands behind its dots down to the site. CRAWL_EPARSE: it
 * is no URL of http or https. */
CRAWL_API crawl_err crawl_jar_host(crawl_slice url, char host[CRAWL_JAR_HOST_MAX + 1], crawl_slice *site);

/* A cookie as it is kept. Slices are borrowed. */
typedef struct crawl_jar_cookie {
    crawl_slice host; /* that it is bound to, with a NUL behind it */
    crawl_slice name, value, path;
    int64_t expires_ms; /* INT64_MAX: it has no date */
    int64_t set_ms;     /* of two, the one that was set last counts; by whatever clock the watch has */
    bool is_deleted;    /* by the server */
    bool is_host_only;  /* goes to its host alone */
    bool is_secure, is_http_only;
    bool is_own;          /* the caller's */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_jar_cookie;

/* Where a cookie comes from. */
typedef struct crawl_jar_source {
    crawl_slice origin;   /* scheme, host and port of the URL whose answer sets it; empty: crawl_jar_read, or told again
                           */
    int64_t asked_us;     /* of CLOCK_BOOTTIME, when the request left; 0: not known */
    bool is_known;        /* nothing changes: it is kept so already, or is deleted and there is none */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_jar_source;

/* Who wants to know what changes. on_set comes before a cookie is kept or deleted, in the order of the changes of its
 * host, on the thread that does it and with a lock of the jar held: it calls nothing of the jar but crawl_jar_host. It
 * may set cookie->set_ms, which is 0 unless it was set before. Any return but CRAWL_OK is the answer to the
 * change, which is not made. A cookie that is set again and would only last longer, by an eighth at most of what is
 * left, is known, and keeps its date. */
typedef struct crawl_jar_watch {
    size_t size; /* sizeof(crawl_jar_watch) */
    crawl_err (*on_set)(void *user, const crawl_jar_source *source, crawl_jar_cookie *cookie);
    void *user;
} crawl_jar_watch;

/* Before the jar is used. CRAWL_EINVAL: it keeps no cookies, or another size. */
CRAWL_API crawl_err crawl_jar_set_watch(crawl_jar *jar, const crawl_jar_watch *watch);

/* A host has these cookies, as somebody knew at as_of_ms: others that it has here go, unless they were set then or
 * later, and so do those that are deleted or have expired. One that was set later here stays; where it differs the
 * watch is told of it again. host of the cookies is not read. CRAWL_EINVAL: the jar keeps no cookies. CRAWL_ENOMEM:
 * some are missing. */
CRAWL_API crawl_err crawl_jar_replace(crawl_jar *jar, crawl_slice host, const crawl_jar_cookie *cookies, size_t count,
                                      int64_t as_of_ms, int64_t now_ms);

/* The figures of a jar. */
typedef struct crawl_jar_stats {
    uint64_t cookies;     /* some may have expired */
    uint64_t bytes;       /* of memory, taken by those of servers */
    uint64_t dropped;     /* of those of servers, to make room */
    uint64_t changes;     /* grows with every change: the same number, the same cookies, but for their expiry */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_jar_stats;
/* Its figures at this moment. */
CRAWL_API void crawl_jar_stats_get(crawl_jar *jar, crawl_jar_stats *out);

/* Who finds the addresses of names: evdns on the event loop, asking the name servers itself, after the hosts file; or
 * getaddrinfo, in a thread for each lookup, with all that the system knows besides (NSS). Where no name server is known
 * it is always the second; so it is for an answer too large for a datagram. evdns is made silent (evdns_set_log_fn): it
 * would print what it thinks of name servers. */
typedef enum crawl_resolver { CRAWL_RESOLVER_EVDNS, CRAWL_RESOLVER_SYSTEM } crawl_resolver;

/* A cache of names that evdns has found, for as long as they hold. Thread-safe: one for all fetchers of a program
 * spares questions. */
typedef struct crawl_name_cache crawl_name_cache;
/* Reads the hosts file. NULL: no memory. */
CRAWL_API crawl_name_cache *crawl_name_cache_create(void);
CRAWL_API void crawl_name_cache_free(crawl_name_cache *cache);

/* Bytes a second that transfers may receive together, those of several fetchers too: headers, and bodies as they are
 * encoded. It is kept by not reading on, so that servers wait: over any time T no more comes than rate * (T + 0.1 s),
 * one read of each transfer, and what cannot be held back, headers alone, which is made up for by what comes later.
 * Thread-safe. */
typedef struct crawl_fetch_rate crawl_fetch_rate;
/* bytes_per_s 0: no limit for now. NULL: no memory. */
CRAWL_API crawl_fetch_rate *crawl_fetch_rate_create(uint64_t bytes_per_s);
/* No fetcher may use it any more. */
CRAWL_API void crawl_fetch_rate_free(crawl_fetch_rate *rate);
CRAWL_API void crawl_fetch_rate_set(crawl_fetch_rate *rate, uint64_t bytes_per_s);
/* NULL has no limit, here and below: 0. */
CRAWL_API uint64_t crawl_fetch_rate_get(const crawl_fetch_rate *rate);
/* For transfers by other means: does as fetchers do with it. now_us: of CLOCK_MONOTONIC. Counts bytes that have come;
 * and how long it takes until nothing more is owed for those that came: nobody reads before that. */
CRAWL_API void crawl_fetch_rate_take(crawl_fetch_rate *rate, uint64_t bytes, int64_t now_us);
CRAWL_API int64_t crawl_fetch_rate_owed_us(const crawl_fetch_rate *rate, int64_t now_us);

/* Options of a fetcher; init has the defaults. */
typedef struct crawl_fetch_options {
    size_t size;                /* sizeof(crawl_fetch_options): init sets it */
    const char *user_agent;     /* NULL: none sent */
    const char *accept;         /* NULL: the default of a crawler for pages */
    int64_t timeout_ms;         /* of a whole transfer; 0: none */
    int64_t connect_timeout_ms; /* name, connection and TLS; 0: 300 s */
    int64_t low_speed_ms; /* a transfer slower than low_speed_bytes a second for this long ends, be it that the answer
                             has not begun; rounded up to seconds; 0: never */
    int64_t low_speed_bytes;
    uint64_t max_header_bytes;  /* of all header lines of an answer, 1xx answers before it, trailers and extensions of
                                   chunks too; not 0. Besides: 5000 lines, and libcurl's own limits, 100 KiB a line, 300
                                   KiB together */
    uint64_t max_body_bytes;    /* decoded, so that a compressed bomb ends; 0: no limit */
    uint64_t max_bodies_bytes;  /* of all bodies under way, decoded; beyond it the first to have begun goes on, those up
                                   to 128 KiB do, and all others are not read any further until there is room, their
                                   time  standing still. At most two bodies of max_body_bytes come on top of it. 0: no
                                   limit */
    unsigned max_connections;   /* idle ones kept open for use again; how many are busy is the caller's to limit */
    bool http2;                 /* by ALPN over TLS */
    bool cookies;               /* kept and sent; ignored with jar */
    crawl_jar *jar;             /* borrowed, must outlive the fetcher; NULL: one of the fetcher's own */
    bool insecure;              /* certificates not verified */
    const char *ca_file;        /* NULL: the system's */
    const char *interface_name; /* NULL: any */
    bool allow_private; /* connect to addresses that are not the internet's too: loopback, private and link-local
                           networks, metadata services, and IPv6 forms of them (RFC 6890). Otherwise a transfer whose
                           host has no other address ends with CRAWL_FETCH_PRIVATE. The address that is connected to is
                           looked at, so a name that resolves to another one the next time gains nothing. A link-local
                           address, or a metadata service's, is connected to where the URL has it, and never by a name.
                         */
    crawl_resolver resolver;
    const char *dns_servers; /* of evdns: "192.0.2.1, [2001:db8::1]:5353"; NULL or empty: those of /etc/resolv.conf */
    int64_t dns_timeout_ms;  /* of evdns: for one name; before, and not part of, the times above */
    crawl_name_cache *names; /* of evdns: borrowed, must outlive the fetcher; NULL: one of its own */
    crawl_fetch_rate *rate;  /* of all transfers: borrowed, must outlive the fetcher; NULL: no limit */
    unsigned transfers;      /* about how many are under way at once and share the memory for what is received; 0:
                                max_connections */
} crawl_fetch_options;

/* Is text an IPv4 or IPv6 address (no brackets, no port) that is the internet's? False too for what is no address. */
CRAWL_API bool crawl_address_is_public(const char *text);
/* Is the host of an http(s) URL, written as crawl_url_parse writes it, an address that is not the internet's, or a name
 * of localhost? */
CRAWL_API bool crawl_fetch_url_is_private(crawl_slice url);

/* 60 s, 15 s, 20 s below 100 B/s, 256 KiB, 16 MiB, 64, http2, no cookies, verified, the internet alone, evdns with 10 s
 * for a name. */
CRAWL_API void crawl_fetch_options_init(crawl_fetch_options *options, size_t size);

/* base is borrowed and must outlive the fetcher. Strings of options are copied. libcurl's global state is taken care of
 * (reference-counted). CRAWL_EINVAL: a number out of range, a line break in a text, or what libcurl does not take;
 * CRAWL_EIO: ca_file cannot be read; CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_fetcher_create(struct event_base *base, const crawl_fetch_options *options,
                                         crawl_fetcher **out, crawl_error *error);
/* Transfers still running end without a callback. Not from within a callback. Where names were being asked for, the
 * event loop gives libevent's memory of that back when it runs for the next time. */
CRAWL_API void crawl_fetcher_free(crawl_fetcher *fetcher);

/* Why there is no complete answer. */
typedef enum crawl_fetch_error {
    CRAWL_FETCH_OK = 0,
    CRAWL_FETCH_DNS,       /* the name does not resolve */
    CRAWL_FETCH_CONNECT,   /* nobody listens, unreachable */
    CRAWL_FETCH_TLS,       /* handshake or certificate */
    CRAWL_FETCH_TIMEOUT,   /* too long or too slow */
    CRAWL_FETCH_RESET,     /* the connection ended early */
    CRAWL_FETCH_PROTOCOL,  /* not HTTP as it should be, unknown or broken coding, a part (206) where no Range was asked
                              for */
    CRAWL_FETCH_TOO_LARGE, /* header or body over its limit */
    CRAWL_FETCH_CANCELLED,
    CRAWL_FETCH_PRIVATE,  /* the host is at an address that may not be asked; see allow_private */
    CRAWL_FETCH_LOCAL,    /* memory, permissions: not the server's fault */
    CRAWL_FETCH_NO_SOCKET /* the system has no further socket now (EMFILE, ENFILE, ENOBUFS, ENOMEM): nothing was asked.
                             The fetcher keeps fewer idle connections from then on */
} crawl_fetch_error;

/* "dns", "connect", "tls", "timeout", "reset", "protocol", "too-large", "cancelled", "private", "local", "no-socket";
 * "" for OK. Static. */
CRAWL_API const char *crawl_fetch_error_name(crawl_fetch_error error);

/* An answer, or as much of it as came; valid during on_done alone, unless it is kept (crawl_fetch_keep). */
typedef struct crawl_response {
    size_t size; /* sizeof(crawl_response) */
    int status;  /* of the final answer (1xx excluded); 0: none */
    crawl_fetch_error error;
    const char *error_text;      /* words for a person, "" when none */
    const crawl_header *headers; /* of the final answer, in order */
    size_t header_count;
    crawl_slice body;    /* decoded; what came before an error, cut at the limit */
    bool body_cut;       /* there was more, which crawl_fetch_request.cut_body left out */
    const char *ip;      /* of the server, "" when none was reached, or by a proxy */
    double elapsed_ms;   /* from start to the last byte */
    double held_ms;      /* of it: not read, because a crawl_fetch_rate was reached */
    uint64_t wire_bytes; /* received: headers and encoded body */
    int http_version;    /* 10, 11, 20; 0: none */
    /* With crawl_fetch_request.capture, the bytes on the wire (of HTTP/2: as libcurl shows them); otherwise empty. */
    crawl_slice sent;            /* the request, header and body */
    crawl_slice received_header; /* of the final answer, with its status line and the empty line at its end */
    crawl_slice received_body;   /* encoded, with its chunks and trailers; cut at max_body_bytes */
    bool received_cut;           /* received_body is not all that came */
    bool is_signed;              /* the request was */
} crawl_response;

/* The first header of that name, case ignored; NULL data: none. */
CRAWL_API crawl_slice crawl_response_header(const crawl_response *response, const char *name);

/* How a host is asked that is asked differently. All borrowed until on_done; NULL: as the fetcher does, or without. */
typedef struct crawl_fetch_access {
    size_t size;             /* sizeof(crawl_fetch_access) */
    const char *headers;     /* "Name: value" lines each ended by \n, sent unless the request has one of that name */
    const char *proxy;       /* "http://[user:password@]host:port", https, socks5 (names are resolved here) or socks5h
                                (there). May be at a private address. The address of the host is not known then: a URL
                                with a private one, or with localhost, is refused as ever, but for what a name stands
                                for the proxy answers */
    const char *client_cert; /* PEM files */
    const char *client_key;
    const char *ca_file;
} crawl_fetch_access;

/* A request. All that it points to is borrowed for the call that takes it. */
typedef struct crawl_fetch_request {
    size_t size; /* sizeof(crawl_fetch_request) */
    crawl_slice url;
    crawl_slice method;  /* empty: GET */
    crawl_slice headers; /* "Name: value" lines each ended by \n; empty: none */
    crawl_slice body;
    const crawl_fetch_access *access; /* NULL: nothing of this */
    uint64_t max_body_bytes;          /* 0: the fetcher's */
    bool allow_private;               /* for this request, as in the options */
    bool capture;                     /* keep the bytes on the wire for on_done: as much memory again as the answer */
    bool cut_body;                    /* at the limit the body is cut and the transfer is OK, in place of too-large */
    crawl_fetch_rate *rate;           /* of its host, besides that of all: borrowed until on_done; NULL: no limit */
    bool fresh_connection; /* none that was used before: where such a one ends unanswered, libcurl asks again */
    bool (*on_headers)(void *user, const crawl_response *response); /* header complete, body to come; false: do not
                                read the body: the transfer ends OK without one. May be NULL. */
    void (*on_start)(void *user); /* connected, the request leaves now. May be NULL. At most once. */
    void (*on_done)(void *user, const crawl_response *response); /* exactly once, from the loop, never from within
                                                                    crawl_fetch */
    void *user;
    bool close;                          /* the connection is not kept for further requests: there will be none soon */
    const struct crawl_signing *signing; /* sign the request when it leaves, each time that it does, by
                                            <crawl/identity.h>; where that fails nothing is sent, and the transfer ends
                                            with CRAWL_FETCH_LOCAL. Requests of plain http go unsigned, unless http is
                                            set there. Borrowed until on_done; NULL: no */
} crawl_fetch_request;

/* Starts a transfer; from any callback too. Slices are copied. The URL is serialized as by crawl_url_parse. Nothing is
 * added to the headers but Host, those of the options that the request does not set itself, and Content-Length.
 * CRAWL_EINVAL: the URL is not http(s) or holds spaces or controls; bytes that no header may hold (CR, LF, NUL), a line
 * that is no header; a method that is no token; HEAD with a body. Whatever else keeps it from starting is told by
 * on_done. *id (NULL: not wanted) names the transfer for crawl_fetch_cancel. */
CRAWL_API crawl_err crawl_fetch(crawl_fetcher *fetcher, const crawl_fetch_request *request, uint64_t *id);

/* From any callback too. on_done comes from the loop, with CRAWL_FETCH_CANCELLED. CRAWL_ABSENT: no such transfer, or
 * its on_done has been called. */
CRAWL_API crawl_err crawl_fetch_cancel(crawl_fetcher *fetcher, uint64_t id);
CRAWL_API void crawl_fetch_cancel_all(crawl_fetcher *fetcher);

/* From within on_done, at most once: the answer that this was given stays valid until it is given back, or its fetcher
 * is freed. Until then its body counts against max_bodies_bytes, while its connection serves other requests. Then give
 * it back, once, from any callback or from the loop. */
CRAWL_API void crawl_fetch_keep(crawl_fetcher *fetcher, const crawl_response *response);
CRAWL_API void crawl_fetch_give_back(crawl_fetcher *fetcher, const crawl_response *response);

/* The address that a transfer is connected to, as text, from on_start on; empty: no such transfer, not connected, or by
 * a proxy. Borrowed until it ends. A transfer that is cancelled in its on_start does not send its request. */
CRAWL_API crawl_slice crawl_fetch_address(const crawl_fetcher *fetcher, uint64_t id);

/* How many transfers are under way. */
CRAWL_API unsigned crawl_fetcher_running(const crawl_fetcher *fetcher);

/* The figures of a fetcher. */
typedef struct crawl_fetcher_stats {
    uint64_t waiting_for_names; /* transfers now */
    uint64_t names_asked;       /* of name servers, each for IPv4 and IPv6 */
    uint64_t names_cached;      /* transfers whose host was known, from an answer that holds or from the hosts file */
    uint64_t names_failed;      /* of those asked: without an address */
    uint64_t body_bytes;        /* memory of the bodies under way */
    uint64_t bodies_waiting;    /* transfers that are not read any further until there is room for their bodies */
    uint64_t held;              /* transfers that are not read any further until a crawl_fetch_rate allows it */
    uint64_t reserved[8];       /* 0, for later versions */
} crawl_fetcher_stats;

/* From any thread. Figures of names are 0 where names are left to the system. */
CRAWL_API void crawl_fetcher_stats_get(const crawl_fetcher *fetcher, crawl_fetcher_stats *out);

/* Appends a line "NAME VERSION" for each library that transfers go through, as it is loaded and not as it was built
 * with: libcurl, its TLS and nghttp2, libevent, zlib, brotli, zstd. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_fetch_libraries(crawl_buf *out);

#ifdef __cplusplus
}
#endif
#endif

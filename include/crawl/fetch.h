/* Many HTTP transfers on one libevent loop: libcurl's multi interface driven by its socket callbacks, without polling.
 *
 * Redirects are returned to the caller, never followed. Only http and https are supported. Cookies are off by default.
 * The only proxies are those of crawl_fetch_access: those in the environment (http_proxy and similar) are ignored, so
 * that a crawl behaves the same wherever it runs. The target of the URL is sent byte for byte. gzip, deflate, br and
 * zstd are offered and decoded, also several nested ones. Names below .localhost are the loopback addresses, without
 * DNS (RFC 6761, section 6.3). */
#ifndef CRAWL_FETCH_H
#define CRAWL_FETCH_H

#include <crawl/base.h>

struct event_base;
struct crawl_signing;

#ifdef __cplusplus
extern "C" {
#endif

/* A fetcher. Single-threaded: all calls must come from the thread that runs the event_base. */
typedef struct crawl_fetcher crawl_fetcher;

/* A jar of cookies and TLS sessions that fetchers share, also those of several threads. Thread-safe. No call waits for
 * a disk, a network, or long for another call.
 *
 * Cookies are stored and sent by RFC 6265, and by draft-ietf-httpbis-rfc6265bis where browsers follow that: prefixes
 * __Host- and __Secure-, cookies without a name, 4096 bytes of name and value and 1024 of an attribute, secure cookies
 * that plain http cannot overwrite, 400 days. A domain that is a public suffix is refused. Servers may set at most 50
 * cookies per host, and 180 for all hosts below one name. A registrable domain may use an eighth of the memory set by
 * crawl_jar_limit; when all of it is used, the least recently used cookies go first. The caller's own cookies
 * (crawl_jar_read) count towards no limit and stay until they expire or a server deletes them. A request carries at
 * most 8190 bytes of cookies. */
typedef struct crawl_jar crawl_jar;

/* Creates a jar. cookies: false: for TLS sessions only. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_jar_create(bool cookies, crawl_jar **out);
/* Frees the jar. No fetcher may still use it. */
CRAWL_API void crawl_jar_free(crawl_jar *jar);
/* Sets the bytes of memory for cookies set by servers; CRAWL_JAR_BYTES until this is called. */
CRAWL_API void crawl_jar_limit(crawl_jar *jar, uint64_t max_bytes);
#define CRAWL_JAR_BYTES ((uint64_t)256 * 1024 * 1024)

/* Adds the cookies of a text in Netscape's format: domain, TRUE for hosts below it too, path, TRUE for https only,
 * expiry in seconds since 1970 or 0, name, value, separated by tabs. "#HttpOnly_" may precede the domain; other lines
 * with "#" are comments. kept: the text was written by crawl_jar_write, and its cookies set by servers become theirs
 * again; otherwise all cookies are the caller's own, and malformed lines beside good ones are skipped. now_ms: since
 * 1970, here and below. CRAWL_EPARSE: a malformed line of a kept text, or of a text without a good one; error starts
 * with NAME:LINE, and no cookie was added. CRAWL_EINVAL: the jar stores no cookies. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_jar_read(crawl_jar *jar, const char *name, crawl_slice text, bool kept, int64_t now_ms,
                                   crawl_error *error);
/* Appends all unexpired cookies in this format: the caller's own, then those of servers. Leaves out cookies without a
 * name, which the format cannot hold. Cookies set meanwhile may be missing or appear twice. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_jar_write(crawl_jar *jar, int64_t now_ms, crawl_buf *out);

/* Stores a cookie, as a fetcher does for each Set-Cookie field. This and the next call are for transfers by other
 * means. url: http or https, with a host in ASCII. CRAWL_EPARSE: no such URL, or the field is not a cookie;
 * CRAWL_REFUSED: this URL may not set it; CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_jar_set(crawl_jar *jar, crawl_slice url, crawl_slice field, int64_t now_ms);
/* Appends "name=value; name=value", as a fetcher does before each request. given: what the caller sends itself in that
 * form, or empty: leaves out the names in it. */
CRAWL_API crawl_err crawl_jar_get(crawl_jar *jar, crawl_slice url, crawl_slice given, int64_t now_ms, crawl_buf *out);

/* --- a jar shared by processes that crawl together --- */

/* Maximum bytes of a host's name. */
#define CRAWL_JAR_HOST_MAX 253

/* Returns the host of a URL as cookies have it, in lower case, without brackets, NUL-terminated; and, as a part of it,
 * its site: its registrable domain by the public suffix list, or the host itself if it has none. A request carries the
 * cookies of the host and of each domain after one of its dots, up to the site. CRAWL_EPARSE: not an http or https
 * URL. */
CRAWL_API crawl_err crawl_jar_host(crawl_slice url, char host[CRAWL_JAR_HOST_MAX + 1], crawl_slice *site);

/* A cookie as stored. Slices are borrowed. */
typedef struct crawl_jar_cookie {
    crawl_slice host; /* the host or domain that it is bound to, NUL-terminated */
    crawl_slice name, value, path;
    int64_t expires_ms; /* INT64_MAX: no expiry date */
    int64_t set_ms;     /* when it was set, on the clock of the watch; the later of two wins */
    bool is_deleted;    /* by the server */
    bool is_host_only;  /* sent to its host only */
    bool is_secure, is_http_only;
    bool is_own;          /* the caller's */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_jar_cookie;

/* The origin of a change to a cookie. */
typedef struct crawl_jar_source {
    crawl_slice origin;   /* scheme, host and port of the URL whose answer sets it; empty: crawl_jar_read, or reported
                             again */
    int64_t asked_us;     /* by CLOCK_BOOTTIME, when the request departed; 0: not known */
    bool is_known;        /* nothing changes: it is stored already, or a deleted cookie does not exist */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_jar_source;

/* Observes changes. on_set is called before a cookie is stored or deleted, in the order of the changes of its host, on
 * the thread that makes the change and with a lock of the jar held; it must call nothing of the jar except
 * crawl_jar_host. It may set cookie->set_ms, which is 0 unless it was set before. If it returns anything but CRAWL_OK,
 * the change is not made and returns that. A cookie that is set again and would only live longer, by at most an eighth
 * of its remaining time, counts as known and keeps its date. */
typedef struct crawl_jar_watch {
    size_t size; /* sizeof(crawl_jar_watch) */
    crawl_err (*on_set)(void *user, const crawl_jar_source *source, crawl_jar_cookie *cookie);
    void *user;
} crawl_jar_watch;

/* Sets the watch. Must be called before the jar is used. CRAWL_EINVAL: the jar stores no cookies, or the size is
 * wrong. */
CRAWL_API crawl_err crawl_jar_set_watch(crawl_jar *jar, const crawl_jar_watch *watch);

/* Replaces the cookies of a host by those that another process knew at as_of_ms. Removes cookies that are missing
 * there, deleted or expired, unless they were set at as_of_ms or later. A cookie set later here stays; if it differs,
 * the watch is told of it again. The host of the given cookies is not read. CRAWL_EINVAL: the jar stores no cookies.
 * CRAWL_ENOMEM: some are missing. */
CRAWL_API crawl_err crawl_jar_replace(crawl_jar *jar, crawl_slice host, const crawl_jar_cookie *cookies, size_t count,
                                      int64_t as_of_ms, int64_t now_ms);

/* The figures of a jar. */
typedef struct crawl_jar_stats {
    uint64_t cookies; /* including expired ones */
    uint64_t bytes;   /* memory used by cookies of servers */
    uint64_t dropped; /* cookies of servers removed to make room */
    uint64_t changes; /* increases with every change: the same number means the same cookies, except for their expiry */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_jar_stats;
/* Returns the current figures. */
CRAWL_API void crawl_jar_stats_get(crawl_jar *jar, crawl_jar_stats *out);

/* How names are resolved. EVDNS: on the event loop, asking the name servers itself, after the hosts file. SYSTEM:
 * getaddrinfo, in a thread per lookup, with everything else that the system knows (NSS). SYSTEM is used if no name
 * server is known, and for an answer too large for a datagram. evdns is silenced (evdns_set_log_fn), since it would
 * print messages about name servers. */
typedef enum crawl_resolver { CRAWL_RESOLVER_EVDNS, CRAWL_RESOLVER_SYSTEM } crawl_resolver;

/* A cache of names that evdns has resolved, for as long as they are valid. Thread-safe: one cache for all fetchers of a
 * program saves queries. */
typedef struct crawl_name_cache crawl_name_cache;
/* Creates a cache and reads the hosts file. NULL: out of memory. */
CRAWL_API crawl_name_cache *crawl_name_cache_create(void);
CRAWL_API void crawl_name_cache_free(crawl_name_cache *cache);

/* The bytes per second that transfers may receive together, also those of several fetchers: headers, and bodies as
 * encoded. Enforced by not reading, so that servers wait. In any time T at most rate * (T + 0.1 s) bytes arrive, plus
 * one read of each transfer, plus what cannot be held back (only headers), which later bytes make up for.
 * Thread-safe. */
typedef struct crawl_fetch_rate crawl_fetch_rate;
/* Creates a rate. bytes_per_s 0: no limit for now. NULL: out of memory. */
CRAWL_API crawl_fetch_rate *crawl_fetch_rate_create(uint64_t bytes_per_s);
/* Frees the rate. No fetcher may still use it. */
CRAWL_API void crawl_fetch_rate_free(crawl_fetch_rate *rate);
CRAWL_API void crawl_fetch_rate_set(crawl_fetch_rate *rate, uint64_t bytes_per_s);
/* Returns the rate; 0 for NULL, which has no limit, here and below. */
CRAWL_API uint64_t crawl_fetch_rate_get(const crawl_fetch_rate *rate);
/* For transfers by other means, as fetchers do. now_us: CLOCK_MONOTONIC. The first counts received bytes; the second
 * returns how long until they are paid for: the caller must not read before that. */
CRAWL_API void crawl_fetch_rate_take(crawl_fetch_rate *rate, uint64_t bytes, int64_t now_us);
CRAWL_API int64_t crawl_fetch_rate_owed_us(const crawl_fetch_rate *rate, int64_t now_us);

/* Options of a fetcher; init has the defaults. */
typedef struct crawl_fetch_options {
    size_t size;                /* sizeof(crawl_fetch_options): init sets it */
    const char *user_agent;     /* NULL: none sent */
    const char *accept;         /* NULL: the default of a page crawler */
    int64_t timeout_ms;         /* for a whole transfer; 0: none */
    int64_t connect_timeout_ms; /* for name, connection and TLS; 0: 300 s */
    int64_t low_speed_ms; /* ends a transfer slower than low_speed_bytes per second for this long, even if the answer
                             has not begun; rounded up to seconds; 0: never */
    int64_t low_speed_bytes;
    uint64_t max_header_bytes;  /* all header lines of an answer, including 1xx answers before it, trailers and chunk
                                   extensions; not 0. Further limits: 5000 lines, and libcurl's own, 100 KiB per line,
                                   300 KiB in total */
    uint64_t max_body_bytes;    /* decoded, which stops a compression bomb; 0: no limit */
    uint64_t max_bodies_bytes;  /* all bodies in flight, decoded. Beyond this, only the oldest body and those up to 128
                                   KiB are read on; all others wait for room, with their timeouts suspended. At most two
                                   bodies of max_body_bytes come on top. 0: no limit */
    unsigned max_connections;   /* idle connections kept open for reuse; the caller limits busy ones */
    bool http2;                 /* negotiated by ALPN over TLS */
    bool cookies;               /* stored and sent; ignored with jar */
    crawl_jar *jar;             /* borrowed, must outlive the fetcher; NULL: uses one of its own */
    bool insecure;              /* does not verify certificates */
    const char *ca_file;        /* NULL: the system's */
    const char *interface_name; /* NULL: any */
    bool allow_private; /* also connects to addresses that are not public: loopback, private and link-local networks,
                           metadata services, and IPv6 forms of them (RFC 6890). Otherwise a transfer whose host has no
                           other address ends with CRAWL_FETCH_PRIVATE. The address of the connection itself is checked,
                           so a name that resolves differently the next time gains nothing. A link-local address, or
                           that of a metadata service, is used only if the URL contains it, never by a name. */
    crawl_resolver resolver;
    const char *dns_servers; /* evdns: "192.0.2.1, [2001:db8::1]:5353"; NULL or empty: those of /etc/resolv.conf */
    int64_t dns_timeout_ms;  /* evdns: for one name; precedes the times above and is not part of them */
    crawl_name_cache *names; /* evdns: borrowed, must outlive the fetcher; NULL: uses one of its own */
    crawl_fetch_rate *rate;  /* for all transfers: borrowed, must outlive the fetcher; NULL: no limit */
    unsigned transfers;      /* approximate number of concurrent transfers, which share the receive buffers; 0:
                                max_connections */
} crawl_fetch_options;

/* Returns true if text is a public IPv4 or IPv6 address (no brackets, no port). False also for text that is not an
 * address. */
CRAWL_API bool crawl_address_is_public(const char *text);
/* Returns true if the host of an http(s) URL, as written by crawl_url_parse, is an address that is not public, or a
 * localhost name. */
CRAWL_API bool crawl_fetch_url_is_private(crawl_slice url);

/* Sets the defaults: 60 s, 15 s, 20 s below 100 B/s, 256 KiB, 16 MiB, 64, http2, no cookies, certificates verified,
 * public addresses only, evdns with 10 s for a name. */
CRAWL_API void crawl_fetch_options_init(crawl_fetch_options *options, size_t size);

/* Creates a fetcher. base is borrowed and must outlive it. Strings of options are copied. Handles libcurl's global
 * state (reference-counted). CRAWL_EINVAL: a number out of range, a line break in a text, or something that libcurl
 * rejects; CRAWL_EIO: ca_file cannot be read; CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_fetcher_create(struct event_base *base, const crawl_fetch_options *options,
                                         crawl_fetcher **out, crawl_error *error);
/* Frees the fetcher; running transfers end without a callback. Must not be called from within a callback. If lookups
 * were in flight, the event loop releases libevent's memory for them when it next runs. */
CRAWL_API void crawl_fetcher_free(crawl_fetcher *fetcher);

/* Why there is no complete answer. */
typedef enum crawl_fetch_error {
    CRAWL_FETCH_OK = 0,
    CRAWL_FETCH_DNS,       /* the name does not resolve */
    CRAWL_FETCH_CONNECT,   /* connection refused, unreachable */
    CRAWL_FETCH_TLS,       /* handshake or certificate */
    CRAWL_FETCH_TIMEOUT,   /* too long or too slow */
    CRAWL_FETCH_RESET,     /* the connection ended early */
    CRAWL_FETCH_PROTOCOL,  /* invalid HTTP, unknown or broken coding, a part (206) although no Range was requested */
    CRAWL_FETCH_TOO_LARGE, /* header or body exceeds its limit */
    CRAWL_FETCH_CANCELLED,
    CRAWL_FETCH_PRIVATE,  /* the host is at a forbidden address; see allow_private */
    CRAWL_FETCH_LOCAL,    /* memory, permissions: not the server's fault */
    CRAWL_FETCH_NO_SOCKET /* the system has no more sockets now (EMFILE, ENFILE, ENOBUFS, ENOMEM): nothing was sent. The
                             fetcher keeps fewer idle connections from then on */
} crawl_fetch_error;

/* Returns "dns", "connect", "tls", "timeout", "reset", "protocol", "too-large", "cancelled", "private", "local",
 * "no-socket"; "" for OK. Static. */
CRAWL_API const char *crawl_fetch_error_name(crawl_fetch_error error);

/* An answer, or the part of it that arrived. Valid only during on_done, unless it is kept (crawl_fetch_keep). */
typedef struct crawl_response {
    size_t size; /* sizeof(crawl_response) */
    int status;  /* of the final answer (1xx excluded); 0: none */
    crawl_fetch_error error;
    const char *error_text;      /* an error message for a person, "" if none */
    const crawl_header *headers; /* of the final answer, in order */
    size_t header_count;
    crawl_slice body;    /* decoded; what arrived before an error, cut at the limit */
    bool body_cut;       /* crawl_fetch_request.cut_body left out the rest */
    const char *ip;      /* of the server; "" if none was reached, or by a proxy */
    double elapsed_ms;   /* from start to the last byte */
    double held_ms;      /* part of elapsed_ms not read because of a crawl_fetch_rate */
    uint64_t wire_bytes; /* received: headers and encoded body */
    int http_version;    /* 10, 11, 20; 0: none */
    /* With crawl_fetch_request.capture, the bytes on the wire (for HTTP/2: as libcurl shows them); otherwise empty. */
    crawl_slice sent;            /* the request, header and body */
    crawl_slice received_header; /* of the final answer, with its status line and the empty line at its end */
    crawl_slice received_body;   /* encoded, with its chunks and trailers; cut at max_body_bytes */
    bool received_cut;           /* received_body is incomplete */
    bool is_signed;              /* the request was */
} crawl_response;

/* Returns the first header with that name, ignoring case; NULL data: none. */
CRAWL_API crawl_slice crawl_response_header(const crawl_response *response, const char *name);

/* Special access for a host. Everything is borrowed until on_done; NULL: as the fetcher does, or without. A header
 * without a value keeps the fetcher's own header of that name from being sent. */
typedef struct crawl_fetch_access {
    size_t size;         /* sizeof(crawl_fetch_access) */
    const char *headers; /* "Name: value" lines each ended by \n, sent unless the request has a header of that name */
    const char *proxy;   /* "http://[user:password@]host:port", https, socks5 (names are resolved here) or socks5h
                            (there). May be at a private address. The address of the host is then not known: a URL with
                            a private one, or with localhost, is still refused, but the proxy is responsible for what
                            names resolve to */
    const char *client_cert; /* PEM files; the key has no passphrase */
    const char *client_key;
    const char *ca_file;
} crawl_fetch_access;

/* A request. Everything that it points to is borrowed for the call that takes it. */
typedef struct crawl_fetch_request {
    size_t size; /* sizeof(crawl_fetch_request) */
    crawl_slice url;
    crawl_slice method;  /* empty: GET */
    crawl_slice headers; /* "Name: value" lines each ended by \n; empty: none */
    crawl_slice body;
    const crawl_fetch_access *access; /* NULL: none */
    uint64_t max_body_bytes;          /* 0: the fetcher's */
    bool allow_private;               /* for this request, as in the options */
    bool capture;           /* keeps the bytes on the wire for on_done, which doubles the memory of the answer */
    bool cut_body;          /* cuts the body at the limit and ends with OK, instead of too-large */
    crawl_fetch_rate *rate; /* of its host, in addition to that of all: borrowed until on_done; NULL: no limit */
    bool fresh_connection;  /* uses no old connection: if one ends without an answer, libcurl repeats the request */
    bool (*on_headers)(void *user, const crawl_response *response); /* header complete, body to come; false: skips the
                                                                       body, and the transfer ends OK without one. May
                                                                       be NULL. */
    void (*on_start)(void *user); /* connected, the request departs now. May be NULL. At most once. */
    void (*on_done)(void *user, const crawl_response *response); /* exactly once, from the loop, never from within
                                                                    crawl_fetch */
    void *user;
    bool close;                          /* does not keep the connection, as no further request will come soon */
    const struct crawl_signing *signing; /* signs the request whenever it departs, by <crawl/identity.h>; if that fails
                                            nothing is sent, and the transfer ends with CRAWL_FETCH_LOCAL. Requests over
                                            plain http are not signed, unless http is set there. Borrowed until on_done;
                                            NULL: no signature */
} crawl_fetch_request;

/* Starts a transfer; also from any callback. Slices are copied. The URL is serialized as by crawl_url_parse. The only
 * headers added are Host, those of the options that the request does not set itself, and Content-Length. CRAWL_EINVAL:
 * the URL is not http(s) or contains spaces or controls; a header contains forbidden bytes (CR, LF, NUL) or is
 * malformed; the method is not a token; HEAD with a body. on_done reports any other reason why it does not start. *id
 * (NULL: not wanted) identifies the transfer for crawl_fetch_cancel. */
CRAWL_API crawl_err crawl_fetch(crawl_fetcher *fetcher, const crawl_fetch_request *request, uint64_t *id);

/* Cancels a transfer; also from any callback. on_done is called from the loop, with CRAWL_FETCH_CANCELLED.
 * CRAWL_ABSENT: no such transfer, or its on_done has been called. */
CRAWL_API crawl_err crawl_fetch_cancel(crawl_fetcher *fetcher, uint64_t id);
CRAWL_API void crawl_fetch_cancel_all(crawl_fetcher *fetcher);

/* Keeps an answer, called from within its on_done, at most once: it stays valid until it is given back or its fetcher
 * is freed. Until then its body counts against max_bodies_bytes, while its connection serves other requests. Must be
 * given back once, from any callback or from the loop. */
CRAWL_API void crawl_fetch_keep(crawl_fetcher *fetcher, const crawl_response *response);
CRAWL_API void crawl_fetch_give_back(crawl_fetcher *fetcher, const crawl_response *response);

/* Returns the address that a transfer is connected to, as text, from on_start on; empty: no such transfer, not
 * connected, or by a proxy. Borrowed until the transfer ends. A transfer cancelled in its on_start does not send its
 * request. */
CRAWL_API crawl_slice crawl_fetch_address(const crawl_fetcher *fetcher, uint64_t id);

/* Returns the number of transfers in flight. */
CRAWL_API unsigned crawl_fetcher_running(const crawl_fetcher *fetcher);

/* The figures of a fetcher. */
typedef struct crawl_fetcher_stats {
    uint64_t waiting_for_names; /* transfers now */
    uint64_t names_asked;       /* queries to name servers, each for IPv4 and IPv6 */
    uint64_t names_cached;      /* transfers whose host was known, from a valid answer or from the hosts file */
    uint64_t names_failed;      /* queries without an address as result */
    uint64_t body_bytes;        /* memory of the bodies in flight */
    uint64_t bodies_waiting;    /* transfers not read until there is room for their bodies */
    uint64_t held;              /* transfers not read until a crawl_fetch_rate allows it */
    uint64_t reserved[8];       /* 0, for later versions */
} crawl_fetcher_stats;

/* Returns the figures. From any thread. Figures of names are 0 if the system resolves them. */
CRAWL_API void crawl_fetcher_stats_get(const crawl_fetcher *fetcher, crawl_fetcher_stats *out);

/* Appends a line "NAME VERSION" for each library that transfers use, in the loaded version, not that of the build:
 * libcurl, its TLS and nghttp2, libevent, zlib, brotli, zstd. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_fetch_libraries(crawl_buf *out);

#ifdef __cplusplus
}
#endif
#endif

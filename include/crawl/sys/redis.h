/* A connection to a Redis server (or another that speaks RESP 2), or to a Redis Cluster through any of its nodes, on
 * the caller's event loop.
 *
 * Requests are pipelined, each with a callback, in order; no call waits for the network. A lost connection is made
 * again, after a growing pause. Requests in flight at that moment are reported as UNKNOWN and never resent behind the
 * callers' backs: only they know whether that is safe. The others wait, and are sent when the server is back. All of it
 * is bounded.
 *
 * In a cluster, each request goes to the node that has the slot of its key: its second word, or the first key of a
 * script. A connection to each node is made when needed. A request that a node refuses because the key belongs to
 * another node or is being moved (MOVED, ASK, TRYAGAIN, CLUSTERDOWN) was not executed; it goes to the other node, or is
 * retried for a second, before its caller is told. A script may touch more keys of a slot than it names: it waits while
 * the slot moves. Requests to different nodes are executed in any order.
 *
 * Single-threaded: everything happens on the thread of the loop.
 *
 * libevent writes with write(2), which raises SIGPIPE if the server has closed the connection. The process must ignore
 * SIGPIPE, or the thread of the loop must block it; the connection is then made again as after any loss. */
#ifndef CRAWL_REDIS_H
#define CRAWL_REDIS_H

#include <crawl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct event_base;

/* --- where the server is --- */

#define CRAWL_REDIS_PORT 6379u
/* Maximum number of names passed to parse. */
#define CRAWL_REDIS_VALUES_MAX 8u

/* A parsed server address. */
typedef struct crawl_redis_url {
    bool tls;
    char *path; /* a local socket; NULL: host and port */
    char *host; /* "::1" without brackets */
    unsigned port;
    char *user; /* of an ACL; NULL: the default user */
    unsigned db;
    char *values[CRAWL_REDIS_VALUES_MAX]; /* of the names passed to parse, decoded; NULL: absent */
    uint64_t reserved[4];                 /* 0, for later versions */
} crawl_redis_url;

/* Returns true if text begins like such a URL: "redis://", "rediss://" or "unix:". */
CRAWL_API bool crawl_redis_is_url(const char *text);

/* Parses "redis://[USER@]HOST[:PORT][/DB][?NAME=VALUE&...]", "rediss://..." for TLS, or "unix:/PATH[?db=DB&...]". The
 * host is parsed like that of an http URL; user, path of a socket and values are percent-decoded. names: those that the
 * query may have besides db, at most CRAWL_REDIS_VALUES_MAX, followed by NULL. A password is refused, since every user
 * of the machine sees the arguments of a process. CRAWL_EPARSE: error says what is wrong. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_redis_url_parse(crawl_slice text, const char *const *names, crawl_redis_url *out,
                                          crawl_error *error);
CRAWL_API void crawl_redis_url_free(crawl_redis_url *url);

/* --- replies --- */

/* A reply beyond one of these ends the connection: the peer is broken, or is not Redis. */
#define CRAWL_REDIS_REPLY_BYTES (64u << 20) /* all its texts; far beyond any record or seed */
#define CRAWL_REDIS_REPLY_ITEMS (1u << 20)
#define CRAWL_REDIS_REPLY_DEPTH 7u /* nested arrays; the limit of hiredis 0.14 */
#define CRAWL_REDIS_REPLY_LINE (64u << 10)

/* Kinds of replies. */
typedef enum crawl_redis_type {
    CRAWL_REDIS_NIL,
    CRAWL_REDIS_TEXT, /* also a status */
    CRAWL_REDIS_NUMBER,
    CRAWL_REDIS_ARRAY,
    CRAWL_REDIS_ERROR /* inside an array; as a whole reply it is a fault */
} crawl_redis_type;

/* A reply, borrowed for the callback that gets it. */
typedef struct crawl_redis_reply {
    crawl_redis_type type;
    int64_t number;
    crawl_slice text; /* NUL-terminated */
    size_t count;
    struct crawl_redis_reply *items;
} crawl_redis_reply;

/* Why there is no reply, or the server's reason for refusing. */
typedef enum crawl_redis_fault {
    CRAWL_REDIS_OK,
    CRAWL_REDIS_UNKNOWN,    /* sent, and the connection was lost before the reply: it may have been executed */
    CRAWL_REDIS_UNSENT,     /* never sent, and will not be */
    CRAWL_REDIS_AWAY,       /* of a connection: it cannot be made, was lost, or does not respond */
    CRAWL_REDIS_PROTOCOL,   /* of a connection: the input is not RESP, or beyond a maximum */
    CRAWL_REDIS_LOADING,    /* loads its data from disk */
    CRAWL_REDIS_BUSY,       /* runs a slow script */
    CRAWL_REDIS_TRYAGAIN,   /* keys are being moved to another node */
    CRAWL_REDIS_MASTERDOWN, /* a replica that has lost its master */
    CRAWL_REDIS_READONLY,   /* a replica: accepts no writes */
    CRAWL_REDIS_MISCONF,    /* cannot save to its disk, and accepts no writes until it can */
    CRAWL_REDIS_NOREPLICAS, /* too few replicas to accept writes */
    CRAWL_REDIS_OOM,        /* maxmemory is reached */
    CRAWL_REDIS_NOAUTH,     /* requires a password */
    CRAWL_REDIS_WRONGPASS,  /* wrong user or password */
    CRAWL_REDIS_NOPERM,     /* the user may not do this */
    CRAWL_REDIS_WRONGTYPE,  /* the key holds another kind of value */
    CRAWL_REDIS_CLUSTER,    /* of a Redis Cluster: it is down, or no node has the slot of the key */
    CRAWL_REDIS_NOSCRIPT,   /* seen only by crawl_redis_eval */
    CRAWL_REDIS_REFUSED,    /* any other error */
    CRAWL_REDIS_FAULT_COUNT
} crawl_redis_fault;

/* Returns words for a person, without a full stop; "" for OK. */
CRAWL_API const char *crawl_redis_fault_words(crawl_redis_fault fault);

/* Returns true if the fault passes by itself, so that a retry a second later makes sense: LOADING to NOREPLICAS, AWAY
 * and CLUSTER. */
CRAWL_API bool crawl_redis_fault_passes(crawl_redis_fault fault);

/* Checks a server's reply to INFO memory. CRAWL_EINVAL: it evicts keys without a time to live when its memory is full,
 * as only the policies allkeys-... do; error says so. */
CRAWL_API crawl_err crawl_redis_check_policy(crawl_slice info, crawl_error *error);

/* The answer to a request. */
typedef struct crawl_redis_answer {
    crawl_redis_fault fault;
    const char *words;              /* of a fault: the server's own, or why the connection was lost; otherwise "" */
    const crawl_redis_reply *reply; /* if there is no fault; borrowed for the call */
} crawl_redis_answer;

/* Called once for each request, after the call that sent it (before that returns only if memory runs out). May send
 * other requests, and must not free the connection. */
typedef void (*crawl_redis_done)(void *user, const crawl_redis_answer *answer);

/* --- the connection --- */

typedef struct crawl_redis crawl_redis;

/* Maxima of requests waiting and in flight together: about ten milliseconds of a server's work, and little memory. */
#define CRAWL_REDIS_REQUESTS_MAX 4096u
#define CRAWL_REDIS_BYTES_MAX (8u << 20)

/* Options of a connection. */
typedef struct crawl_redis_options {
    size_t size;             /* sizeof(crawl_redis_options) */
    struct event_base *base; /* borrowed, as are all of these, while the connection exists */
    const crawl_redis_url *url;
    const char *password;       /* NULL: none */
    const char *name;           /* shown by CLIENT LIST; NULL: none */
    const char *ca_file;        /* TLS: certificates to trust, PEM; NULL: the system's */
    int64_t connect_timeout_ms; /* until the server has answered the greeting; 0: 5 s */
    int64_t timeout_ms;         /* maximum silence while a reply is due, after which the connection is lost; 0: 10 s */
    /* Reports that the connection is made and greeted (fault OK), or is not and will be retried (AWAY, PROTOCOL, or the
     * server's refusal of user, password or DB). For a cluster OK means all nodes that have slots; CLUSTER: some slots
     * have no node. Each may be NULL. */
    void (*on_state)(void *user, crawl_redis_fault fault, const char *words);
    void (*on_room)(void *user); /* after CRAWL_FULL: half of the maximum is free again */
    void *user;
} crawl_redis_options;

/* Starts to connect. CRAWL_EIO: TLS cannot be set up; error says why. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_redis_open(const crawl_redis_options *options, crawl_redis **out, crawl_error *error);
/* Frees the connection. Before this returns, requests in flight end as UNKNOWN, waiting ones as UNSENT. NULL does
 * nothing. */
CRAWL_API void crawl_redis_free(crawl_redis *redis);

/* Sends a command with its arguments, which are copied. CRAWL_FULL: the maximum is in flight, and nothing was sent;
 * on_room reports when there is room. CRAWL_ENOMEM: nothing was sent. */
CRAWL_API crawl_err crawl_redis_send(crawl_redis *redis, const crawl_slice *arguments, size_t count,
                                     crawl_redis_done done, void *user);
/* As crawl_redis_send, with C strings as arguments; NULL follows the last. */
CRAWL_API crawl_err crawl_redis_send_texts(crawl_redis *redis, crawl_redis_done done, void *user, ...);

/* Returns the number of requests waiting and in flight. */
CRAWL_API size_t crawl_redis_pending(const crawl_redis *redis);

/* Returns the server's time in microseconds since 1970 at now_us of CLOCK_MONOTONIC. The server was asked once, when
 * the connection was greeted; the time then advances with the monotonic clock. *bound_us is the maximum error, half the
 * duration of that request. CRAWL_ABSENT: the server was not asked yet. */
CRAWL_API crawl_err crawl_redis_time(const crawl_redis *redis, int64_t now_us, int64_t *time_us, int64_t *bound_us);

/* --- scripts --- */

/* A Lua script with a name and a version, which its first line contains. Immutable. */
typedef struct crawl_redis_script crawl_redis_script;

/* Creates a script. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_redis_script_create(const char *name, unsigned version, const char *text,
                                              crawl_redis_script **out);
CRAWL_API void crawl_redis_script_free(crawl_redis_script *script);

/* Runs a script with `keys` keys, the first of its arguments. Sends it by its SHA-1, and in full if the server does not
 * have it: then after everything sent meanwhile. As crawl_redis_send; script must outlive the reply. */
CRAWL_API crawl_err crawl_redis_eval(crawl_redis *redis, const crawl_redis_script *script, size_t keys,
                                     const crawl_slice *arguments, size_t count, crawl_redis_done done, void *user);

#ifdef __cplusplus
}
#endif
#endif

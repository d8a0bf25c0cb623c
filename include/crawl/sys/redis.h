/* A connection to a Redis server (or another that speaks RESP 2), on the caller's event loop; or to a Redis Cluster,
 * by any node of it.
 *
 * Requests are pipelined, each with a callback, in order; no call waits for the network. A connection that is lost is
 * made again, after a pause that grows. Requests under way then are reported as UNKNOWN to their callers and never
 * sent twice behind their backs: they alone know whether they may be. The others stay, and are sent when the server is
 * back. All of it is bounded.
 *
 * Of a cluster, each request goes to the node that has the slot of its key: its second word, of a script the first of
 * its keys. A connection to each node is made when it is needed. A request that a node refuses because the key is
 * another's, or is being moved (MOVED, ASK, TRYAGAIN, CLUSTERDOWN), was not carried out; it goes to the other, or again
 * for a second, before its caller is told. A script may touch more keys of a slot than it names: while the slot moves
 * it waits. Requests for different nodes are carried out in any order.
 *
 * Single-thread: everything happens on the thread of the loop.
 *
 * libevent writes with write(2): where the server has closed the connection meanwhile, that raises SIGPIPE. The process
 * has to ignore it, or the thread of the loop to block it; then the connection is made again as after any loss. */
#ifndef CRAWL_REDIS_H
#define CRAWL_REDIS_H

#include <crawl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct event_base;

/* --- where the server is --- */

#define CRAWL_REDIS_PORT 6379u
/* The most names that parse can be given. */
#define CRAWL_REDIS_VALUES_MAX 8u

/* The address of a server, read. */
typedef struct crawl_redis_url {
    bool tls;
    char *path; /* of a socket of this machine; NULL: host and port */
    char *host; /* "::1" without its brackets */
    unsigned port;
    char *user; /* of an ACL; NULL: the default user */
    unsigned db;
    char *values[CRAWL_REDIS_VALUES_MAX]; /* of the names that parse was given, decoded; NULL: not there */
    uint64_t reserved[4];                 /* 0, for later versions */
} crawl_redis_url;

/* Does text begin as such a URL does: "redis://", "rediss://" or "unix:"? */
CRAWL_API bool crawl_redis_is_url(const char *text);

/* Reads "redis://[USER@]HOST[:PORT][/DB][?NAME=VALUE&...]", "rediss://..." for TLS, or "unix:/PATH[?db=DB&...]". The
 * host is read as that of an http URL; user, path of a socket and values are percent-decoded. names: those that the
 * query may have besides db, at most CRAWL_REDIS_VALUES_MAX, NULL behind the last. A password is refused, for every
 * user of the machine sees the arguments of a process. CRAWL_EPARSE: error says what is wrong. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_redis_url_parse(crawl_slice text, const char *const *names, crawl_redis_url *out,
                                          crawl_error *error);
CRAWL_API void crawl_redis_url_free(crawl_redis_url *url);

/* --- replies --- */

/* A reply beyond one of these ends the connection: whatever speaks there is broken, or no Redis. */
#define CRAWL_REDIS_REPLY_BYTES (64u << 20) /* of all its texts; far beyond any record or seed */
#define CRAWL_REDIS_REPLY_ITEMS (1u << 20)
#define CRAWL_REDIS_REPLY_DEPTH 7u /* arrays in arrays; hiredis 0.14 has no more */
#define CRAWL_REDIS_REPLY_LINE (64u << 10)

/* Sorts of replies. */
typedef enum crawl_redis_type {
    CRAWL_REDIS_NIL,
    CRAWL_REDIS_TEXT, /* a status is one too */
    CRAWL_REDIS_NUMBER,
    CRAWL_REDIS_ARRAY,
    CRAWL_REDIS_ERROR /* within an array; a reply that is one is a fault */
} crawl_redis_type;

/* A reply, borrowed for the call that tells of it. */
typedef struct crawl_redis_reply {
    crawl_redis_type type;
    int64_t number;
    crawl_slice text; /* ends with a NUL besides */
    size_t count;
    struct crawl_redis_reply *items;
} crawl_redis_reply;

/* Why there is no reply, or what the server says in place of one. */
typedef enum crawl_redis_fault {
    CRAWL_REDIS_OK,
    CRAWL_REDIS_UNKNOWN,    /* sent, and the connection was lost before the reply: it may have been carried out */
    CRAWL_REDIS_UNSENT,     /* never sent, and will not be */
    CRAWL_REDIS_AWAY,       /* of a connection: it cannot be made, was lost, or does not answer */
    CRAWL_REDIS_PROTOCOL,   /* of a connection: what came is no RESP, or beyond a maximum */
    CRAWL_REDIS_LOADING,    /* reads its data from the disk */
    CRAWL_REDIS_BUSY,       /* runs a long script */
    CRAWL_REDIS_TRYAGAIN,   /* keys are being moved to another node */
    CRAWL_REDIS_MASTERDOWN, /* a replica that has lost its master */
    CRAWL_REDIS_READONLY,   /* a replica: takes no writes */
    CRAWL_REDIS_MISCONF,    /* cannot save to its disk, and takes no writes until it can */
    CRAWL_REDIS_NOREPLICAS, /* too few replicas to take writes */
    CRAWL_REDIS_OOM,        /* maxmemory is reached */
    CRAWL_REDIS_NOAUTH,     /* wants a password */
    CRAWL_REDIS_WRONGPASS,  /* user or password are wrong */
    CRAWL_REDIS_NOPERM,     /* the user may not do this */
    CRAWL_REDIS_WRONGTYPE,  /* the key holds another kind of value */
    CRAWL_REDIS_CLUSTER,    /* of a Redis Cluster: it is down, or no node of it has the slot of the key */
    CRAWL_REDIS_NOSCRIPT,   /* seen by nobody but crawl_redis_eval */
    CRAWL_REDIS_REFUSED,    /* any other error */
    CRAWL_REDIS_FAULT_COUNT
} crawl_redis_fault;

/* A clear word for a person, without a full stop; "" of OK. */
CRAWL_API const char *crawl_redis_fault_words(crawl_redis_fault fault);

/* Is it over by itself, so that what was refused is well tried again a second later? True of LOADING to NOREPLICAS,
 * of AWAY and of CLUSTER. */
CRAWL_API bool crawl_redis_fault_passes(crawl_redis_fault fault);

/* CRAWL_EINVAL where a server, as its answer to INFO memory says, drops keys when its memory is full; error says so.
 * Keys without a time to live are meant: the policies allkeys-... alone drop these. */
CRAWL_API crawl_err crawl_redis_check_policy(crawl_slice info, crawl_error *error);

/* The answer to a request. */
typedef struct crawl_redis_answer {
    crawl_redis_fault fault;
    const char *words;              /* of a fault: the server's own, or why the connection was lost; "" */
    const crawl_redis_reply *reply; /* without a fault; borrowed for the call */
} crawl_redis_answer;

/* Comes once for each request, after the call that sent it (before it returns only where memory runs out); may send
 * others, and must not free the connection. */
typedef void (*crawl_redis_done)(void *user, const crawl_redis_answer *answer);

/* --- the connection --- */

typedef struct crawl_redis crawl_redis;

/* Maxima of requests waiting and under way together: some ten milliseconds of a server's work, and memory that nobody
 * notices.
 */
#define CRAWL_REDIS_REQUESTS_MAX 4096u
#define CRAWL_REDIS_BYTES_MAX (8u << 20)

/* Options of a connection. */
typedef struct crawl_redis_options {
    size_t size;             /* sizeof(crawl_redis_options) */
    struct event_base *base; /* borrowed, as all of these are, as long as the connection is there */
    const crawl_redis_url *url;
    const char *password;       /* NULL: none */
    const char *name;           /* what CLIENT LIST shows; NULL: nothing */
    const char *ca_file;        /* TLS: certificates to trust, PEM; NULL: the system's */
    int64_t connect_timeout_ms; /* until the server has answered the greeting; 0: 5 s */
    int64_t timeout_ms;         /* without any answer while one is owed, then the connection is lost; 0: 10 s */
    /* The connection stands and is greeted (fault OK), or is not and is tried again (AWAY, PROTOCOL, or what the server
     * says to user, password and DB). Of a cluster OK means all nodes that have slots; CLUSTER: there are slots that
     * none has. Each may be NULL. */
    void (*on_state)(void *user, crawl_redis_fault fault, const char *words);
    void (*on_room)(void *user); /* after CRAWL_FULL: half of what may be under way is free again */
    void *user;
} crawl_redis_options;

/* Begins to connect. CRAWL_EIO: TLS cannot be set up; error says why. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_redis_open(const crawl_redis_options *options, crawl_redis **out, crawl_error *error);
/* Requests under way end as UNKNOWN, those that wait as UNSENT, before this returns. NULL does nothing. */
CRAWL_API void crawl_redis_free(crawl_redis *redis);

/* Sends a command with its arguments, which are copied. CRAWL_FULL: as much is under way as may be: on_room says when
 * there is room; nothing else happens. CRAWL_ENOMEM: likewise. */
CRAWL_API crawl_err crawl_redis_send(crawl_redis *redis, const crawl_slice *arguments, size_t count,
                                     crawl_redis_done done, void *user);
/* The same of texts; the last one is followed by NULL. */
CRAWL_API crawl_err crawl_redis_send_texts(crawl_redis *redis, crawl_redis_done done, void *user, ...);

/* Waiting and under way. */
CRAWL_API size_t crawl_redis_pending(const crawl_redis *redis);

/* The server's time in microseconds since 1970 at now_us of CLOCK_MONOTONIC. It was asked once, when the connection was
 * greeted, and goes on by the monotonic clock: *bound_us is how far it may be off, half of what the question took.
 * CRAWL_ABSENT: the server was not asked yet. */
CRAWL_API crawl_err crawl_redis_time(const crawl_redis *redis, int64_t now_us, int64_t *time_us, int64_t *bound_us);

/* --- scripts --- */

/* Lua under a name and a version, which stand in its first line. Immutable. */
typedef struct crawl_redis_script crawl_redis_script;

/* CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_redis_script_create(const char *name, unsigned version, const char *text,
                                              crawl_redis_script **out);
CRAWL_API void crawl_redis_script_free(crawl_redis_script *script);

/* Runs it with `keys` keys, the first of its arguments. It is sent by its SHA-1, and as a whole where the server does
 * not have it: then behind what was sent meanwhile. As crawl_redis_send; script must not go before the answer. */
CRAWL_API crawl_err crawl_redis_eval(crawl_redis *redis, const crawl_redis_script *script, size_t keys,
                                     const crawl_slice *arguments, size_t count, crawl_redis_done done, void *user);

#ifdef __cplusplus
}
#endif
#endif

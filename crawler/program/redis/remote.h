/* A Redis server that the program works with: a thread with an event loop, on which its connection lives, so that no
 * loop of the engine ever waits for it. The server is asked whether it is the right one before the thread begins. */
#pragma once

#include <crawl/config.h>
#include <crawl/sys/redis.h>

struct event_base;
typedef struct cw_remote cw_remote;

/* Callbacks of the remote, always on its thread once that runs. */
typedef struct cw_remote_calls {
    void (*on_wake)(void *user); /* after cw_remote_wake, and when the connection stands, or there is room again */
    void *user;
    void (*notice)(void *of, const char *words); /* for a person: it is away, it is back; on this thread too */
    void *of;
} cw_remote_calls;

/* text: the URL, as crawl_redis_url_parse takes it with these names. Connects, and waits until the server has answered,
 * three seconds at most. CRAWL_EINVAL: the URL, the password, or the server's
 * configuration; CRAWL_ENET: it is not there; error says which. CRAWL_ENOMEM. */
crawl_err cw_remote_open(const char *text, const char *const *names, const crawl_config *config, cw_remote **out,
                         crawl_error *error);

/* To be called before cw_remote_start: checks that the key is of this type, "list" or "stream", or not there, and that
 * the server keeps what it is given. Errors as those of cw_remote_open. */
crawl_err cw_remote_check_key(cw_remote *remote, const char *key, const char *type, crawl_error *error);

/* Begins the thread. CRAWL_EIO: the system gives none. */
crawl_err cw_remote_start(cw_remote *remote, const cw_remote_calls *calls, crawl_error *error);

/* Has on_wake called. May be called from any thread. */
void cw_remote_wake(cw_remote *remote);

/* Ends the thread; from then on the caller's thread runs the loop. */
void cw_remote_stop(cw_remote *remote);
/* While there is no thread: runs the loop until it is broken, or for so long. */
void cw_remote_run(cw_remote *remote, int ms);

/* Ends the thread, and frees the memory; requests under way are answered before this returns. NULL is allowed. */
void cw_remote_close(cw_remote *remote);

/* "redis://HOST:PORT/DB", for messages. */
const char *cw_remote_name(const cw_remote *remote);
const crawl_redis_url *cw_remote_url(const cw_remote *remote);
/* Only the thread of the remote may use them. */
crawl_redis *cw_remote_redis(cw_remote *remote);
struct event_base *cw_remote_base(cw_remote *remote);

/* A Redis server that the program works with. A thread with an event loop has its connection, so that no loop of the
 * engine waits for it. The server is checked before the thread starts. */
#pragma once

#include <crawl/config.h>
#include <crawl/sys/redis.h>

struct event_base;
typedef struct cw_remote cw_remote;

/* Callbacks of the remote; on its thread once that runs. */
typedef struct cw_remote_calls {
    void (*on_wake)(void *user); /* after cw_remote_wake, when the connection is established, or when there is room
                                  * again */
    void (*on_refused)(void *user, const crawl_redis_answer *said); /* the server no longer accepts user or password */
    void *user;
    void (*notice)(void *of, const char *words); /* for a person: the server is away or back; on this thread too */
    void *of;
} cw_remote_calls;

/* Connects, and waits at most three seconds for an answer of the server. text: a URL that crawl_redis_url_parse takes
 * with these names. CRAWL_EINVAL: the URL, the password, or the server's configuration; CRAWL_ENET: the server is not
 * there; error says which. CRAWL_ENOMEM. */
crawl_err cw_remote_open(const char *text, const char *const *names, const crawl_config *config, cw_remote **out,
                         crawl_error *error);

/* Checks that the key is absent or of this type, "list" or "stream", and that the server does not evict data. Call
 * before cw_remote_start. Errors as those of cw_remote_open. */
crawl_err cw_remote_check_key(cw_remote *remote, const char *key, const char *type, crawl_error *error);

/* Starts the thread. CRAWL_EIO: the system gives none. */
crawl_err cw_remote_start(cw_remote *remote, const cw_remote_calls *calls, crawl_error *error);

/* Causes a call of on_wake. Any thread may call it. */
void cw_remote_wake(cw_remote *remote);

/* Ends the thread. From then on the caller's thread runs the loop. */
void cw_remote_stop(cw_remote *remote);
/* Runs the loop until it is broken, or for this long. Only while there is no thread. */
void cw_remote_run(cw_remote *remote, int ms);

/* Ends the thread, and frees. Requests under way get their answers before this returns. NULL is allowed. */
void cw_remote_close(cw_remote *remote);

/* Returns "redis://HOST:PORT/DB", for messages. */
const char *cw_remote_name(const cw_remote *remote);
const crawl_redis_url *cw_remote_url(const cw_remote *remote);
/* For the remote's thread only. */
crawl_redis *cw_remote_redis(cw_remote *remote);
struct event_base *cw_remote_base(cw_remote *remote);

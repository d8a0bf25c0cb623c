/* Runs libcurl's multi interface on a libevent loop: the sockets that libcurl waits for, and its one timer, become
 * events. Also owns the pool of idle connections, which are kept for reuse. */
#pragma once

#include <crawl/base.h>
#include <curl/curl.h>
#include <sys/queue.h>

/* Decides which idle connections are still worth keeping once the maximum is reached. Hosts take turns, so nearly all
 * reused connections are reused after about the same time, that of one round. A connection idle for twice as long as
 * others were belongs to a host from which nothing more is wanted, and makes room for a new one. While there is none
 * such, new ones are closed: with more hosts in turn than connections, closing the oldest would close each right before
 * its turn. Only a few per second give way, since libcurl scans all its connections for each one that has ended. Pure:
 * times are microseconds of a clock that does not go back. */

typedef struct cw_fetch_reuse {
    int64_t round_us; /* the longest time after which one was reused, slowly decreasing */
    int64_t next_us;  /* none gives way before this */
} cw_fetch_reuse;

void cw_fetch_reuse_init(cw_fetch_reuse *reuse);
/* Records the reuse of a connection that was idle for this long. */
void cw_fetch_reuse_note(cw_fetch_reuse *reuse, int64_t idle_us);
/* Returns true if a connection idle since then gives way, and counts it as having done so. */
bool cw_fetch_reuse_gives_way(cw_fetch_reuse *reuse, int64_t since_us, int64_t now_us);

struct event;
struct event_base;
struct cw_socket;

typedef struct cw_fetch_loop {
    struct event_base *base;
    CURLM *multi;
    struct event *timer;                        /* the timeout of libcurl */
    struct event *wake;                         /* calls progress soon, independent of libcurl */
    struct cw_socket **sockets;                 /* by descriptor; NULL: not a socket of libcurl */
    size_t socket_limit;                        /* length of the array */
    TAILQ_HEAD(cw_socket_list, cw_socket) idle; /* open connections without a transfer, the longest idle first */
    unsigned idle_count;
    unsigned max_idle;
    cw_fetch_reuse reuse;
    void (*progress)(void *user); /* called outside of libcurl when something may have happened */
    void *user;
} cw_fetch_loop;

/* Initialises a loop. max_idle: maximum number of idle connections. CRAWL_ENOMEM: the loop must still be freed. */
crawl_err cw_fetch_loop_init(cw_fetch_loop *loop, struct event_base *base, unsigned max_idle,
                             void (*progress)(void *user), void *user);

/* Closes all connections. No transfer may be left in multi. {0} may be freed too. */
void cw_fetch_loop_free(cw_fetch_loop *loop);

/* Sets CURLOPT_CLOSESOCKETFUNCTION, so that the loop closes the sockets of easy's connections. */
CURLcode cw_fetch_loop_own_sockets(cw_fetch_loop *loop, CURL *easy);

/* Opens a socket for CURLOPT_OPENSOCKETFUNCTION. -1: it failed, and *error is the errno. */
curl_socket_t cw_fetch_loop_open(cw_fetch_loop *loop, const struct curl_sockaddr *address, int *error);

/* Halves the number of idle connections from now on, for want of descriptors. cw_fetch_loop_open does it too. */
void cw_fetch_loop_squeeze(cw_fetch_loop *loop);

/* Returns true if this errno of cw_fetch_loop_open is temporary: there may be a socket when others are closed. */
bool cw_fetch_loop_is_for_now(int error);

/* Makes the loop call progress once, soon. */
void cw_fetch_loop_wake(cw_fetch_loop *loop);

/* Returns true if the pool of idle connections has room for one whose transfer ends: it is not full, or one in it gives
 * way. Otherwise the connection should be closed. */
bool cw_fetch_loop_takes(cw_fetch_loop *loop);

/* Closes the connections above max_idle that were idle longest. Must not be called from libcurl's callbacks. */
void cw_fetch_loop_trim(cw_fetch_loop *loop);

/* Runs libcurl's multi interface on a libevent loop: the sockets that libcurl waits for, and its one timer, become
 * events. It also owns the pool of idle connections, which are kept to be used again. */
#pragma once

#include <crawl/base.h>
#include <curl/curl.h>
#include <sys/queue.h>

/* Which idle connections are still worth keeping once there are as many as may be kept. Hosts take turns, so nearly all
 * connections that are used again are so after about the same time, the time of one round. One that has been idle for
 * twice as long as others were belongs to a host from which nothing more is wanted, and makes room for a new one. As
 * long as there is none, new ones are closed: with more hosts in turn than connections, closing the oldest would close
 * each just before its turn comes. Few give way in a second, since libcurl looks through all its connections for each
 * one that has ended. Pure: times are microseconds of a clock that does not go back. */

typedef struct cw_fetch_reuse {
    int64_t round_us; /* the longest time after which one was used again, slowly forgotten */
    int64_t next_us;  /* none gives way before */
} cw_fetch_reuse;

void cw_fetch_reuse_init(cw_fetch_reuse *reuse);
/* A connection that was idle for so long was used again. */
void cw_fetch_reuse_note(cw_fetch_reuse *reuse, int64_t idle_us);
/* Does one that has been idle since then give way? It counts as having done so. */
bool cw_fetch_reuse_gives_way(cw_fetch_reuse *reuse, int64_t since_us, int64_t now_us);

struct event;
struct event_base;
struct cw_socket;

typedef struct cw_fetch_loop {
    struct event_base *base;
    CURLM *multi;
    struct event *timer;                        /* what libcurl waits for */
    struct event *wake;                         /* calls progress soon, whatever libcurl does */
    struct cw_socket **sockets;                 /* by descriptor; NULL: not a socket of libcurl */
    size_t socket_limit;                        /* length of the array */
    TAILQ_HEAD(cw_socket_list, cw_socket) idle; /* open connections without a transfer, the longest idle first */
    unsigned idle_count;
    unsigned max_idle;
    cw_fetch_reuse reuse;
    void (*progress)(void *user); /* something may have happened; called outside of libcurl */
    void *user;
} cw_fetch_loop;

/* max_idle: the most idle connections that are kept. CRAWL_ENOMEM: the loop must be freed all the same. */
crawl_err cw_fetch_loop_init(cw_fetch_loop *loop, struct event_base *base, unsigned max_idle,
                             void (*progress)(void *user), void *user);

/* Closes all connections. No transfer may be left in multi. {0} may be freed too. */
void cw_fetch_loop_free(cw_fetch_loop *loop);

/* Sets CURLOPT_CLOSESOCKETFUNCTION, so that the loop closes the sockets of easy's connections. */
CURLcode cw_fetch_loop_own_sockets(cw_fetch_loop *loop, CURL *easy);

/* Opens a socket for CURLOPT_OPENSOCKETFUNCTION. -1: it failed, and *error is the errno. */
curl_socket_t cw_fetch_loop_open(cw_fetch_loop *loop, const struct curl_sockaddr *address, int *error);

/* Makes the loop call progress once, soon. */
void cw_fetch_loop_wake(cw_fetch_loop *loop);

/* Does the pool of idle connections take one whose transfer ends? It does as long as it is not full, or one in it gives
 * way. Otherwise the connection should be closed. */
bool cw_fetch_loop_takes(cw_fetch_loop *loop);

/* Gives up the connections above max_idle that are idle longest. To be called outside of libcurl. */
void cw_fetch_loop_trim(cw_fetch_loop *loop);

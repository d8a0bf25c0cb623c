/* libcurl's multi interface on a libevent loop: sockets and the one timer it asks for become events; and the pool of
 * connections kept for use again. */
#ifndef CW_FETCH_LOOP_H
#define CW_FETCH_LOOP_H

#include <crawl/base.h>

#include <curl/curl.h>
#include <sys/queue.h>

struct event;
struct event_base;
struct cw_socket;

typedef struct cw_fetch_loop {
    struct event_base *base;
    CURLM *multi;
    struct event *timer;                        /* what libcurl waits for */
    struct event *wake;                         /* progress is to be called soon, whatever libcurl does */
    struct cw_socket **sockets;                 /* by descriptor; NULL: not libcurl's */
    size_t socket_limit;                        /* of the array */
    TAILQ_HEAD(cw_socket_list, cw_socket) idle; /* open connections without a transfer, longest idle first */
    unsigned idle_count;
    unsigned max_idle;
    void (*progress)(void *user); /* something may have happened; called outside of libcurl */
    void *user;
} cw_fetch_loop;

/* max_idle: connections kept. CRAWL_ENOMEM: loop is to be freed all the same. */
crawl_err cw_fetch_loop_init(cw_fetch_loop *loop, struct event_base *base, unsigned max_idle,
                             void (*progress)(void *user), void *user);

/* No transfer may be left in multi. Closes all connections. {0} is fine. */
void cw_fetch_loop_free(cw_fetch_loop *loop);

/* Makes the sockets of easy's connections the loop's: CURLOPT_CLOSESOCKETFUNCTION. */
CURLcode cw_fetch_loop_own_sockets(cw_fetch_loop *loop, CURL *easy);

/* A socket for CURLOPT_OPENSOCKETFUNCTION. -1: none, *error is the errno. */
curl_socket_t cw_fetch_loop_open(cw_fetch_loop *loop, const struct curl_sockaddr *address, int *error);

/* progress is called once from the loop, soon. */
void cw_fetch_loop_wake(cw_fetch_loop *loop);

/* As many connections are idle as are to be kept: one more had better be closed. */
bool cw_fetch_loop_is_full(const cw_fetch_loop *loop);

/* Gives up the connections that are idle longest, above max_idle. Outside of libcurl. */
void cw_fetch_loop_trim(cw_fetch_loop *loop);

#endif

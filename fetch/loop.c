/* See loop.h. libcurl reports the sockets that it waits for and when it wants to be called; libevent does the waiting.
 * After each call into libcurl the owner's progress function runs, outside of libcurl, so that it may start, remove and
 * finish transfers.
 *
 * Each socket has a record from its opening to its closing, and is watched even while it is idle: reusing a connection
 * needs no new event and no system call.
 *
 * The pool of idle connections is ours. When libcurl 7.88 closes a connection because there are too many
 * (CURLMOPT_MAXCONNECTS), it keeps the record of its host forever and walks all records with every transfer; after
 * 40000 hosts a fetch takes 2 ms. So libcurl gets no limit. When the pool is full, a connection is closed with its
 * transfer (CURLOPT_FORBID_REUSE), unless one in the pool should give way (loop.h). If it is too late for that, or one
 * gives way, the connection that was idle longest is shut down; libcurl, which looks for dead connections once per
 * second, then closes it. */
#include "fetch/loop.h"

#include "base/array.h"
#include "base/clock.h"

#include <errno.h>
#include <event2/event.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct cw_socket {
    TAILQ_ENTRY(cw_socket) link; /* only while idle */
    int64_t idle_us;             /* when it became idle */
    struct event *event;
    int fd;
    short watched; /* EV_READ, EV_WRITE */
    bool opened;   /* by cw_fetch_loop_open, so we learn when it is closed. Others are libcurl's own, which end when it
                      stops watching */
    bool answered; /* a transfer got an answer over it */
    bool idle;
} cw_socket;

/* ---- events ---- */

static cw_socket *socket_find(const cw_fetch_loop *loop, int fd)
{
    return (size_t)fd < loop->socket_limit ? loop->sockets[fd] : NULL;
}

/* An idle connection was closed by its server, or received unsolicited bytes; libcurl handles that when it is about to
 * reuse it. */
static void stop_watching(cw_socket *sock)
{
    event_del(sock->event);
    sock->watched = 0;
}

static void on_socket_ready(evutil_socket_t fd, short what, void *user)
{
    cw_fetch_loop *loop = user;
    cw_socket *sock = socket_find(loop, fd);
    int mask = (what & EV_READ ? CURL_CSELECT_IN : 0) | (what & EV_WRITE ? CURL_CSELECT_OUT : 0);
    int running;
    if (sock->idle) {
        stop_watching(sock);
        return;
    }
    curl_multi_socket_action(loop->multi, fd, mask, &running);
    loop->progress(loop->user);
}

static void loop_on_timer(evutil_socket_t, short, void *user)
{
    cw_fetch_loop *loop = user;
    int running;
    curl_multi_socket_action(loop->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    loop->progress(loop->user);
}

static void loop_on_wake(evutil_socket_t, short, void *user)
{
    cw_fetch_loop *loop = user;
    loop->progress(loop->user);
}

/* ---- records of sockets ---- */

static void set_idle(cw_fetch_loop *loop, cw_socket *sock, bool idle)
{
    if (sock->idle == idle)
        return;
    sock->idle = idle;
    if (idle) {
        TAILQ_INSERT_TAIL(&loop->idle, sock, link);
        sock->idle_us = cw_now_us();
    } else {
        TAILQ_REMOVE(&loop->idle, sock, link);
    }
    loop->idle_count += idle ? 1u : -1u;
}

static void socket_forget(cw_fetch_loop *loop, int fd)
{
    cw_socket *sock = socket_find(loop, fd);
    if (!sock)
        return;
    set_idle(loop, sock, false);
    if (sock->event)
        event_free(sock->event);
    free(sock);
    loop->sockets[fd] = NULL;
}

/* Makes room for fd in the array, whose size is bounded by the limit of open descriptors. */
static bool socket_room(cw_fetch_loop *loop, int fd)
{
    size_t limit = loop->socket_limit ? loop->socket_limit : 64;
    while (limit <= (size_t)fd)
        limit *= 2;
    if (limit == loop->socket_limit)
        return true;
    if (CW_ARRAY_RESIZE(loop->sockets, limit))
        return false;
    memset(loop->sockets + loop->socket_limit, 0, (limit - loop->socket_limit) * sizeof(cw_socket *));
    loop->socket_limit = limit;
    return true;
}

static cw_socket *socket_new(cw_fetch_loop *loop, int fd, bool opened)
{
    socket_forget(loop, fd);
    cw_socket *sock = socket_room(loop, fd) ? calloc(1, sizeof *sock) : NULL;
    if (!sock)
        return NULL;
    sock->fd = fd;
    sock->opened = opened;
    loop->sockets[fd] = sock;
    sock->event = event_new(loop->base, fd, EV_READ | EV_PERSIST, on_socket_ready, loop);
    if (sock->event)
        return sock;
    socket_forget(loop, fd);
    return NULL;
}

static int socket_watch(cw_fetch_loop *loop, cw_socket *sock, short wanted)
{
    if (sock->watched == wanted)
        return 0;
    if (sock->watched)
        event_del(sock->event);
    sock->watched = wanted;
    if (!wanted)
        return 0;
    event_assign(sock->event, loop->base, sock->fd, (short)(wanted | EV_PERSIST), on_socket_ready, loop);
    return event_add(sock->event, NULL);
}

/* ---- callbacks of libcurl ---- */

static bool has_answer(CURL *easy)
{
    long status = 0;
    return curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK && status > 0;
}

/* A connection that becomes idle is still watched for reading, since most are reused soon. One abandoned before it was
 * established does not become idle: libcurl has closed it without CURLOPT_CLOSESOCKETFUNCTION, and its number may
 * already be that of another thread's socket. */
static int socket_unwanted(cw_fetch_loop *loop, int fd, CURL *easy)
{
    cw_socket *sock = socket_find(loop, fd);
    if (!sock)
        return 0;
    sock->answered = sock->answered || has_answer(easy);
    if (!sock->opened || !sock->answered) {
        socket_forget(loop, fd);
        return 0;
    }
    set_idle(loop, sock, true);
    return socket_watch(loop, sock, sock->watched & EV_READ);
}

/* CURLMOPT_SOCKETFUNCTION. If a socket cannot be watched, libcurl fails its transfers, which is better than a transfer
 * that waits forever. */
static int on_socket_wanted(CURL *easy, curl_socket_t fd, int what, void *user, void *)
{
    cw_fetch_loop *loop = user;
    if (what == CURL_POLL_REMOVE)
        return socket_unwanted(loop, fd, easy);
    cw_socket *sock = socket_find(loop, fd);
    if (!sock)
        sock = socket_new(loop, fd, false);
    if (!sock)
        return -1;
    if (sock->idle)
        cw_fetch_reuse_note(&loop->reuse, cw_now_us() - sock->idle_us);
    set_idle(loop, sock, false);
    short wanted = (short)((what & CURL_POLL_IN ? EV_READ : 0) | (what & CURL_POLL_OUT ? EV_WRITE : 0));
    return socket_watch(loop, sock, wanted);
}

/* CURLMOPT_TIMERFUNCTION */
static int on_timer_wanted(CURLM *, long timeout_ms, void *user)
{
    cw_fetch_loop *loop = user;
    if (timeout_ms < 0)
        return evtimer_del(loop->timer);
    struct timeval wait = {.tv_sec = timeout_ms / 1000, .tv_usec = timeout_ms % 1000 * 1000};
    return evtimer_add(loop->timer, &wait);
}

/* CURLOPT_CLOSESOCKETFUNCTION */
static int on_socket_close(void *user, curl_socket_t fd)
{
    socket_forget(user, fd);
    return close(fd);
}

CURLcode cw_fetch_loop_own_sockets(cw_fetch_loop *loop, CURL *easy)
{
    CURLcode code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_socket_close);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, loop) : code;
}

bool cw_fetch_loop_is_for_now(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

void cw_fetch_loop_squeeze(cw_fetch_loop *loop)
{
    loop->max_idle /= 2; /* other sockets need the descriptors more than idle connections do */
}

curl_socket_t cw_fetch_loop_open(cw_fetch_loop *loop, const struct curl_sockaddr *address, int *error)
{
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (fd < 0) {
        *error = errno;
        if (cw_fetch_loop_is_for_now(*error))
            cw_fetch_loop_squeeze(loop);
        return CURL_SOCKET_BAD;
    }
    if (socket_new(loop, fd, true))
        return fd;
    close(fd);
    *error = ENOMEM;
    return CURL_SOCKET_BAD;
}

/* ---- the loop ---- */

crawl_err cw_fetch_loop_init(cw_fetch_loop *loop, struct event_base *base, unsigned max_idle,
                             void (*progress)(void *user), void *user)
{
    *loop = (cw_fetch_loop){.base = base, .max_idle = max_idle, .progress = progress, .user = user};
    TAILQ_INIT(&loop->idle);
    cw_fetch_reuse_init(&loop->reuse);
    loop->multi = curl_multi_init();
    loop->timer = evtimer_new(base, loop_on_timer, loop);
    loop->wake = evtimer_new(base, loop_on_wake, loop);
    if (!loop->multi || !loop->timer || !loop->wake)
        return CRAWL_ENOMEM;
    curl_multi_setopt(loop->multi, CURLMOPT_SOCKETFUNCTION, on_socket_wanted);
    curl_multi_setopt(loop->multi, CURLMOPT_SOCKETDATA, loop);
    curl_multi_setopt(loop->multi, CURLMOPT_TIMERFUNCTION, on_timer_wanted);
    curl_multi_setopt(loop->multi, CURLMOPT_TIMERDATA, loop);
    curl_multi_setopt(loop->multi, CURLMOPT_MAXCONNECTS, (long)INT_MAX);
    return CRAWL_OK;
}

void cw_fetch_loop_free(cw_fetch_loop *loop)
{
    if (loop->multi)
        curl_multi_cleanup(loop->multi);
    for (size_t fd = 0; fd < loop->socket_limit; fd++)
        socket_forget(loop, (int)fd);
    free(loop->sockets);
    if (loop->timer)
        event_free(loop->timer);
    if (loop->wake)
        event_free(loop->wake);
    *loop = (cw_fetch_loop){0};
}

void cw_fetch_loop_wake(cw_fetch_loop *loop)
{
    /* Uses a timer that is due at once rather than event_active, so that sockets that became ready meanwhile go
     * first. */
    struct timeval now = {0};
    evtimer_add(loop->wake, &now);
}

bool cw_fetch_loop_takes(cw_fetch_loop *loop)
{
    if (loop->idle_count < loop->max_idle)
        return true;
    const cw_socket *oldest = TAILQ_FIRST(&loop->idle);
    return oldest && cw_fetch_reuse_gives_way(&loop->reuse, oldest->idle_us, cw_now_us());
}

void cw_fetch_loop_trim(cw_fetch_loop *loop)
{
    while (loop->idle_count > loop->max_idle) {
        cw_socket *sock = TAILQ_FIRST(&loop->idle);
        set_idle(loop, sock, false);
        stop_watching(sock); /* it would be ready until libcurl closes it */
        shutdown(sock->fd, SHUT_RDWR);
    }
}

enum {
    FIRST_ROUND_US = 15 * 1000 * 1000, /* before any connection was reused */
    FORGETS = 256,                     /* fraction of the difference by which a shorter time counts */
    ROUNDS = 2,
    APART_US = 1000 * 1000 / 16 /* minimum interval between two that give way */
};

void cw_fetch_reuse_init(cw_fetch_reuse *reuse)
{
    *reuse = (cw_fetch_reuse){.round_us = FIRST_ROUND_US};
}

void cw_fetch_reuse_note(cw_fetch_reuse *reuse, int64_t idle_us)
{
    if (idle_us > reuse->round_us)
        reuse->round_us = idle_us;
    else
        reuse->round_us -= (reuse->round_us - idle_us) / FORGETS;
}

bool cw_fetch_reuse_gives_way(cw_fetch_reuse *reuse, int64_t since_us, int64_t now_us)
{
    bool gives_way = now_us >= reuse->next_us && now_us - since_us > ROUNDS * reuse->round_us;
    if (gives_way)
        reuse->next_us = now_us + APART_US;
    return gives_way;
}

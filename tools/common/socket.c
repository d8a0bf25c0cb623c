#include "tools/common/socket.h"

#include "base/bytes.h"
#include "base/error.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* Connections waiting to be accepted. Clients beyond it have to retry a second later, which would hit a browser that
 * opens several when others come in hundreds, or when the machine is busy. */
enum { BACKLOG = 1024 };

/* Returns a listening socket. -1: errno says why. */
static int listen_at(const struct addrinfo *at)
{
    int on = 1;
    int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 && bind(fd, at->ai_addr, at->ai_addrlen) == 0 &&
        listen(fd, BACKLOG) == 0)
        return fd;
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

static crawl_err socket_url_of(int fd, crawl_buf *url)
{
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    char host[NI_MAXHOST];
    char port[NI_MAXSERV];
    if (getsockname(fd, (struct sockaddr *)&bound, &size) ||
        getnameinfo((struct sockaddr *)&bound, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV))
        return CRAWL_EIO;
    bool is_ipv6 = bound.ss_family == AF_INET6;
    return crawl_buf_printf(url, "http://%s%s%s:%s/", is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", port);
}

/* Returns 0, or the error of getaddrinfo. */
static int socket_resolve(const crawl_listen *at, struct addrinfo **list)
{
    char port[8];
    snprintf(port, sizeof port, "%u", (unsigned)at->port);
    bool local = cw_equal_nocase(crawl_slice_from(at->host), crawl_slice_from("localhost"));
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    return getaddrinfo(local ? "127.0.0.1" : at->host, port, &wanted, list);
}

crawl_err cw_tool_socket_open(const crawl_listen *at, int *socket, crawl_buf *url, crawl_error *error)
{
    struct addrinfo *list = NULL;
    int why = socket_resolve(at, &list);
    if (why)
        return crawl_error_set(error, CRAWL_EIO, "%s", why == EAI_SYSTEM ? strerror(errno) : gai_strerror(why));
    int fd = -1;
    for (const struct addrinfo *next = list; next && fd < 0; next = next->ai_next)
        fd = listen_at(next);
    int number = errno;
    freeaddrinfo(list);
    if (fd < 0)
        return crawl_error_set(error, CRAWL_EIO, "%s", strerror(number));
    crawl_err err = socket_url_of(fd, url);
    if (err) {
        close(fd);
        return cw_error(error, err);
    }
    *socket = fd;
    return CRAWL_OK;
}

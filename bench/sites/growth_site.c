/* A site of a given size, for bench/growth. Page N is on host N modulo HOSTS. It links to its two children in a tree of
 * PAGES pages, so that all are found and none is deep; to 20 pages of its host that every page links to, like
 * navigation; and to 16 near it on its host. Each page has 12 KiB, however many there are, so that the cost of a page
 * can be compared between sites of different sizes.
 *
 *     growth_site PORT PAGES HOSTS [ANSWER_MS [KIB]]
 *
 * ANSWER_MS: time of each response, for bench/hands; default 0. KIB: size of pages, 12 to 1020 KiB, with links in
 * proportion. Hosts are h0.localhost to h(HOSTS - 1).localhost; the crawl begins with page 0. Writes to standard output
 * when it listens and, at its end, the number of connections. */
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

enum { PAGE_KIB = 12, MOST_KIB = 1020, NAVIGATION = 20, NEAR = 16 }; /* the links of a page of PAGE_KIB */

typedef struct site {
    int port;
    uint64_t pages;
    uint64_t hosts;
    uint64_t connections;  /* so far */
    struct timeval answer; /* time of each response */
    uint64_t kib;          /* of a page */
    struct event_base *base;
    char text[MOST_KIB * 1024]; /* filler of pages */
} site;

static void make_text(site *all)
{
    static const char words[] =
        "<p>The quick brown fox <em>jumps</em> over the lazy dog, and <code>so</code> on.</p>\n";
    for (size_t at = 0; at < sizeof all->text; at++)
        all->text[at] = words[at % (sizeof words - 1)];
}

/* Returns how many pages the host of this page has. */
static uint64_t pages_beside(const site *all, uint64_t page)
{
    return (all->pages - page % all->hosts + all->hosts - 1) / all->hosts;
}

/* Adds a link to a page of the same host, `at` pages after its first. */
static void add_own(const site *all, struct evbuffer *out, uint64_t page, uint64_t at)
{
    uint64_t to = page % all->hosts + at % pages_beside(all, page) * all->hosts;
    evbuffer_add_printf(out, "<li><a class=\"link\" href=\"/docs/page-%" PRIu64 ".html\">page</a></li>\n", to);
}

static void add_links(const site *all, struct evbuffer *out, uint64_t page)
{
    uint64_t own = page / all->hosts;
    uint64_t near = NEAR * all->kib / PAGE_KIB;
    for (uint64_t i = 0; i < NAVIGATION * all->kib / PAGE_KIB; i++)
        add_own(all, out, page, i);
    for (uint64_t i = 0; i < near; i++)
        add_own(all, out, page, own / near * near + i);
    for (uint64_t child = 2 * page + 1; child <= 2 * page + 2 && child < all->pages; child++)
        evbuffer_add_printf(out, "<a href=\"http://h%" PRIu64 ".localhost:%d/docs/page-%" PRIu64 ".html\">on</a>\n",
                            child % all->hosts, all->port, child);
}

static void answer(const site *all, struct evhttp_request *request)
{
    uint64_t page;
    if (sscanf(evhttp_request_get_uri(request), "/docs/page-%" SCNu64 ".html", &page) != 1 || page >= all->pages) {
        evhttp_send_error(request, 404, "Not Found");
        return;
    }
    struct evbuffer *body = evbuffer_new();
    evbuffer_add_printf(body, "<!doctype html><title>page %" PRIu64 "</title>\n", page);
    add_links(all, body, page);
    size_t size = evbuffer_get_length(body);
    size_t whole = all->kib * 1024;
    evbuffer_add_reference(body, all->text, size < whole ? whole - size : 0, NULL, NULL);
    evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Type", "text/html; charset=utf-8");
    evhttp_send_reply(request, 200, "OK", body);
    evbuffer_free(body);
}

/* A request whose response takes time. */
typedef struct pending {
    const site *all;
    struct evhttp_request *request;
} pending;

static void on_time(evutil_socket_t fd, short what, void *user)
{
    pending *p = user;
    (void)fd;
    (void)what;
    answer(p->all, p->request);
    free(p);
}

/* Disables Nagle's algorithm: otherwise the end of a page of several segments would wait up to 40 ms for the client's
 * acknowledgement. */
static void send_at_once(struct evhttp_request *request)
{
    struct bufferevent *of = evhttp_connection_get_bufferevent(evhttp_request_get_connection(request));
    const int yes = 1;
    setsockopt(bufferevent_getfd(of), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

static void on_request(struct evhttp_request *request, void *user)
{
    const site *all = user;
    send_at_once(request);
    bool is_at_once = !all->answer.tv_sec && !all->answer.tv_usec;
    pending *p = is_at_once ? NULL : malloc(sizeof *p);
    if (p)
        *p = (pending){all, request};
    if (!p || event_base_once(all->base, -1, EV_TIMEOUT, on_time, p, &all->answer))
        answer(all, request);
}

static struct bufferevent *on_connection(struct event_base *base, void *user)
{
    ((site *)user)->connections++;
    return bufferevent_socket_new(base, -1, 0);
}

static void on_termination(evutil_socket_t, short, void *user)
{
    printf("%" PRIu64 " connections\n", ((const site *)user)->connections);
    exit(0);
}

int main(int argc, char **argv)
{
    static site all;
    if (argc >= 4 && argc <= 6) {
        all.port = atoi(argv[1]);
        all.pages = strtoull(argv[2], NULL, 10);
        all.hosts = strtoull(argv[3], NULL, 10);
        all.kib = argc == 6 ? strtoull(argv[5], NULL, 10) : PAGE_KIB;
    }
    if (all.port <= 0 || !all.hosts || all.pages < all.hosts || all.kib < PAGE_KIB || all.kib > MOST_KIB) {
        fprintf(stderr,
                "usage: growth_site PORT PAGES HOSTS [ANSWER_MS [KIB]]    with as many pages as hosts at "
                "least, of %d to %d KiB\n",
                PAGE_KIB, MOST_KIB);
        return 2;
    }
    make_text(&all);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    long answer_ms = argc >= 5 ? atol(argv[4]) : 0;
    all.answer = (struct timeval){.tv_sec = answer_ms / 1000, .tv_usec = answer_ms % 1000 * 1000};
    struct event_base *base = all.base = event_base_new();
    struct evhttp *http = evhttp_new(base);
    struct event *termination = evsignal_new(base, SIGTERM, on_termination, &all);
    evsignal_add(termination, NULL);
    evhttp_set_gencb(http, on_request, &all);
    evhttp_set_bevcb(http, on_connection, &all);
    if (evhttp_bind_socket(http, "127.0.0.1", (ev_uint16_t)all.port)) {
        fprintf(stderr, "growth_site: cannot listen on port %d\n", all.port);
        return 1;
    }
    puts("listening");
    fflush(stdout);
    event_base_dispatch(base);
    return 0;
}

/* An endless site, for bench/soak: every name that resolves to loopback is a host, and page N of each links to pages
 * N+1 to N+3, twenty before it and page N of another host. So about one link per page is new, and the length of the
 * queue stays the same. Some pages are redirects, missing, failures, compressed or large. Each page sets a cookie of
 * its host anew.
 *
 *     soak_site PORT HOSTS [ELSEWHERE]
 *
 * ELSEWHERE: number of links to other hosts, instead of one. Writes to standard output when it listens. */
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <zlib.h>

enum { WORDS = 300, LARGE = 1 << 20 };

typedef struct site {
    int port;
    uint64_t hosts;
    uint64_t elsewhere; /* links of a page to other hosts */
    uint64_t pages;
} site;

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
    return x ^ x >> 29;
}

static void add_links(const site *all, struct evbuffer *out, uint64_t page)
{
    for (uint64_t i = 1; i <= 3; i++)
        evbuffer_add_printf(out, "<a href=\"/%" PRIu64 "\">next %" PRIu64 "</a>\n", page + i, i);
    for (uint64_t i = 0; i < 20; i++) {
        uint64_t back = mix(page * 31 + i) % 1000;
        evbuffer_add_printf(out, "<p>before <a href=\"/%" PRIu64 "#a%" PRIu64 "\">it</a>\n",
                            page > back ? page - back : 0, i);
    }
    for (uint64_t i = 0; i < all->elsewhere; i++)
        evbuffer_add_printf(out, "<a href=\"http://h%" PRIu64 ".localhost:%d/%" PRIu64 "\">elsewhere</a>\n",
                            mix(page + i * all->pages) % all->hosts, all->port, page);
}

static void add_text(struct evbuffer *out, uint64_t page, size_t size)
{
    while (size--)
        evbuffer_add_printf(out, "word%" PRIu64 " ", mix(page + size) % 5000);
}

static void compress_all(struct evbuffer *body)
{
    size_t size = evbuffer_get_length(body);
    uLong room = compressBound(size);
    unsigned char *packed = malloc(room);
    if (packed && compress(packed, &room, evbuffer_pullup(body, -1), size) == Z_OK) {
        evbuffer_drain(body, size);
        evbuffer_add(body, packed, room);
    }
    free(packed);
}

static void add_cookie(struct evkeyvalq *headers, uint64_t page)
{
    char cookie[64];
    snprintf(cookie, sizeof cookie, "last=%" PRIu64 "; Path=/; Max-Age=86400", page);
    evhttp_add_header(headers, "Set-Cookie", cookie);
}

static void send_page(const site *all, struct evhttp_request *request, uint64_t page)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    struct evbuffer *body = evbuffer_new();
    evbuffer_add_printf(body, "<!doctype html><title>page %" PRIu64 "</title>\n", page);
    add_links(all, body, page);
    add_text(body, page, page % 1009 == 5 ? LARGE / 8 : WORDS);
    evhttp_add_header(headers, "Content-Type", "text/html; charset=utf-8");
    add_cookie(headers, page);
    if (page % 5 == 3) {
        evhttp_add_header(headers, "Content-Encoding", "deflate");
        compress_all(body);
    }
    evhttp_send_reply(request, 200, "OK", body);
    evbuffer_free(body);
}

static void send_redirect(struct evhttp_request *request, uint64_t to)
{
    char path[32];
    snprintf(path, sizeof path, "/%" PRIu64, to);
    evhttp_add_header(evhttp_request_get_output_headers(request), "Location", path);
    evhttp_send_reply(request, 302, "Found", NULL);
}

static void answer(struct evhttp_request *request, void *user)
{
    site *all = user;
    uint64_t page = strtoull(evhttp_request_get_uri(request) + 1, NULL, 10);
    all->pages++;
    if (strcmp(evhttp_request_get_uri(request), "/robots.txt") == 0)
        evhttp_send_error(request, 404, "Not Found");
    else if (page % 97 == 11)
        send_redirect(request, page + 1);
    else if (page % 101 == 7)
        evhttp_send_error(request, 404, "Not Found");
    else if (page % 10007 == 13)
        evhttp_send_error(request, 500, "Failure");
    else
        send_page(all, request, page);
}

int main(int argc, char **argv)
{
    bool fits = argc == 3 || argc == 4;
    site all = {.port = fits ? atoi(argv[1]) : 0,
                .hosts = fits ? strtoull(argv[2], NULL, 10) : 0,
                .elsewhere = argc == 4 ? strtoull(argv[3], NULL, 10) : 1};
    if (all.port <= 0 || !all.hosts) {
        fprintf(stderr, "usage: soak_site PORT HOSTS [ELSEWHERE]\n");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    struct event_base *base = event_base_new();
    struct evhttp *http = evhttp_new(base);
    evhttp_set_gencb(http, answer, &all);
    if (evhttp_bind_socket(http, "127.0.0.1", (ev_uint16_t)all.port)) {
        fprintf(stderr, "soak_site: cannot listen on port %d\n", all.port);
        return 1;
    }
    puts("listening");
    fflush(stdout);
    event_base_dispatch(base);
    return 0;
}

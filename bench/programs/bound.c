/* The least that still crawls: the parts that a crawler of one host cannot do without, over the same libraries as
 * crawl. libcurl fetches on a libevent loop, memchr finds the values of href, a hash set of 64 bits per URL knows what
 * was seen, and a list is the queue. It has no politeness, robots.txt, redirects, records or character sets, takes
 * references only as bytes, and asks only for paths that look like HTML. `bench/compare` runs it beside crawl: the
 * ratio of crawl's time per page to this program's is the price of everything else.
 *
 *   bound [-a] [CONNECTIONS] URL     CONNECTIONS defaults to 32
 *
 * With -a it visits all hosts that pages name by http, as `bench/growth` needs it: from the second host on each page
 * has its own connection, since hosts take turns, and libcurl forgets the name of a host when the next one is asked. */
#include <curl/curl.h>
#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MAX_PATH = 2048, MAX_CONNECTIONS = 256, SET = 1 << 21 };

typedef struct crawl {
    struct event_base *loop;
    struct event *timer;
    CURLM *multi;
    bool all_hosts;
    bool many;             /* a second host was named */
    char origin[MAX_PATH]; /* scheme and host, without a path */
    char **paths;          /* all found paths, or whole URLs with all_hosts; those from `next` on are queued */
    size_t next;
    size_t count;
    size_t pages;
    uint64_t seen[SET]; /* hashes; 0: empty */
} crawl;

typedef struct transfer {
    crawl *crawl;
    CURL *curl;
    const char *path; /* from the "/" on, or a whole URL */
    char *body;
    size_t size;
    size_t capacity;
    char name[MAX_PATH + 1]; /* "-", and the host and port that libcurl must forget */
    struct curl_slist names;
} transfer;

static void *need(void *memory)
{
    if (!memory) {
        fprintf(stderr, "bound: no memory\n");
        exit(1);
    }
    return memory;
}

static void add_path(crawl *c, const char *path, size_t size)
{
    uint64_t hash = XXH3_64bits(path, size) | 1;
    size_t at = hash >> 8 & (SET - 1);
    while (c->seen[at] && c->seen[at] != hash)
        at = (at + 1) & (SET - 1);
    if (c->seen[at] || c->count == SET / 2)
        return;
    c->seen[at] = hash;
    c->paths[c->count++] = need(strndup(path, size));
}

static bool ends_with(const char *path, size_t size, const char *end)
{
    return size >= strlen(end) && memcmp(path + size - strlen(end), end, strlen(end)) == 0;
}

/* Removes "." and ".." from a path that begins with "/"; returns its new size. */
static size_t remove_dots(char *path, size_t size)
{
    size_t to = 0;
    for (size_t at = 0; at < size;) {
        const char *slash = memchr(path + at + 1, '/', size - at - 1);
        size_t next = slash ? (size_t)(slash - path) : size;
        bool two = next - at == 3 && memcmp(path + at, "/..", 3) == 0;
        bool dots = two || (next - at == 2 && path[at + 1] == '.');
        while (two && to > 0 && path[to - 1] != '/')
            to--;
        to -= two && to > 0;
        memmove(path + to, path + at, dots ? !slash : next - at);
        to += dots ? !slash : next - at;
        at = next;
    }
    return to;
}

static bool is_http(const char *href, size_t size)
{
    return size > strlen("http://") && memcmp(href, "http://", strlen("http://")) == 0;
}

/* Returns the number of bytes before the path of a path or URL. */
static size_t origin_size(const char *path, size_t size)
{
    const char *slash = is_http(path, size) ? memchr(path + strlen("http://"), '/', size - strlen("http://")) : path;
    return slash ? (size_t)(slash - path) : size;
}

/* Returns the number of bytes of the page's URL to put before a value of href. */
static size_t base_size(const crawl *c, const char *from, const char *href, size_t size)
{
    if (c->all_hosts && is_http(href, size))
        return 0;
    return *href == '/' ? origin_size(from, strlen(from)) : (size_t)(strrchr(from, '/') + 1 - from);
}

/* Adds a value of href on the page `from`, unless it names a scheme, or a host that is not asked. */
static void add_link(crawl *c, const char *from, const char *href, size_t size)
{
    const char *hash = memchr(href, '#', size);
    size = hash ? (size_t)(hash - href) : size;
    if (!size || (size > 1 && href[0] == '/' && href[1] == '/') ||
        (memchr(href, ':', size) && !(c->all_hosts && is_http(href, size))))
        return;
    size_t base = base_size(c, from, href, size);
    char path[MAX_PATH];
    if (base + size > sizeof path)
        return;
    memcpy(path, from, base);
    memcpy(path + base, href, size);
    size += base;
    size_t origin = origin_size(path, size);
    if (memmem(path + origin, size - origin, "/.", 2))
        size = origin + remove_dots(path + origin, size - origin);
    if (ends_with(path, size, "/") || ends_with(path, size, ".html") || ends_with(path, size, ".htm"))
        add_path(c, path, size);
}

/* Adds the quoted values after `href=`. */
static void scan(crawl *c, const char *from, const char *page, size_t size)
{
    const char *end = page + size;
    const char *at = size > 6 ? memchr(page + 4, '=', size - 5) : NULL;
    while (at) {
        const char *quote = at + 1;
        bool href = memcmp(at - 4, "href", 4) == 0 && (*quote == '"' || *quote == '\'');
        const char *close = href ? memchr(quote + 1, *quote, (size_t)(end - quote - 1)) : NULL;
        if (close)
            add_link(c, from, quote + 1, (size_t)(close - quote - 1));
        at = close ? close : quote;
        at = end - at > 1 ? memchr(at, '=', (size_t)(end - at - 1)) : NULL;
    }
}

static size_t on_body(char *data, size_t one, size_t size, void *user)
{
    transfer *t = user;
    if (t->size + size > t->capacity) {
        t->capacity = (t->size + size) * 2;
        t->body = need(realloc(t->body, t->capacity));
    }
    memcpy(t->body + t->size, data, size);
    t->size += size;
    return one * size;
}

/* libcurl searches a few lists for a name. This keeps them short: it forgets the host that the same handle asked
 * before. */
static void prepare_host(transfer *t)
{
    crawl *c = t->crawl;
    size_t host = origin_size(t->path, strlen(t->path));
    c->many = c->many || strncmp(t->path, c->origin, host) != 0 || c->origin[host];
    curl_easy_setopt(t->curl, CURLOPT_FORBID_REUSE, (long)c->many);
    if (c->many && t->names.data)
        curl_easy_setopt(t->curl, CURLOPT_RESOLVE, &t->names);
}

static void remember_name(transfer *t)
{
    const char *name = t->path + strlen("http://");
    snprintf(t->name, sizeof t->name, "-%.*s", (int)strcspn(name, "/"), name);
    t->names.data = t->name;
}

/* False: nothing is queued now. */
static bool start(transfer *t)
{
    crawl *c = t->crawl;
    if (c->next == c->count)
        return false;
    t->path = c->paths[c->next++];
    t->size = 0;
    char url[2 * MAX_PATH];
    snprintf(url, sizeof url, "%s%s", c->all_hosts ? "" : c->origin, t->path);
    curl_easy_setopt(t->curl, CURLOPT_URL, url);
    if (c->all_hosts)
        prepare_host(t);
    curl_multi_add_handle(c->multi, t->curl);
    return true;
}

static void finish(transfer *t, CURLcode result)
{
    long status = 0;
    curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_multi_remove_handle(t->crawl->multi, t->curl);
    if (t->crawl->all_hosts)
        remember_name(t);
    if (result || status != 200)
        return;
    t->crawl->pages++;
    scan(t->crawl, t->path, t->body, t->size);
}

static transfer *idle[MAX_CONNECTIONS];
static size_t idle_count;

static void take_finished(crawl *c)
{
    int left;
    for (CURLMsg *message; (message = curl_multi_info_read(c->multi, &left));) {
        transfer *t;
        CURLcode result = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &t);
        finish(t, result);
        idle[idle_count++] = t;
    }
    while (idle_count && start(idle[idle_count - 1]))
        idle_count--;
}

/* Handles a ready socket, or the timer, whose socket is CURL_SOCKET_TIMEOUT. */
static void on_event(evutil_socket_t socket, short what, void *user)
{
    crawl *c = user;
    int ready = (what & EV_READ ? CURL_CSELECT_IN : 0) | (what & EV_WRITE ? CURL_CSELECT_OUT : 0);
    int running;
    curl_multi_socket_action(c->multi, socket, ready, &running);
    take_finished(c);
}

static int on_socket(CURL *, curl_socket_t socket, int what, void *user, void *data)
{
    crawl *c = user;
    struct event *event = NULL;
    if (data)
        event_free(data);
    if (what != CURL_POLL_REMOVE) {
        int events = (what & CURL_POLL_IN ? EV_READ : 0) | (what & CURL_POLL_OUT ? EV_WRITE : 0);
        event = need(event_new(c->loop, socket, (short)(events | EV_PERSIST), on_event, c));
        event_add(event, NULL);
    }
    curl_multi_assign(c->multi, socket, event);
    return 0;
}

static int on_timeout(CURLM *, long ms, void *user)
{
    crawl *c = user;
    struct timeval wait = {ms / 1000, ms % 1000 * 1000};
    return ms < 0 ? event_del(c->timer) : event_add(c->timer, &wait);
}

static void prepare(crawl *c, size_t connections)
{
    c->paths = need(calloc(SET / 2, sizeof *c->paths));
    c->loop = need(event_base_new());
    c->timer = need(event_new(c->loop, CURL_SOCKET_TIMEOUT, 0, on_event, c));
    c->multi = need(curl_multi_init());
    curl_multi_setopt(c->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(c->multi, CURLMOPT_SOCKETDATA, c);
    curl_multi_setopt(c->multi, CURLMOPT_TIMERFUNCTION, on_timeout);
    curl_multi_setopt(c->multi, CURLMOPT_TIMERDATA, c);
    curl_multi_setopt(c->multi, CURLMOPT_MAXCONNECTS, (long)connections);
    for (size_t i = 0; i < connections; i++) {
        transfer *t = need(calloc(1, sizeof *t));
        t->crawl = c;
        t->curl = need(curl_easy_init());
        curl_easy_setopt(t->curl, CURLOPT_PRIVATE, t);
        curl_easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, on_body);
        curl_easy_setopt(t->curl, CURLOPT_WRITEDATA, t);
        curl_easy_setopt(t->curl, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(t->curl, CURLOPT_DNS_CACHE_TIMEOUT, c->all_hosts ? -1L : 60L);
        idle[idle_count++] = t;
    }
}

int main(int argc, char **argv)
{
    static crawl c;
    c.all_hosts = argc > 1 && strcmp(argv[1], "-a") == 0;
    argc -= c.all_hosts;
    argv += c.all_hosts;
    const char *url = argv[argc - 1];
    int connections = argc > 2 ? atoi(argv[1]) : 32;
    const char *host = argc > 1 ? strstr(url, "://") : NULL;
    const char *path = host ? strchr(host + 3, '/') : NULL;
    if (!path || path - url >= MAX_PATH || connections < 1 || connections > MAX_CONNECTIONS) {
        fprintf(stderr, "usage: bound [-a] [CONNECTIONS] http://HOST/PATH\n");
        return 2;
    }
    memcpy(c.origin, url, (size_t)(path - url));
    curl_global_init(CURL_GLOBAL_DEFAULT);
    prepare(&c, (size_t)connections);
    if (c.all_hosts)
        path = url;
    add_path(&c, path, strlen(path));
    take_finished(&c);
    event_base_dispatch(c.loop);
    printf("%zu pages\n", c.pages);
    return c.pages ? 0 : 1;
}

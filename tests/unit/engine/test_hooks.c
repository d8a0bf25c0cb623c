/* Spiders in the hooks of the engine, with a server on the test's own loop. */
#include "config/config_values.h"
#include "tests/support/script_server.h"

#include <crawl/engine.h>
#include <criterion/criterion.h>
#include <stdio.h>

#define PAGE(body) "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" body

static const script_answer site[] = {
    {.path = "/robots.txt",
     .bytes = "HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
     .end = SCRIPT_CLOSE},
    {.path = "/",
     .bytes = PAGE("<title>home</title><a href=a>a</a><a href=b>b</a><a href=go>go</a>"),
     .end = SCRIPT_CLOSE},
    {.path = "/a", .bytes = PAGE("<title>a</title><a href=c>c</a>"), .end = SCRIPT_CLOSE},
    {.path = "/b",
     .bytes = PAGE("<title>b</title><link rel=canonical href=file:///b><a href=d>d</a>"),
     .end = SCRIPT_CLOSE},
    {.path = "/c", .bytes = PAGE("<base href=/a/b><link rel=canonical href='../#z'>c"), .end = SCRIPT_CLOSE},
    {.path = "/d",
     .bytes = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nLast-Modified: Thu, 01 Jan 1970 00:01:40 GMT\r\n"
              "Link: <x>; rel=canonical; anchor=\"/y\", <.>; rel=\"next Canonical\"\r\nConnection: close\r\n\r\nd",
     .end = SCRIPT_CLOSE},
    {.path = "/go",
     .bytes = "HTTP/1.1 302 Go\r\nLocation: /d\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
     .end = SCRIPT_CLOSE},
    {0},
};

/* One crawl: its instructions and its results. One worker, so no lock is needed. */
typedef struct spider {
    const char *veto;    /* a path that on_link refuses */
    const char *closed;  /* a path whose links on_response refuses */
    const char *fatal;   /* a path at which on_link fails */
    const char *more[4]; /* paths that on_idle pushes, one each time */
    const char *urgent;  /* a path that gets priority */
    bool outside;        /* on_idle first pushes a URL out of scope */
    crawl_err pushed;    /* result of that push */
    unsigned idle;
    unsigned port;
    char asked[256];        /* paths of the records, in order */
    char go[128];           /* error and message in the record of /go */
    char canonical[4][128]; /* canonical links in the records of /a, /b, /c, /d */
    int64_t modified[4];
    crawl_err result;
    crawl_engine_stats stats;
} spider;

static crawl_slice path_of(crawl_slice url)
{
    const char *path = memchr(url.data + 8, '/', url.size - 8);
    return crawl_slice_of(path, (size_t)(url.data + url.size - path));
}

static bool is(crawl_slice url, const char *path)
{
    return path && crawl_slice_equal(path_of(url), crawl_slice_from(path));
}

static crawl_err on_link(void *user, crawl_engine *, const crawl_found *found, int32_t *priority)
{
    spider *s = user;
    cr_expect(crawl_slice_equal(found->canonical, found->url));
    cr_expect_eq(found->link == NULL, is(found->parent, "/go"), "only a redirect has no link");
    if (is(found->url, s->urgent))
        *priority = 5;
    if (is(found->url, s->fatal))
        return CRAWL_EIO;
    return is(found->url, s->veto) ? CRAWL_REFUSED : CRAWL_OK;
}

static crawl_err on_response(void *user, crawl_engine *, const crawl_record *record, const crawl_response *response,
                             const crawl_page *page)
{
    spider *s = user;
    cr_expect_eq(record->status, response->status);
    cr_expect_eq(page != NULL, response->status == 200);
    return is(record->url, s->closed) ? CRAWL_REFUSED : CRAWL_OK;
}

static crawl_err on_record(void *user, const crawl_record *record)
{
    spider *s = user;
    crawl_slice path = path_of(record->url);
    size_t used = strlen(s->asked);
    snprintf(s->asked + used, sizeof s->asked - used, "%.*s ", (int)path.size, path.data);
    if (path.size == 2) {
        int i = path.data[1] - 'a';
        snprintf(s->canonical[i], sizeof s->canonical[i], "%.*s", (int)record->canonical_link.size,
                 record->canonical_link.data);
        s->modified[i] = record->last_modified;
    }
    if (is(record->url, "/go"))
        snprintf(s->go, sizeof s->go, "%s: %s", record->error ? record->error : "", record->error_text);
    return CRAWL_OK;
}

static crawl_err push(spider *s, crawl_engine *engine, const char *host, const char *path)
{
    char url[128];
    crawl_error error;
    snprintf(url, sizeof url, "http://%s:%u%s", host, s->port, path);
    crawl_seed request = {.size = sizeof request, .url = crawl_slice_from(url), .depth = 1};
    return crawl_engine_push(engine, &request, (crawl_slice){0}, &error);
}

static crawl_err on_idle(void *user, crawl_engine *engine)
{
    spider *s = user;
    if (s->outside)
        s->pushed = push(s, engine, "elsewhere.localhost", "/");
    s->outside = false;
    const char *path = s->more[s->idle++];
    return path ? push(s, engine, "127.0.0.1", path) : CRAWL_OK;
}

static void *run(void *user)
{
    spider *s = user;
    char seed_url[64];
    crawl_config config;
    crawl_engine *engine = NULL;
    crawl_engine_hooks hooks = {.size = sizeof hooks,
                                .on_link = on_link,
                                .on_response = on_response,
                                .on_record = on_record,
                                .on_idle = on_idle,
                                .user = s};
    snprintf(seed_url, sizeof seed_url, "http://127.0.0.1:%u/", s->port);
    crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from(seed_url)};
    crawl_err err = cw_config_init(&config);
    crawl_config_set(&config, "politeness.delay", "0s", NULL);
    crawl_config_set(&config, "fetch.connections", "1", NULL);
    if (!err)
        err = crawl_engine_create(&config, &hooks, &engine, NULL);
    if (!err)
        err = crawl_engine_seed(engine, &seed, NULL);
    s->result = err ? err : crawl_engine_run(engine, NULL);
    if (engine)
        crawl_engine_stats_get(engine, &s->stats);
    crawl_engine_free(engine);
    cw_config_clear(&config);
    return NULL;
}

static void crawl_site(spider *s)
{
    cr_assert(script_server_serve(site, &s->port, run, s));
}

Test(hooks, all_is_followed_without_objection)
{
    spider s = {0};
    crawl_site(&s);
    cr_assert_eq(s.result, CRAWL_OK);
    cr_assert_str_eq(s.asked, "/ /a /b /go /d /c ");
    cr_assert_eq(s.idle, 1);
    cr_assert_eq(s.stats.end, CRAWL_END_DRAINED);
}

Test(hooks, a_refused_link_is_not_asked)
{
    spider s = {.veto = "/b"};
    crawl_site(&s);
    cr_assert_str_eq(s.asked, "/ /a /go /d /c ");
}

Test(hooks, a_redirect_can_be_refused)
{
    spider s = {.veto = "/d"};
    crawl_site(&s);
    cr_assert_str_eq(s.asked, "/ /a /b /go /c ");
    cr_assert_str_eq(s.go, "refused: redirected to a URL that a hook refuses");
}

Test(hooks, a_hook_that_fails_at_a_redirect_refuses_nothing)
{
    spider s = {.closed = "/b", .fatal = "/d"};
    crawl_site(&s);
    cr_assert_eq(s.result, CRAWL_EIO);
    cr_assert_str_eq(s.go, "local: the redirect was not followed: the crawl has failed");
}

Test(hooks, priorities_go_first)
{
    spider s = {.urgent = "/go"};
    crawl_site(&s);
    cr_assert_eq(strncmp(s.asked, "/ /go ", 6), 0, "%s", s.asked);
}

Test(hooks, the_links_of_a_refused_page_are_not_followed)
{
    spider s = {.closed = "/a"};
    crawl_site(&s);
    cr_assert_str_eq(s.asked, "/ /a /b /go /d ");
}

Test(hooks, an_error_stops_the_crawl_and_comes_back)
{
    spider s = {.fatal = "/c"};
    crawl_site(&s);
    cr_assert_eq(s.result, CRAWL_EIO);
    cr_assert_eq(s.stats.end, CRAWL_END_FAILED);
}

Test(hooks, more_can_be_pushed_when_nothing_is_left)
{
    spider s = {.closed = "/", .outside = true, .more = {"/c", "/d"}};
    crawl_site(&s);
    cr_assert_eq(s.result, CRAWL_OK);
    cr_assert_str_eq(s.asked, "/ /c /d ");
    cr_assert_eq(s.idle, 3);
    cr_assert_eq(s.pushed, CRAWL_REFUSED);
}

Test(hooks, a_record_says_the_canonical_link_and_the_date_of_its_page)
{
    spider s = {0};
    char home[64];
    crawl_site(&s);
    snprintf(home, sizeof home, "http://127.0.0.1:%u/", s.port);
    cr_assert_str_eq(s.canonical[0], "");
    cr_assert_str_eq(s.canonical[1], "", "a canonical link is http or https");
    cr_assert_str_eq(s.canonical[2], home, "of the page, by its base");
    cr_assert_str_eq(s.canonical[3], home, "of a header, by the URL of the answer");
    cr_assert_eq(s.modified[2], CRAWL_SITEMAP_NO_DATE);
    cr_assert_eq(s.modified[3], 100);
}

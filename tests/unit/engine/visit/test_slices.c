/* Responses whose links are followed in slices of the loop: reports are the same, in the same order, as if all their
 * links were followed at once; and requests without a transfer let the loop turn too. */
#include "config/config_values.h"
#include "crawler/engine/visit/answer/slices.h"
#include "crawler/engine/worker.h"
#include "tests/support/script_server.h"

#include <criterion/criterion.h>
#include <event2/event.h>
#include <stdio.h>

#define ANSWER(type, headers, body) \
    "HTTP/1.1 200 OK\r\nContent-Type: " type "\r\n" headers "Connection: close\r\n\r\n" body

#define LINKS "<a href=/a>a</a><a href=/a#b>b</a><a href=mailto:x>c</a><a href=//else.example/>d</a><a href=/d>e</a>"

static const script_answer site[] = {
    {.path = "/robots.txt",
     .bytes = "HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
     .end = SCRIPT_CLOSE},
    {.path = "/sitemap.xml",
     .bytes = ANSWER("text/xml", "",
                     "<urlset><url><loc>/m</loc></url><url><loc>/n</loc></url><url><loc>/a</loc></url></urlset>"),
     .end = SCRIPT_CLOSE},
    {.path = "/",
     .bytes = ANSWER("text/html", "Link: </l>; rel=next\r\nLink: </k>; rel=next\r\nRefresh: 1; url=/r\r\n",
                     "<title>home</title><base href=/deep/>" LINKS "<a href=map.xml></a><a href=/gone></a>"),
     .end = SCRIPT_CLOSE},
    {.path = "/deep/map.xml",
     .bytes = ANSWER("text/xml", "", "<urlset><url><loc>/s</loc></url><url><loc>/t</loc></url></urlset>"),
     .end = SCRIPT_CLOSE},
    {.path = "/r", .bytes = "HTTP/1.1 302 Found\r\nLocation: /q\r\nConnection: close\r\n\r\n", .end = SCRIPT_CLOSE},
    {.path = "/gone", .bytes = "HTTP/1.1 404 No\r\nConnection: close\r\n\r\n" LINKS, .end = SCRIPT_CLOSE},
    {.bytes = ANSWER("text/html", "", "<title>one</title><a href=/></a><a href=/x></a><a href=/y></a>"),
     .end = SCRIPT_CLOSE},
    {0},
};

typedef struct spider {
    const crawl_engine *engine;
    bool forced;       /* one link per slice */
    unsigned per_host; /* requests at once */
    unsigned most;     /* pages at once in slices */
    unsigned waiting;  /* times that a response was seen to wait */
    unsigned records;
    unsigned edges;
    unsigned fail_at; /* edges until on_edge fails; 0: never */
    crawl_buf told;   /* records and edges, in their order */
    crawl_err result;
} spider;

static cw_visit_maker *maker_of(const spider *s)
{
    return &s->engine->workers[0]->maker;
}

static void look(spider *s)
{
    unsigned count = maker_of(s)->slices.count;
    s->most = count > s->most ? count : s->most;
    s->waiting += !TAILQ_EMPTY(&maker_of(s)->slices.waiting);
}

static crawl_slice path_of(crawl_slice url)
{
    const char *path = url.size > 8 ? memchr(url.data + 8, '/', url.size - 8) : NULL;
    return path ? crawl_slice_of(path, (size_t)(url.data + url.size - path)) : url;
}

static crawl_err on_edge(void *user, crawl_engine *, const crawl_edge *edge)
{
    spider *s = user;
    crawl_slice from = path_of(edge->from);
    crawl_slice to = path_of(edge->to);
    look(s);
    if (++s->edges == s->fail_at)
        return CRAWL_EIO;
    return crawl_buf_printf(&s->told, "%.*s -> %.*s %s\n", (int)from.size, from.data, (int)to.size, to.data,
                            crawl_edge_verdict_name(edge->verdict));
}

static crawl_err on_record(void *user, const crawl_record *record)
{
    spider *s = user;
    crawl_slice path = path_of(record->url);
    look(s);
    s->records++;
    return crawl_buf_printf(&s->told, "%.*s %d %zu links, %zu new, %.*s, %.*s, %s, %zu bytes ending in %.4s\n",
                            (int)path.size, path.data, record->status, (size_t)record->links, (size_t)record->fresh,
                            (int)record->title.size, record->title.data, (int)record->content_type.size,
                            record->content_type.data, record->ip, record->body.size,
                            record->body.size < 4 ? "" : record->body.data + record->body.size - 4);
}

static crawl_err open_engine(spider *s, unsigned port, crawl_config *config, crawl_engine **engine)
{
    char url[64];
    char at_once[16];
    crawl_engine_hooks hooks = {.size = sizeof hooks, .on_edge = on_edge, .on_record = on_record, .user = s};
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", port);
    snprintf(at_once, sizeof at_once, "%u", s->per_host);
    crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from(url)};
    cr_assert_eq(cw_config_init(config), CRAWL_OK);
    crawl_config_set(config, "politeness.delay", "0s", NULL);
    crawl_config_set(config, "politeness.per_host", at_once, NULL);
    crawl_config_set(config, "crawl.workers", "1", NULL);
    crawl_config_set(config, "crawl.sitemaps", "true", NULL);
    cr_assert_eq(crawl_engine_create(config, &hooks, engine, NULL), CRAWL_OK);
    s->engine = *engine;
    if (s->forced)
        maker_of(s)->judge.slice = (cw_links_slice){.links_a_look = 1};
    return crawl_engine_seed(*engine, &seed, NULL);
}

typedef struct running {
    spider *spider;
    unsigned port;
} running;

static void *run(void *user)
{
    running *r = user;
    crawl_config config;
    crawl_engine *engine = NULL;
    crawl_err err = open_engine(r->spider, r->port, &config, &engine);
    r->spider->result = err ? err : crawl_engine_run(engine, NULL);
    crawl_engine_free(engine);
    cw_config_clear(&config);
    return NULL;
}

static void crawl(spider *s, const script_answer *answers)
{
    running r = {.spider = s};
    cr_assert(script_server_serve(answers, &r.port, run, &r));
}

TestSuite(slices, .timeout = 60);

Test(slices, tell_the_same_in_the_same_order)
{
    spider whole = {.per_host = 1};
    spider sliced = {.per_host = 1, .forced = true};
    crawl(&whole, site);
    crawl(&sliced, site);
    cr_assert_eq(whole.result, CRAWL_OK);
    cr_assert_eq(sliced.result, CRAWL_OK);
    cr_expect_eq(whole.most, 0);
    cr_expect_eq(sliced.most, 1);
    cr_expect_eq(whole.records, 15, "%u", whole.records);
    cr_expect_str_eq(sliced.told.data, whole.told.data, "%s\n---\n%s", sliced.told.data, whole.told.data);
    crawl_buf_free(&whole.told);
    crawl_buf_free(&sliced.told);
}

/* Makes a page with links to 40 others, each with some links. */
static void make_wide_site(crawl_buf *home)
{
    cr_assert_eq(crawl_buf_append_text(home, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"),
                 CRAWL_OK);
    for (int i = 0; i < 40; i++)
        cr_assert_eq(crawl_buf_printf(home, "<a href=/%d></a>", i), CRAWL_OK);
}

static void crawl_wide(spider *s)
{
    crawl_buf home = {0};
    make_wide_site(&home);
    const script_answer answers[] = {
        {.path = "/", .bytes = home.data, .size = home.size, .end = SCRIPT_CLOSE},
        site[0],
        {.path = "/sitemap.xml", .bytes = site[0].bytes, .end = SCRIPT_CLOSE},
        {.bytes = ANSWER("text/html", "", "<title>one</title>" LINKS LINKS LINKS LINKS), .end = SCRIPT_CLOSE},
        {0}};
    crawl(s, answers);
    crawl_buf_free(&home);
}

Test(slices, so_many_at_once_and_the_others_wait)
{
    spider s = {.per_host = 40, .forced = true};
    crawl_wide(&s);
    cr_assert_eq(s.result, CRAWL_OK);
    cr_expect_eq(s.records, 43, "%u", s.records);
    cr_expect_eq(s.edges, 40 + 42 * 20, "%u", s.edges);
    cr_expect_eq(s.most, CW_VISIT_SLICES_MAX, "%u", s.most);
    cr_expect_gt(s.waiting, 0);
    crawl_buf_free(&s.told);
}

/* Pages whose links are followed in slices end, and so do those that wait. */
Test(slices, all_end_when_the_crawl_fails)
{
    spider s = {.per_host = 40, .forced = true, .fail_at = 200};
    crawl_wide(&s);
    cr_assert_eq(s.result, CRAWL_EIO);
    cr_expect_gt(s.waiting, 0);
    cr_expect_lt(s.records, 40, "%u", s.records);
    crawl_buf_free(&s.told);
}

/* ---- requests without a transfer ---- */

enum { REFUSED = 2048 };

typedef struct closed_site {
    unsigned records;
    unsigned turns; /* turns of the loop, from the first record on */
    struct event *turn;
} closed_site;

static void on_turn(evutil_socket_t, short, void *user)
{
    closed_site *closed = user;
    const struct timeval at_once = {0};
    closed->turns += closed->records > 0 && closed->records < REFUSED;
    evtimer_add(closed->turn, &at_once);
}

static crawl_err count_record(void *user, const crawl_record *)
{
    closed_site *closed = user;
    closed->records++;
    return CRAWL_OK;
}

/* Seeds a site at a port where nothing listens, so that all of it is refused. */
static crawl_err seed_closed_site(crawl_engine *engine)
{
    crawl_err err = CRAWL_OK;
    for (int i = 0; !err && i < REFUSED; i++) {
        char url[64];
        snprintf(url, sizeof url, "http://127.0.0.1:1/%d", i);
        const crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from(url)};
        err = crawl_engine_seed(engine, &seed, NULL);
    }
    return err;
}

Test(slices, refused_requests_let_the_loop_turn)
{
    closed_site closed = {0};
    crawl_config config;
    crawl_engine *engine;
    const crawl_engine_hooks hooks = {.size = sizeof hooks, .on_record = count_record, .user = &closed};
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    crawl_config_set(&config, "crawl.workers", "1", NULL);
    crawl_config_set(&config, "politeness.retries", "0", NULL);
    cr_assert_eq(crawl_engine_create(&config, &hooks, &engine, NULL), CRAWL_OK);
    closed.turn = evtimer_new(engine->workers[0]->base, on_turn, &closed);
    cr_assert_eq(seed_closed_site(engine), CRAWL_OK);
    on_turn(-1, 0, &closed);
    cr_expect_eq(crawl_engine_run(engine, NULL), CRAWL_OK);
    cr_expect_eq(closed.records, REFUSED, "%u", closed.records);
    cr_expect_geq(closed.turns, 4, "%u", closed.turns);
    event_free(closed.turn);
    crawl_engine_free(engine);
    cw_config_clear(&config);
}

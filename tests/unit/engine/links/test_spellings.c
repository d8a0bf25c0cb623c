/* Links are followed twice, with the memory of their spellings and without: for any links, bases and changes in
 * between, each edge and each figure must be the same. */
#include "config/config_values.h"
#include "crawler/engine/host/hsts.h"
#include "crawler/engine/links/follow.h"
#include "crawler/engine/links/spellings.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/scope/trap.h"

#include <criterion/criterion.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct way {
    crawl_engine *engine;
    cw_links_judge judge;
    cw_links_batch batch;
    cw_links_follow follow;
    cw_links_spellings *spellings;
    crawl_buf edges;
} way;

static crawl_config config;
static way with, without;
static crawl_url *base;

static crawl_err keep_edge(void *user, crawl_engine *, const crawl_edge *edge)
{
    way *w = user;
    return crawl_buf_printf(&w->edges, "%.*s from %.*s: %s\n", (int)edge->to.size, edge->to.data, (int)edge->from.size,
                            edge->from.data, crawl_edge_verdict_name(edge->verdict));
}

static void open_way(way *w, bool remembers)
{
    crawl_error error = {0};
    const crawl_engine_hooks hooks = {.size = sizeof hooks, .on_edge = keep_edge, .user = w};
    const crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from("http://site.test/")};
    cr_assert_eq(crawl_engine_create(&config, &hooks, &w->engine, &error), CRAWL_OK, "%s", error.message);
    cr_assert_eq(crawl_engine_seed(w->engine, &seed, &error), CRAWL_OK, "%s", error.message);
    cr_assert_eq(cw_links_judge_open(&w->judge, w->engine), CRAWL_OK);
    if (remembers)
        cr_assert_eq(cw_links_spellings_create(w->engine, &w->spellings), CRAWL_OK);
    w->judge.spellings = w->spellings;
    w->batch.judge = &w->judge;
    cw_links_follow_open(&w->follow, &w->batch);
}

static void close_way(way *w)
{
    cw_links_follow_close(&w->follow);
    cw_links_spellings_free(w->spellings);
    cw_links_judge_close(&w->judge);
    crawl_buf_free(&w->batch.text);
    crawl_buf_free(&w->edges);
    crawl_engine_free(w->engine);
}

static void setup(void)
{
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    config.workers = 1;
    base = crawl_url_create();
    cr_assert_not_null(base);
}

static void begin(void)
{
    open_way(&with, true);
    open_way(&without, false);
}

static void teardown(void)
{
    close_way(&with);
    close_way(&without);
    crawl_url_free(base);
    cw_config_clear(&config);
}

TestSuite(spellings, .init = setup, .fini = teardown);

static void follow(way *w, const cw_links_list *list)
{
    const crawl_lease lease = {.url = crawl_slice_from("http://site.test/page")};
    const cw_links_source source = {.lease = &lease, .url = base};
    crawl_buf_clear(&w->edges);
    cw_links_followed followed = {0};
    cw_links_follow_begin(&w->follow, &source, list, CRAWL_EDGE_NEW, &followed);
    while (!cw_links_follow_go_on(&w->follow))
        cw_links_judge_begin_slice(w->follow.batch->judge);
}

static void expect_same_figures(void)
{
    crawl_engine_stats a, b;
    crawl_engine_stats_get(with.engine, &a);
    crawl_engine_stats_get(without.engine, &b);
    for (int i = 0; i < CRAWL_EDGE_COUNT; i++)
        cr_expect_eq(a.edges[i], b.edges[i], "%s", crawl_edge_verdict_name((crawl_edge_verdict)i));
    cr_expect_eq(a.frontier.pushed, b.frontier.pushed);
    cr_expect_eq(a.frontier.seen, b.frontier.seen);
    cr_expect_eq(a.frontier.accepted, b.frontier.accepted);
    cr_expect_eq(a.frontier.full, b.frontier.full);
    cr_expect_eq(a.patterns_stopped, b.patterns_stopped);
}

/* Follows the links of a page with this base in both ways. */
static void page(const char *base_text, const char *charset, const char *const *texts, size_t count)
{
    crawl_link links[256];
    cr_assert_leq(count, COUNT(links));
    for (size_t i = 0; i < count; i++)
        links[i] = (crawl_link){.href = crawl_slice_from(texts[i]), .tag = "a", .attr = "href", .kind = CRAWL_LINK_A};
    cr_assert_eq(crawl_url_parse(base, crawl_slice_from(base_text), NULL, NULL), CRAWL_OK, "%s", base_text);
    const cw_links_list list = {
        .links = links,
        .count = count,
        .base = base,
        .base_is_http = crawl_url_is_http(base),
        .charset = charset,
    };
    follow(&with, &list);
    follow(&without, &list);
    crawl_slice a = crawl_buf_slice(&with.edges);
    crawl_slice b = crawl_buf_slice(&without.edges);
    cr_expect(crawl_slice_equal(a, b), "base %s\nwith:\n%.*swithout:\n%.*s", base_text, (int)a.size, a.data,
              (int)b.size, b.data);
}

/* Expects this verdict, in both ways, for one link on a page of http://site.test/dir/. */
static void expect_fate(const char *text, crawl_edge_verdict verdict)
{
    page("http://site.test/dir/index.html", "utf-8", &text, 1);
    cr_expect_eq(with.follow.verdicts[0], verdict, "%s: %s", text,
                 crawl_edge_verdict_name((crawl_edge_verdict)with.follow.verdicts[0]));
}

/* Returns the remembered verdict of a link of the last page. It counts as met again. */
static crawl_edge_verdict remembered(const char *text)
{
    return cw_links_spellings_recall(with.spellings, cw_keyed_hash_of(&with.judge.secret, crawl_slice_from(text)));
}

Test(spellings, navigation_is_remembered)
{
    static const char *const links[] = {"a.html", "../up#part", "/top", "http://other.test/x", "http://site.test/b"};
    begin();
    page("http://site.test/dir/1.html", "utf-8", links, COUNT(links));
    page("http://site.test/dir/2.html", "utf-8", links, COUNT(links));
    expect_same_figures();
    cr_expect_eq(remembered("a.html"), CRAWL_EDGE_SEEN, "it is queued");
    cr_expect_eq(remembered("../up"), CRAWL_EDGE_SEEN);
    cr_expect_eq(remembered("http://other.test/x"), CRAWL_EDGE_SCOPE);
    cr_expect_eq(remembered("http://site.test/b"), CRAWL_EDGE_SEEN);
}

/* Spellings that a memory by text could confuse with one another, or with those of another page. */
static const char *const wild[] = {
    "",
    "#",
    "#top",
    "?",
    "?q",
    "?q=1#x",
    "\t?q",
    " a",
    "a",
    "a ",
    "a #x",
    "a\n",
    "a#x",
    "a\t?q",
    "a?q",
    "a?q=\xc3\xa4",
    "a?q=\xe4",
    "./a",
    ".",
    "..",
    "../",
    "../../../a",
    "/",
    "/a",
    "//",
    "//site.test",
    "//site.test/a",
    "\\a",
    "\\\\site.test\\a",
    "/\t/site.test/a",
    "http:",
    "http:a",
    "http:?q",
    "http:#x",
    "http:/a",
    "http://site.test",
    "http://site.test/a",
    "HTTP://SITE.TEST/a",
    "https://site.test/a",
    "https:a",
    "ht\ntp://site.test/a",
    "http://site.test:80/a",
    "http://site.test:8080/a",
    "http://site.test:25/a",
    "http://user@site.test/a",
    "http://user:word@site.test/a",
    "http://other.test/a",
    "http://1.2.3/a",
    "http://[::1]/a",
    "http://",
    "http:///",
    "http://a b/",
    "mailto:a@site.test",
    "mailto:a#x",
    "javascript:void(0)",
    "ftp://site.test/a",
    "data:,a",
    "x:y",
    "::",
    "a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a",
    "a;b",
    "%61",
    "a%zz",
    "\xff\xfe",
    "\xc3\xa4",
};

static const char *const bases[] = {
    "http://site.test/",
    "http://site.test/dir/",
    "http://site.test/dir/index.html",
    "http://site.test/dir/index.html?q",
    "http://site.test/dir/index.html?/deep/er/",
    "http://site.test/dir/other.html#/x/",
    "http://site.test/dir/sub/",
    "http://site.test/dir",
    "http://site.test:8080/dir/",
    "https://site.test/dir/",
    "http://user@site.test/dir/",
    "http://other.test/dir/",
    "http://site.test//dir//",
    "http://site.test/http://site.test/",
    "mailto:a@site.test",
    "data:text/html,x",
};

static void exclude(const char *pattern)
{
    cr_assert_eq(crawl_config_set(&config, "crawl.exclude", pattern, NULL), CRAWL_OK);
}

static void follow_all_wild(void)
{
    static const char *const charsets[] = {NULL, "utf-8", "windows-1252", "iso-2022-jp"};
    for (size_t round = 0; round < 3; round++)
        for (size_t c = 0; c < COUNT(charsets); c++)
            for (size_t i = 0; i < COUNT(bases); i++)
                page(bases[i], charsets[c], wild, COUNT(wild));
    expect_same_figures();
}

Test(spellings, wild_links_and_bases)
{
    begin();
    follow_all_wild();
}

/* Everything that a verdict may depend on, at once. */
Test(spellings, wild_links_and_bases_with_limits)
{
    config.scope = CRAWL_SCOPE_PREFIX;
    config.max_queries = 1;
    config.max_repeats = 3;
    config.max_queued = 20;
    exclude("a%|/a/a");
    exclude("((x+)+$)|delete");
    begin();
    follow_all_wild();
}

Test(spellings, long_lists_in_many_folders)
{
    static char texts[250][32];
    static const char *links[COUNT(texts)];
    begin();
    for (size_t round = 0; round < 40; round++) {
        for (size_t i = 0; i < COUNT(texts); i++) {
            bool is_navigation = i < COUNT(texts) / 2;
            snprintf(texts[i], sizeof texts[i], "%s%zu", is_navigation ? "nav" : "p", is_navigation ? i : round * i);
            links[i] = texts[i];
        }
        page(round % 2 ? "http://site.test/odd/" : "http://site.test/even/", "utf-8", links, COUNT(links));
    }
    expect_same_figures();
    cr_expect_eq(remembered("nav1"), CRAWL_EDGE_SEEN);
}

Test(spellings, white_space_before_a_fragment_is_of_the_url)
{
    static const char *const links[] = {"a", "a ", "a#x", "a #x"};
    static const uint8_t fates[] = {CRAWL_EDGE_NEW, CRAWL_EDGE_REPEATED, CRAWL_EDGE_REPEATED, CRAWL_EDGE_NEW};
    begin();
    page("http://site.test/dir/", "utf-8", links, COUNT(links));
    cr_expect_arr_eq(with.follow.verdicts, fates, sizeof fates, "the last is a%%20");
}

Test(spellings, a_wider_scope_takes_in_what_was_out_of_it)
{
    begin();
    expect_fate("http://other.test/x", CRAWL_EDGE_SCOPE);
    expect_fate("http://other.test/x", CRAWL_EDGE_SCOPE);
    cr_expect_eq(remembered("http://other.test/x"), CRAWL_EDGE_SCOPE);
    cr_assert_eq(crawl_url_parse(base, crawl_slice_from("http://other.test/"), NULL, NULL), CRAWL_OK);
    cr_assert_eq(cw_scope_add(with.engine->scope, base), CRAWL_OK);
    cr_assert_eq(cw_scope_add(without.engine->scope, base), CRAWL_OK);
    expect_fate("http://other.test/x", CRAWL_EDGE_NEW);
    expect_fate("http://other.test/x", CRAWL_EDGE_SEEN);
}

static void ask_for_https(way *w)
{
    cr_assert_eq(cw_host_hsts_set(w->engine->hsts, crawl_slice_from("site.test"), cw_wall_ms(), INT64_MAX, false),
                 CRAWL_OK);
}

Test(spellings, a_host_that_asks_for_https_is_another)
{
    config.hsts = true;
    begin();
    expect_fate("x", CRAWL_EDGE_NEW);
    expect_fate("https://site.test/dir/y", CRAWL_EDGE_NEW);
    expect_fate("x", CRAWL_EDGE_SEEN);
    ask_for_https(&with);
    ask_for_https(&without);
    expect_fate("x", CRAWL_EDGE_NEW);
    expect_fate("x", CRAWL_EDGE_SEEN);
    cr_expect_eq(remembered("x"), CRAWL_EDGE_NEW, "the policy may end");
    cr_expect_eq(remembered("https://site.test/dir/y"), CRAWL_EDGE_SEEN, "what is https stays so");
}

static void take_page(way *w)
{
    cw_host_record *host = cw_host_table_get(w->engine->host_table, crawl_slice_from("http://site.test"));
    cr_assert_not_null(host);
    crawl_trap full;
    cr_assert_eq(cw_scope_trap_take(w->engine->trap, host, 0, &full), CRAWL_OK);
    cr_assert_eq(full, CRAWL_TRAP_NONE);
}

Test(spellings, a_host_that_gave_all_its_pages)
{
    config.max_pages_per_host = 2;
    begin();
    expect_fate("x", CRAWL_EDGE_NEW);
    take_page(&with);
    take_page(&without);
    expect_fate("x", CRAWL_EDGE_SEEN);
    cr_expect_eq(remembered("x"), CRAWL_EDGE_SEEN);
    take_page(&with);
    take_page(&without);
    expect_fate("x", CRAWL_EDGE_MAX_PAGES_PER_HOST);
}

Test(spellings, each_stop_of_a_pattern_is_counted)
{
    exclude("((x+)+$)|delete");
    exclude("z");
    begin();
    for (int i = 0; i < 3; i++) {
        expect_fate("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx!", CRAWL_EDGE_FILTER);
        expect_fate("z", CRAWL_EDGE_FILTER);
    }
    expect_same_figures();
    cr_expect_eq(remembered("z"), CRAWL_EDGE_FILTER);
    cr_expect_eq(cw_engine_counted(&with.engine->counters.patterns_stopped), 3);
}

/* Leases everything and gives it up, so that a seen-set that can forget does. */
static void forget_all(way *w)
{
    crawl_lease lease;
    while (crawl_frontier_pop(w->engine->frontier, cw_engine_now(w->engine) + 1000000, &lease, NULL) == CRAWL_OK)
        cr_assert_eq(crawl_frontier_done(w->engine->frontier, lease.id, CRAWL_DONE_FORGET, 0,
                                         cw_engine_now(w->engine) + 1000000),
                     CRAWL_OK);
}

Test(spellings, what_is_forgotten_is_new_again)
{
    config.seen.kind = CRAWL_BLOOM_EXACT;
    begin();
    expect_fate("x", CRAWL_EDGE_NEW);
    expect_fate("x", CRAWL_EDGE_SEEN);
    forget_all(&with);
    forget_all(&without);
    expect_fate("x", CRAWL_EDGE_NEW);
    expect_same_figures();
}

static crawl_err take_any(void *, crawl_engine *, const crawl_found *, int32_t *)
{
    return CRAWL_OK;
}

Test(spellings, a_spider_that_is_asked_of_each_link)
{
    crawl_engine *engine = NULL;
    cw_links_spellings *spellings = NULL;
    const crawl_engine_hooks hooks = {.size = sizeof hooks, .on_link = take_any};
    begin();
    cr_assert_eq(crawl_engine_create(&config, &hooks, &engine, NULL), CRAWL_OK);
    cr_expect_eq(cw_links_spellings_create(engine, &spellings), CRAWL_OK);
    cr_expect_null(spellings);
    crawl_engine_free(engine);
}

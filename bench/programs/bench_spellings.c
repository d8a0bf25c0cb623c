/* Follows the links of real pages with the memory of their spellings and without: compares both edge by edge, and shows
 * what the memory finds.
 *
 *   bench_spellings compare FOLDER [PAGES]        both ways; ends with 2 if an edge or a figure differs
 *   bench_spellings with|without|read FOLDER ...  one way, or none, to be measured from outside:
 *                                                 valgrind --tool=callgrind, or perf stat
 *   FRESH=1 bench_spellings ...                   gives each link its own query, so that none comes twice
 *
 * The pages are the .html files of the folder and those below it, as pages of one host, each with the URL of its path.
 * They are read in the order of a walk over the folder. */
#include "bench/programs/keys.h"
#include "bench/programs/measure.h"
#include "config/config_values.h"
#include "crawler/engine/links/follow.h"
#include "crawler/engine/links/spellings.h"
#include "crawler/engine/parts.h"

#include <crawl/links.h>

#include <ftw.h>

#define HOST "http://docs.localhost"

/* An engine that follows links without a worker. */
typedef struct way {
    crawl_engine *engine;
    cw_links_judge judge;
    cw_links_batch batch;
    cw_links_follow follow;
    crawl_buf edges; /* of the present page, as text */
} way;

static struct {
    crawl_config config;
    way with, without;
    bool uses_with, uses_without, is_fresh;
    crawl_page *page;
    crawl_url *url;
    crawl_buf html, texts;
    crawl_link *links;
    size_t folder_size, pages, most_pages;
    uint64_t links_seen, made;
} bench;

static crawl_err keep_edge(void *user, crawl_engine *, const crawl_edge *edge)
{
    way *w = user;
    return crawl_buf_printf(&w->edges, "%.*s %.*s %u %s\n", (int)edge->from.size, edge->from.data, (int)edge->to.size,
                            edge->to.data, edge->depth, crawl_edge_verdict_name(edge->verdict));
}

static void open_way(way *w, bool with, bool tells_edges)
{
    crawl_error error = {0};
    const crawl_engine_hooks hooks = {.size = sizeof hooks, .on_edge = tells_edges ? keep_edge : NULL, .user = w};
    const crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from(HOST "/")};
    require(!crawl_engine_create(&bench.config, &hooks, &w->engine, &error), error.message);
    require(!crawl_engine_seed(w->engine, &seed, &error), error.message);
    w->batch.judge = &w->judge;
    require(!cw_links_judge_open(&w->judge, w->engine), "no memory");
    require(!with || !cw_links_spellings_create(w->engine, &w->judge.spellings), "no memory");
    cw_links_follow_open(&w->follow, &w->batch);
}

static void read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    require(file, path);
    crawl_buf_clear(&bench.html);
    char chunk[65536];
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
        require(!crawl_buf_append(&bench.html, chunk, got), "no memory");
    fclose(file);
}

/* Adds "?n=NUMBER" to the links, before their fragments. */
static void make_fresh(cw_links_list *list)
{
    size_t *at = malloc((list->count + 1) * sizeof *at);
    bench.links = realloc(bench.links, (list->count + 1) * sizeof *bench.links);
    require(at && bench.links, "no memory");
    crawl_buf_clear(&bench.texts);
    for (size_t i = 0; i < list->count; i++) {
        crawl_slice href = list->links[i].href;
        const char *hash = memchr(href.data, '#', href.size);
        at[i] = bench.texts.size;
        require(!crawl_buf_printf(&bench.texts, "%.*s?n=%llu", (int)(hash ? (size_t)(hash - href.data) : href.size),
                                  href.data, (unsigned long long)bench.made++),
                "no memory");
    }
    at[list->count] = bench.texts.size;
    for (size_t i = 0; i < list->count; i++) {
        bench.links[i] = list->links[i];
        bench.links[i].href = crawl_slice_of(bench.texts.data + at[i], at[i + 1] - at[i]);
    }
    list->links = bench.links;
    free(at);
}

static void compare(void)
{
    crawl_slice a = crawl_buf_slice(&bench.with.edges);
    crawl_slice b = crawl_buf_slice(&bench.without.edges);
    if (crawl_slice_equal(a, b))
        return;
    printf("with:\n%.*swithout:\n%.*s", (int)a.size, a.data, (int)b.size, b.data);
    require(false, "the edges of a page differ");
}

static void follow(way *w, const cw_links_list *list, crawl_slice url)
{
    const crawl_lease lease = {.url = url, .depth = 1};
    const cw_links_source source = {.lease = &lease, .url = bench.url};
    crawl_buf_clear(&w->edges);
    cw_links_followed followed = {0};
    cw_links_follow_begin(&w->follow, &source, list, CRAWL_EDGE_NEW, &followed);
    while (!cw_links_follow_go_on(&w->follow))
        cw_links_judge_begin_slice(w->follow.batch->judge);
}

static int take_page(const char *path, const struct stat *, int kind, struct FTW *)
{
    size_t size = strlen(path);
    if (kind != FTW_F || size < 5 || strcmp(path + size - 5, ".html") != 0)
        return 0;
    crawl_buf url = {0};
    read_file(path);
    require(!crawl_buf_printf(&url, HOST "%s", path + bench.folder_size), "no memory");
    if (crawl_url_parse(bench.url, crawl_buf_slice(&url), NULL, NULL) == CRAWL_OK) {
        require(!crawl_page_parse(bench.page, crawl_buf_slice(&bench.html), bench.url, NULL), "no memory");
        cw_links_list list = {.base = crawl_page_base(bench.page), .charset = crawl_page_charset(bench.page)};
        list.base_is_http = crawl_url_is_http(list.base);
        list.links = crawl_page_links(bench.page, &list.count);
        bench.links_seen += list.count;
        if (bench.is_fresh)
            make_fresh(&list);
        if (bench.uses_with)
            follow(&bench.with, &list, crawl_buf_slice(&url));
        if (bench.uses_without)
            follow(&bench.without, &list, crawl_buf_slice(&url));
        compare();
    }
    crawl_buf_free(&url);
    return ++bench.pages == bench.most_pages;
}

static crawl_engine_stats say(const way *w)
{
    crawl_engine_stats stats;
    crawl_engine_stats_get(w->engine, &stats);
    printf("%s:", w == &bench.with ? "with   " : "without");
    for (int i = 0; i < CRAWL_EDGE_COUNT; i++)
        if (stats.edges[i])
            printf(" %s %llu,", crawl_edge_verdict_name((crawl_edge_verdict)i), (unsigned long long)stats.edges[i]);
    printf(" pushed %llu, refused as seen %llu, accepted %llu\n", (unsigned long long)stats.frontier.pushed,
           (unsigned long long)stats.frontier.seen, (unsigned long long)stats.frontier.accepted);
    return stats;
}

static void compare_figures(void)
{
    const crawl_engine_stats a = say(&bench.with);
    const crawl_engine_stats b = say(&bench.without);
    require(memcmp(a.edges, b.edges, sizeof a.edges) == 0 && a.frontier.pushed == b.frontier.pushed &&
                a.frontier.seen == b.frontier.seen && a.frontier.accepted == b.frontier.accepted,
            "the figures differ");
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return fputs("usage: bench_spellings compare|with|without|read FOLDER [PAGES]\n", stderr), 2;
    bool both = strcmp(argv[1], "compare") == 0;
    bench.uses_with = both || strcmp(argv[1], "with") == 0;
    bench.uses_without = both || strcmp(argv[1], "without") == 0;
    bench.is_fresh = getenv("FRESH");
    bench.folder_size = strlen(argv[2]);
    bench.most_pages = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    bench.page = crawl_page_create();
    bench.url = crawl_url_create();
    require(!cw_config_init(&bench.config) && bench.page && bench.url, "no memory");
    bench.config.workers = 1;
    if (bench.uses_with)
        open_way(&bench.with, true, both);
    if (bench.uses_without)
        open_way(&bench.without, false, both);
    require(nftw(argv[2], take_page, 20, 0) >= 0, argv[2]);
    printf("%zu pages, %llu links\n", bench.pages, (unsigned long long)bench.links_seen);
    if (both)
        compare_figures();
    else if (bench.uses_with || bench.uses_without)
        (void)say(bench.uses_with ? &bench.with : &bench.without);
    return 0;
}

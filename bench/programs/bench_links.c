/* Times the stages of a link: resolve, canonicalize, fingerprint, filter, queue. Takes the real links of the HTML pages
 * in a folder, as if many hosts served that folder, and prints the time of each stage and the memory per URL: once with
 * the links as they are, nearly all of them seen before, and once with a query added to each, so that every link is
 * new.
 *
 *   bench_links FOLDER [LINKS]  LINKS defaults to 1000000
 *
 * Stages are measured by difference: each pass does one stage more than the pass before. A pass runs 5 times, in turn
 * with the others; the table has medians of processor time. */
#include "bench/programs/pages.h"

#include <crawl/bloom.h>
#include <crawl/fingerprint.h>
#include <crawl/frontier.h>
#include <crawl/url.h>

enum { RUNS = 5, MAX_BATCH = 4096 };
enum { PASS_READ, PASS_RESOLVE, PASS_CANONICAL, PASS_FINGERPRINT, PASS_FILTER, PASS_QUEUE, PASSES };

typedef struct bench {
    page *pages;
    size_t link_target;
    crawl_url *base;
    crawl_url *url;
    crawl_fingerprinter *fingerprinter;
    crawl_bloom *filter;
    crawl_frontier *frontier;
    crawl_buf canonical;
    crawl_buf texts;
    crawl_request requests[MAX_BATCH];
    crawl_fingerprint fingerprints[MAX_BATCH];
    uint8_t fresh[MAX_BATCH];
    size_t offsets[MAX_BATCH];
    size_t done;
    size_t url_bytes;
    bool unique; /* give each link its own query */
    crawl_buf href;
} bench;

/* Returns the link as it stands, or with "?n=NUMBER" before its fragment. */
static crawl_slice href_of(bench *b, crawl_slice link, size_t number)
{
    if (!b->unique)
        return link;
    const char *hash = memchr(link.data, '#', link.size);
    size_t size = hash ? (size_t)(hash - link.data) : link.size;
    crawl_buf_clear(&b->href);
    crawl_buf_append(&b->href, link.data, size);
    crawl_buf_printf(&b->href, "?n=%zu", number);
    crawl_buf_append(&b->href, link.data + size, link.size - size);
    return crawl_buf_slice(&b->href);
}

static size_t one_page(bench *b, const page *p, int pass)
{
    size_t kept = 0;
    crawl_buf_clear(&b->texts);
    for (size_t i = 0; i < p->link_count; i++) {
        crawl_slice href = href_of(b, p->links[i], b->done + i);
        if (pass == PASS_READ) {
            kept++;
            continue;
        }
        if (crawl_url_parse(b->url, href, b->base, NULL) || !crawl_url_is_http(b->url))
            continue;
        crawl_slice text = crawl_url_request(b->url);
        b->url_bytes += text.size;
        if (pass >= PASS_CANONICAL) {
            crawl_buf_clear(&b->canonical);
            crawl_url_canonical(b->url, &b->canonical);
        }
        if (pass >= PASS_FINGERPRINT)
            crawl_fingerprint_request(b->fingerprinter, (crawl_slice){0}, crawl_buf_slice(&b->canonical),
                                      (crawl_slice){0}, &b->fingerprints[kept]);
        if (pass == PASS_QUEUE) {
            b->offsets[kept] = b->texts.size;
            b->requests[kept] =
                (crawl_request){.url = {.size = text.size}, .fingerprint = b->fingerprints[kept], .depth = 1};
            crawl_buf_append(&b->texts, text.data, text.size);
        }
        kept++;
    }
    if (pass == PASS_FILTER)
        crawl_bloom_add_many(b->filter, b->fingerprints, sizeof *b->fingerprints, kept, b->fresh, NULL);
    if (pass == PASS_QUEUE) {
        for (size_t i = 0; i < kept; i++)
            b->requests[i].url.data = b->texts.data + b->offsets[i];
        crawl_frontier_push(b->frontier, b->requests, kept, crawl_url_href(b->base), NULL, NULL, 0);
    }
    return kept;
}

static void set_base(bench *b, size_t host, const char *name)
{
    char text[512];
    snprintf(text, sizeof text, "http://site%zu.example/3/library/%s", host, name);
    if (crawl_url_parse(b->base, crawl_slice_from(text), NULL, NULL))
        fail("base URL");
}

static double run_pass(bench *b, int pass)
{
    b->done = 0;
    b->url_bytes = 0;
    double start = clock_of(CLOCK_THREAD_CPUTIME_ID);
    for (size_t host = 0; b->done < b->link_target; host++)
        for (size_t i = 0; i < paths.count && b->done < b->link_target; i++) {
            set_base(b, host, b->pages[i].name);
            one_page(b, &b->pages[i], pass);
            b->done += b->pages[i].link_count;
        }
    return (clock_of(CLOCK_THREAD_CPUTIME_ID) - start) * 1e9 / (double)b->done;
}

static void fresh_stores(bench *b)
{
    crawl_bloom_free(b->filter);
    crawl_frontier_free(b->frontier);
    crawl_bloom_options filter;
    crawl_bloom_options_init(&filter);
    crawl_frontier_options frontier;
    crawl_frontier_options_init(&frontier, sizeof frontier);
    if (crawl_bloom_create(&filter, &b->filter, NULL) || crawl_frontier_create(&frontier, &b->frontier, NULL))
        fail("no memory");
}

static void print_table(bench *b, double times[PASSES][RUNS])
{
    static const char *const names[PASSES] = {
        "", "resolve", "canonicalize", "fingerprint", "filter", "queue (filter included)"};
    double median[PASSES];
    for (int pass = 0; pass < PASSES; pass++) {
        qsort(times[pass], RUNS, sizeof(double), compare_times);
        median[pass] = times[pass][RUNS / 2];
    }
    crawl_frontier_stats stats;
    crawl_frontier_stats_get(b->frontier, 0, &stats);
    printf("%zu links of %zu pages%s, mean URL %.0f bytes, %llu distinct; one thread; median of %d interleaved runs\n",
           b->done, paths.count, b->unique ? ", a query added to each" : "", (double)b->url_bytes / (double)b->done,
           (unsigned long long)stats.accepted, RUNS);
    printf("  %-26s %12s\n", "stage", "ns per link");
    for (int pass = PASS_RESOLVE; pass < PASSES; pass++)
        printf("  %-26s %12.0f\n", names[pass],
               median[pass] - median[pass == PASS_QUEUE ? PASS_FINGERPRINT : pass - 1]);
    printf("  %-26s %12.0f\n", "the whole way", median[PASS_QUEUE] - median[PASS_READ]);
    printf("  %-26s %12s\n", "memory", "bytes per distinct URL");
    printf("  %-26s %12.1f\n", "queue", (double)stats.bytes / (double)stats.queued);
    printf("  %-26s %12.1f\n\n", "filter", (double)stats.filter.bytes / (double)stats.accepted);
}

static void run_table(bench *b, bool unique)
{
    static double times[PASSES][RUNS];
    b->unique = unique;
    for (int run = 0; run < RUNS; run++) {
        fresh_stores(b);
        for (int pass = 0; pass < PASSES; pass++)
            times[pass][run] = run_pass(b, pass);
    }
    print_table(b, times);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_links FOLDER [LINKS]\n");
        return 2;
    }
    static bench b;
    b.link_target = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
    b.base = crawl_url_create();
    b.url = crawl_url_create();
    b.fingerprinter = crawl_fingerprinter_create();
    if (!b.base || !b.url || !b.fingerprinter)
        fail("no memory");
    b.pages = load_links(argv[1], MAX_BATCH);
    run_table(&b, false);
    run_table(&b, true);
    return 0;
}

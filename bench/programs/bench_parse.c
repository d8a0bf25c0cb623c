/* Extracts links from HTML pages: both extractors of this library, libxml2's parser as a stream of elements (SAX) that
 * only looks at each, and libxml2's tree (htmlReadMemory) with a walk over it, on the same pages in turn.
 *
 *   bench_parse FOLDER...  takes PAGES evenly spaced ones of the .html files below, in memory
 *
 * A run is one contender over all pages. Runs are interleaved; the table has medians of processor time, and
 * instructions if the kernel allows counting. */
#include "bench/programs/pages.h"

#include <crawl/fingerprint.h>
#include <crawl/url.h>

#include <libxml/HTMLparser.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGES = 2000, RUNS = 9, MAX_PAGE = 1 << 20, UNIT = 36 * 1024 };

typedef struct bench {
    crawl_slice pages[PAGES];
    size_t count;
    size_t bytes;
    crawl_page *page;
    crawl_url *base;
    crawl_url *url;
    crawl_fingerprinter *fingerprinter;
    crawl_buf canonical;
} bench;

/* --- pages --- */

static void load(bench *b, char **folders)
{
    for (; *folders; folders++)
        list_pages(*folders, 256, MAX_PAGE);
    b->count = paths.count < PAGES ? paths.count : PAGES;
    for (size_t i = 0; i < b->count; i++) {
        crawl_buf html = {0};
        read_file(paths.all[i * paths.count / b->count], &html);
        b->pages[i] = crawl_buf_slice(&html);
        b->bytes += html.size;
    }
}

/* --- contenders: each returns the number of links on a page --- */

static size_t count_value(const char *name, const xmlChar **attributes)
{
    bool src = strcmp(name, "frame") == 0 || strcmp(name, "iframe") == 0;
    bool href = strcmp(name, "a") == 0 || strcmp(name, "area") == 0 || strcmp(name, "link") == 0;
    for (; (src || href) && attributes && attributes[0]; attributes += 2)
        if (strcmp((const char *)attributes[0], src ? "src" : "href") == 0)
            return 1;
    return 0;
}

static void on_start(void *user, const xmlChar *name, const xmlChar **attributes)
{
    *(size_t *)user += count_value((const char *)name, attributes);
}

static void on_error(void *, xmlErrorPtr)
{
}

enum { OPTIONS = HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET };

static size_t libxml2_sax(bench *, crawl_slice html)
{
    static const htmlSAXHandler handlers = {
        .initialized = XML_SAX2_MAGIC, .startElement = on_start, .serror = on_error};
    size_t links = 0;
    htmlParserCtxtPtr parser = htmlCreateMemoryParserCtxt(html.data, (int)html.size);
    if (!parser)
        fail("no memory");
    *parser->sax = handlers;
    parser->userData = &links;
    htmlCtxtUseOptions(parser, OPTIONS);
    htmlParseDocument(parser);
    htmlFreeParserCtxt(parser);
    return links;
}

static size_t count_tree(const xmlNode *node)
{
    size_t links = 0;
    for (; node; node = node->next) {
        if (node->type != XML_ELEMENT_NODE)
            continue;
        const char *name = (const char *)node->name;
        bool src = strcmp(name, "frame") == 0 || strcmp(name, "iframe") == 0;
        bool href = strcmp(name, "a") == 0 || strcmp(name, "area") == 0 || strcmp(name, "link") == 0;
        xmlChar *value = src || href ? xmlGetProp(node, (const xmlChar *)(src ? "src" : "href")) : NULL;
        links += value != NULL;
        xmlFree(value);
        links += count_tree(node->children);
    }
    return links;
}

static size_t libxml2_tree(bench *, crawl_slice html)
{
    xmlDocPtr document = htmlReadMemory(html.data, (int)html.size, NULL, NULL, OPTIONS);
    size_t links = document ? count_tree(xmlDocGetRootElement(document)) : 0;
    xmlFreeDoc(document);
    return links;
}

static size_t parse(bench *b, crawl_extractor extractor, unsigned kinds, crawl_slice html)
{
    crawl_page_set_extractor(b->page, extractor);
    crawl_page_set_kinds(b->page, kinds);
    size_t count;
    if (crawl_page_parse(b->page, html, b->base, NULL))
        fail("no memory");
    crawl_page_links(b->page, &count);
    return count;
}

/* The kinds that count_value counts. */
enum { COUNTED = CRAWL_LINK_PAGES & ~CRAWL_LINK_REFRESH };

static size_t by_libxml2(bench *b, crawl_slice html)
{
    return parse(b, CRAWL_EXTRACTOR_LIBXML2, COUNTED, html);
}

static size_t by_scan(bench *b, crawl_slice html)
{
    return parse(b, CRAWL_EXTRACTOR_SCAN, COUNTED, html);
}

static size_t by_scan_all(bench *b, crawl_slice html)
{
    return parse(b, CRAWL_EXTRACTOR_SCAN, CRAWL_LINK_ALL, html);
}

static size_t by_scan_with_text(bench *b, crawl_slice html)
{
    crawl_page_set_text(b->page, CRAWL_TEXT_LINKS | CRAWL_TEXT_PAGE);
    size_t count = by_scan(b, html);
    crawl_page_set_text(b->page, 0);
    return count;
}

static size_t by_scan_to_fingerprints(bench *b, crawl_slice html)
{
    size_t count = by_scan(b, html);
    const crawl_link *links = crawl_page_links(b->page, &count);
    crawl_fingerprint fingerprint;
    for (size_t i = 0; i < count; i++) {
        crawl_buf_clear(&b->canonical);
        if (crawl_url_parse(b->url, links[i].href, crawl_page_base(b->page), crawl_page_charset(b->page)) ||
            crawl_url_canonical(b->url, &b->canonical))
            continue;
        crawl_fingerprint_request(b->fingerprinter, (crawl_slice){0}, crawl_buf_slice(&b->canonical), (crawl_slice){0},
                                  &fingerprint);
    }
    return count;
}

static const struct {
    const char *name;
    size_t (*run)(bench *b, crawl_slice html);
} contenders[] = {
    {"libxml2: htmlReadMemory + walk", libxml2_tree},
    {"libxml2: SAX", libxml2_sax},
    {"extractor libxml2", by_libxml2},
    {"extractor scan", by_scan},
    {"extractor scan, all kinds", by_scan_all},
    {"extractor scan, with all text", by_scan_with_text},
    {"extractor scan, to fingerprints", by_scan_to_fingerprints},
};

enum { CONTENDERS = sizeof contenders / sizeof contenders[0], TREE = 0, SAX = 1 };

/* --- measuring --- */

/* Opens a counter of user-space instructions; -1: not allowed. */
static int open_counter(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_HW_INSTRUCTIONS,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static uint64_t read_counter(int counter)
{
    uint64_t value = 0;
    return counter >= 0 && read(counter, &value, sizeof value) == sizeof value ? value : 0;
}

typedef struct measure {
    double seconds[RUNS];
    double instructions[RUNS];
    size_t links;
} measure;

static void run(bench *b, int contender, int round, int counter, measure *m)
{
    double start = clock_of(CLOCK_THREAD_CPUTIME_ID);
    uint64_t before = read_counter(counter);
    m->links = 0;
    for (size_t i = 0; i < b->count; i++)
        m->links += contenders[contender].run(b, b->pages[i]);
    m->instructions[round] = (double)(read_counter(counter) - before);
    m->seconds[round] = clock_of(CLOCK_THREAD_CPUTIME_ID) - start;
}

static double median(double *values)
{
    qsort(values, RUNS, sizeof *values, compare_times);
    return values[RUNS / 2];
}

static void print_table(const bench *b, measure *measures, bool counted)
{
    printf("%zu pages, mean %zu bytes, in memory; libxml2 " LIBXML_DOTTED_VERSION
           "; one thread; median of %d interleaved runs\n",
           b->count, b->bytes / b->count, RUNS);
    printf("  %-33s %9s %11s %9s %9s %9s %9s\n", "", "us/page", "us/36 KiB", "MB/s", "of tree", "of SAX", "links");
    double tree = median(measures[TREE].seconds);
    double sax = median(measures[SAX].seconds);
    for (int i = 0; i < CONTENDERS; i++) {
        double seconds = median(measures[i].seconds);
        printf("  %-33s %9.1f %11.1f %9.0f %9.3f %9.3f %9zu", contenders[i].name, seconds / (double)b->count * 1e6,
               seconds / (double)b->bytes * UNIT * 1e6, (double)b->bytes / seconds / 1e6, seconds / tree, seconds / sax,
               measures[i].links);
        if (counted)
            printf("  %.2f instructions a byte", median(measures[i].instructions) / (double)b->bytes);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    static bench b;
    static measure measures[CONTENDERS];
    if (argc < 2) {
        fprintf(stderr, "usage: bench_parse FOLDER...\n");
        return 2;
    }
    b.page = crawl_page_create();
    b.base = crawl_url_create();
    b.url = crawl_url_create();
    b.fingerprinter = crawl_fingerprinter_create();
    if (!b.page || !b.base || !b.url || !b.fingerprinter ||
        crawl_url_parse(b.base, crawl_slice_from("http://docs.example/a/b.html"), NULL, NULL))
        fail("no memory");
    load(&b, argv + 1);
    int counter = open_counter();
    for (int round = -1; round < RUNS; round++) /* the first is a warm-up */
        for (int i = 0; i < CONTENDERS; i++)
            run(&b, i, round < 0 ? 0 : round, counter, &measures[i]);
    print_table(&b, measures, counter >= 0);
    return 0;
}

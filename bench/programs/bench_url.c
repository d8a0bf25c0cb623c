/* Compares the steps from a link to its fingerprint with libcurl's URL API. Takes the real links of the HTML pages in a
 * folder, as if many hosts served that folder, and prints the time of each way to process them:
 *
 *   bench_url FOLDER [LINKS]  LINKS defaults to 1000000
 *
 * Our ways resolve each link against its page. libcurl has the easier task of parsing the resolved URL. The last ways
 * look a link up, by the folder of its page and its text, before it is resolved: they show whether a cache of
 * fingerprints pays. Each way runs 7 times, in turn with the others; the table has medians of processor time of one
 * thread. */
#include "bench/programs/pages.h"

#include <crawl/fingerprint.h>
#include <crawl/url.h>

#include <curl/curl.h>
#include <xxhash.h>

enum { RUNS = 7, MAX_LINKS = 4096, CACHE_SLOTS = 1 << 16 };

typedef enum way { READ, PARSE, CANONICAL, FINGERPRINT, W3LIB, SCRAPY, LIBCURL, LIBCURL_SHA1, CACHED, WAYS } way;

typedef struct slot {
    XXH128_hash_t key;
    crawl_fingerprint fingerprint;
} slot;

typedef struct bench {
    page *pages;
    size_t link_target;
    crawl_url *base;
    crawl_url *url;
    crawl_fingerprinter *fingerprinter;
    CURLU *curl;
    crawl_buf canonical;
    crawl_buf key;
    crawl_buf texts; /* the resolved links of all pages, each with a NUL, all on one host */
    size_t *text_at; /* offset of each in texts; SIZE_MAX: not an http(s) URL */
    slot *cache;
    size_t hits;
    size_t done;
    size_t text_bytes;
    uint8_t check; /* keeps the compiler from removing unused results */
} bench;

static void set_base(bench *b, size_t host, const char *name)
{
    char text[512];
    snprintf(text, sizeof text, "http://site%zu.example/3/library/%s", host, name);
    if (crawl_url_parse(b->base, crawl_slice_from(text), NULL, NULL))
        die("base URL");
}

/* Makes the URLs for libcurl. All are on one host, since the host does not matter to parsing. */
static void resolve_all(bench *b)
{
    size_t count = 0;
    for (size_t i = 0; i < paths.count; i++)
        count += b->pages[i].link_count;
    b->text_at = calloc(count, sizeof *b->text_at);
    size_t at = 0;
    for (size_t i = 0; i < paths.count; i++) {
        set_base(b, 1000, b->pages[i].name);
        for (size_t j = 0; j < b->pages[i].link_count; j++, at++) {
            b->text_at[at] = SIZE_MAX;
            if (crawl_url_parse(b->url, b->pages[i].links[j], b->base, NULL) || !crawl_url_is_http(b->url))
                continue;
            crawl_slice href = crawl_url_href(b->url);
            b->text_at[at] = b->texts.size;
            if (crawl_buf_append(&b->texts, href.data, href.size) || crawl_buf_append_char(&b->texts, '\0'))
                die("no memory");
        }
    }
}

/* Resolves the link, and does the further steps of this way. */
static void ours(bench *b, crawl_slice link, way how)
{
    static const crawl_canonical_options w3lib = {.size = sizeof w3lib, .profile = CRAWL_PROFILE_W3LIB};
    static const crawl_fingerprint_options scrapy = {.size = sizeof scrapy, .kind = CRAWL_FINGERPRINT_SCRAPY_27};
    static const crawl_slice none;
    crawl_fingerprint fingerprint = {0};
    if (crawl_url_parse(b->url, link, b->base, NULL) || !crawl_url_is_http(b->url))
        return;
    b->text_bytes += crawl_url_request(b->url).size;
    if (how == PARSE)
        return;
    crawl_buf_clear(&b->canonical);
    if (how == W3LIB || how == SCRAPY)
        crawl_url_canonical_by(b->url, &w3lib, &b->canonical);
    else
        crawl_url_canonical(b->url, &b->canonical);
    if (how == FINGERPRINT)
        crawl_fingerprint_request(b->fingerprinter, none, crawl_buf_slice(&b->canonical), none, &fingerprint);
    else if (how == SCRAPY)
        crawl_fingerprint_by(b->fingerprinter, &scrapy, none, crawl_buf_slice(&b->canonical), none, NULL, 0,
                             &fingerprint);
    b->check ^= fingerprint.bytes[0];
}

static void by_curl(bench *b, size_t text_at, way how)
{
    crawl_fingerprint fingerprint = {0};
    if (text_at == SIZE_MAX)
        return;
    const char *text = b->texts.data + text_at;
    if (curl_url_set(b->curl, CURLUPART_URL, text, 0))
        return;
    if (how == LIBCURL_SHA1)
        crawl_fingerprint_bytes(b->fingerprinter, crawl_slice_from(text), &fingerprint);
    b->check ^= fingerprint.bytes[0];
}

/* b->key begins with the folder of the page, folder_size bytes. */
static void cached(bench *b, crawl_slice link, size_t folder_size)
{
    b->key.size = folder_size;
    if (crawl_buf_append(&b->key, link.data, link.size))
        die("no memory");
    XXH128_hash_t key = XXH3_128bits(b->key.data, b->key.size);
    slot *one = &b->cache[key.low64 % CACHE_SLOTS];
    if (one->key.low64 == key.low64 && one->key.high64 == key.high64) {
        b->hits++;
        b->check ^= one->fingerprint.bytes[0];
        return;
    }
    if (crawl_url_parse(b->url, link, b->base, NULL) || !crawl_url_is_http(b->url))
        return;
    crawl_slice none = {0};
    crawl_buf_clear(&b->canonical);
    crawl_url_canonical(b->url, &b->canonical);
    crawl_fingerprint_request(b->fingerprinter, none, crawl_buf_slice(&b->canonical), none, &one->fingerprint);
    one->key = key;
}

static size_t take_folder(bench *b)
{
    crawl_slice base = crawl_url_request(b->base);
    const char *slash = memrchr(base.data, '/', base.size);
    crawl_buf_clear(&b->key);
    if (crawl_buf_append(&b->key, base.data, (size_t)(slash + 1 - base.data)))
        die("no memory");
    return b->key.size;
}

static void one_page(bench *b, const page *p, const size_t *text_at, way how)
{
    size_t folder = how == CACHED ? take_folder(b) : 0;
    for (size_t i = 0; i < p->link_count; i++)
        switch (how) {
        case READ:
            b->check ^= (uint8_t)p->links[i].size;
            break;
        case LIBCURL:
        case LIBCURL_SHA1:
            by_curl(b, text_at[i], how);
            break;
        case CACHED:
            cached(b, p->links[i], folder);
            break;
        default:
            ours(b, p->links[i], how);
        }
}

static double run(bench *b, way how)
{
    b->done = b->text_bytes = b->hits = 0;
    memset(b->cache, 0, CACHE_SLOTS * sizeof *b->cache);
    double start = now_s();
    for (size_t host = 0; b->done < b->link_target; host++) {
        const size_t *text_at = b->text_at;
        for (size_t i = 0; i < paths.count && b->done < b->link_target; i++) {
            set_base(b, 1000 + host, b->pages[i].name);
            one_page(b, &b->pages[i], text_at, how);
            b->done += b->pages[i].link_count;
            text_at += b->pages[i].link_count;
        }
    }
    return (now_s() - start) * 1e9 / (double)b->done;
}

int main(int argc, char **argv)
{
    static const char *const names[WAYS] = {
        [PARSE] = "resolve and parse",
        [CANONICAL] = "  and canonical form",
        [FINGERPRINT] = "    and fingerprint",
        [W3LIB] = "  and canonical form of w3lib",
        [SCRAPY] = "    and fingerprint of Scrapy 2.7",
        [LIBCURL] = "libcurl: parse the absolute URL",
        [LIBCURL_SHA1] = "  and SHA-1 of its text",
        [CACHED] = "cache by folder and link, else fingerprint",
    };
    static double times[WAYS][RUNS];
    static bench b;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_url FOLDER [LINKS]\n");
        return 2;
    }
    b.link_target = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
    b.base = crawl_url_create();
    b.url = crawl_url_create();
    b.fingerprinter = crawl_fingerprinter_create();
    b.curl = curl_url();
    b.cache = calloc(CACHE_SLOTS, sizeof *b.cache);
    if (!b.base || !b.url || !b.fingerprinter || !b.curl || !b.cache)
        die("no memory");
    b.pages = load_links(argv[1], MAX_LINKS);
    resolve_all(&b);
    for (int i = 0; i < RUNS; i++)
        for (way how = READ; how < WAYS; how++)
            times[how][i] = run(&b, how);
    double hits = (double)b.hits / (double)b.done;
    run(&b, PARSE);
    printf("%zu links of %zu pages, mean URL %.0f bytes; one thread; median of %d interleaved runs; %s\n", b.done,
           paths.count, (double)b.text_bytes / (double)b.done, RUNS, curl_version());
    printf("  %-44s %12s\n", "", "ns per link");
    for (way how = READ; how < WAYS; how++)
        qsort(times[how], RUNS, sizeof(double), compare_times);
    for (way how = PARSE; how < WAYS; how++)
        printf("  %-44s %12.0f\n", names[how], times[how][RUNS / 2] - times[READ][RUNS / 2]);
    printf("  the cache of %d slots answered %.1f %%\n", CACHE_SLOTS, 100 * hits);
    printf("  (%u)\n", b.check);
    return 0;
}

/* Any bytes as a sitemap, whole and in pieces whose size the first byte gives. Besides memory safety, checks that
 * entries are http(s) URLs within the maxima, that the counts are those of the entries reported, and that text,
 * compressed or not, gives the same URLs in pieces. */
#include <crawl/sitemap.h>

#include <stdint.h>
#include <stdlib.h>

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

enum { MAX_ENTRIES = 50, MAX_BYTES = 1 << 20 };

typedef struct reading {
    uint64_t entries;
    crawl_buf urls;
    crawl_sitemap_stats stats;
    crawl_err err;
} reading;

static crawl_err on_entry(void *user, const crawl_sitemap_entry *entry)
{
    reading *r = user;
    crawl_slice url = crawl_url_href(entry->url);
    CHECK(crawl_url_is_http(entry->url));
    CHECK(entry->priority >= 0 && entry->priority <= 1);
    CHECK(entry->lastmod_text.size <= 128);
    for (size_t i = 0; i < entry->link_count; i++)
        CHECK(entry->links[i].url.size && entry->links[i].hreflang.size <= 128);
    CHECK(!entry->news || (entry->news->title.size <= 1024 && entry->news->language.size <= 128));
    r->entries++;
    CHECK(crawl_buf_append(&r->urls, url.data, url.size) == CRAWL_OK);
    return crawl_buf_append_char(&r->urls, '\n');
}

static reading read_pieces(const uint8_t *data, size_t size, size_t piece, const crawl_url *url, bool is_llms)
{
    reading r = {0};
    crawl_sitemap *sitemap;
    const crawl_sitemap_options options = {.size = sizeof options,
                                           .url = url,
                                           .max_entries = MAX_ENTRIES,
                                           .max_bytes = MAX_BYTES,
                                           .on_entry = on_entry,
                                           .user = &r,
                                           .is_llms = is_llms};
    CHECK(crawl_sitemap_create(&options, &sitemap) == CRAWL_OK);
    for (size_t at = 0; at < size && !r.err; at += piece)
        r.err = crawl_sitemap_feed(sitemap, crawl_slice_of(data + at, size - at < piece ? size - at : piece));
    crawl_err ended = crawl_sitemap_end(sitemap);
    CHECK(!r.err || ended == r.err);
    r.err = ended;
    CHECK(r.err == CRAWL_OK || r.err == CRAWL_EPARSE || r.err == CRAWL_FULL);
    crawl_sitemap_stats_get(sitemap, &r.stats);
    CHECK(r.stats.entries == r.entries && r.entries <= MAX_ENTRIES && r.stats.bytes <= MAX_BYTES);
    crawl_sitemap_free(sitemap);
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    crawl_url *url = crawl_url_create();
    CHECK(url && crawl_url_parse(url, crawl_slice_from("http://h/d/s.xml"), NULL, NULL) == CRAWL_OK);
    size_t piece = 1 + data[0];
    bool is_llms = data[0] & 128;
    reading whole = read_pieces(data + 1, size - 1, size, data[0] % 2 ? url : NULL, is_llms);
    reading pieces = read_pieces(data + 1, size - 1, piece, data[0] % 2 ? url : NULL, is_llms);
    bool is_lines = whole.stats.type == CRAWL_SITEMAP_TEXT || whole.stats.type == CRAWL_SITEMAP_LLMS;
    if (is_lines && !whole.stats.broken && !whole.stats.full && !pieces.stats.full)
        CHECK(crawl_slice_equal(crawl_buf_slice(&whole.urls), crawl_buf_slice(&pieces.urls)));
    crawl_buf_free(&whole.urls);
    crawl_buf_free(&pieces.urls);
    crawl_url_free(url);
    return 0;
}

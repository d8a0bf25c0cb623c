/* Sitemaps on disk: a maximum of URLs and bytes per file, an index of several, and each file as our reader accepts it.
 */
#include "crawler/program/output/site_map_files.h"
#include "tests/support/folder.h"

#include <crawl/sitemap.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(site_map_files, .init = make_folder, .fini = remove_folder);

static char urls[100][64];
static cw_site_page pages[100];

static void write_pages(size_t count, uint64_t max_entries, uint64_t max_bytes, uint64_t files)
{
    crawl_error error = {0};
    cw_site_files all = {.folder = folder, .max_entries = max_entries, .max_bytes = max_bytes};
    for (size_t i = 0; i < count; i++) {
        snprintf(urls[i], sizeof urls[i], "https://a.example/%03zu?a=1&b='2'", count - i);
        pages[i] = (cw_site_page){crawl_slice_from(urls[i]), i % 2 ? 86400 : CRAWL_SITEMAP_NO_DATE};
    }
    cr_assert_eq(cw_site_files_write(&all, pages, count, &error), CRAWL_OK, "%s", error.message);
    cr_expect_eq(all.files, files, "%llu", (unsigned long long)all.files);
}

typedef struct reading {
    size_t count;
    bool is_index;
    int64_t dates;
    char last[128];
} reading;

static crawl_err on_entry(void *user, const crawl_sitemap_entry *entry)
{
    reading *r = user;
    crawl_slice url = crawl_url_request(entry->url);
    r->count++;
    r->is_index = entry->is_sitemap;
    r->dates += entry->lastmod == 86400;
    snprintf(r->last, sizeof r->last, "%.*s", (int)url.size, url.data);
    return CRAWL_OK;
}

/* Reads a file; count 0: it does not exist. */
static reading read_file(const char *name)
{
    char path[128];
    reading r = {0};
    crawl_sitemap *sitemap;
    crawl_sitemap_stats stats;
    static char text[65536];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return r;
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    const crawl_sitemap_options options = {.size = sizeof options, .on_entry = on_entry, .user = &r};
    cr_assert_eq(crawl_sitemap_create(&options, &sitemap), CRAWL_OK);
    cr_expect_eq(crawl_sitemap_feed(sitemap, crawl_slice_of(text, size)), CRAWL_OK);
    cr_expect_eq(crawl_sitemap_end(sitemap), CRAWL_OK);
    crawl_sitemap_stats_get(sitemap, &stats);
    cr_expect_not(stats.broken);
    crawl_sitemap_free(sitemap);
    return r;
}

Test(site_map_files, one_file_is_no_index)
{
    write_pages(10, 10, 0, 1);
    reading r = read_file("sitemap.xml");
    cr_expect_eq(r.count, 10);
    cr_expect_not(r.is_index);
    cr_expect_eq(r.dates, 5);
    cr_expect_str_eq(r.last, "https://a.example/010?a=1&b=%272%27", "%s", r.last);
    cr_expect_eq(read_file("sitemap-1.xml").count, 0);
}

Test(site_map_files, several_by_their_number_and_those_of_before_go)
{
    write_pages(41, 10, 0, 5);
    reading index = read_file("sitemap.xml");
    cr_expect(index.is_index);
    cr_expect_eq(index.count, 5);
    cr_expect_str_eq(index.last, "https://a.example/sitemap-5.xml");
    cr_expect_eq(read_file("sitemap-4.xml").count, 10);
    cr_expect_eq(read_file("sitemap-5.xml").count, 1);
    write_pages(11, 10, 0, 2);
    cr_expect_eq(read_file("sitemap.xml").count, 2);
    cr_expect_eq(read_file("sitemap-3.xml").count, 0);
    write_pages(10, 10, 0, 1);
    cr_expect_eq(read_file("sitemap-1.xml").count, 0);
    cr_expect_eq(read_file("sitemap.xml").count, 10);
}

Test(site_map_files, several_by_their_bytes)
{
    struct stat found;
    char path[128];
    size_t count = 0;
    write_pages(100, 0, 2000, 5);
    for (int i = 1; i <= 5; i++) {
        snprintf(path, sizeof path, "sitemap-%d.xml", i);
        count += read_file(path).count;
        snprintf(path, sizeof path, "%s/sitemap-%d.xml", folder, i);
        cr_assert_eq(stat(path, &found), 0);
        cr_expect_leq(found.st_size, 2000);
    }
    cr_expect_eq(count, 100);
}

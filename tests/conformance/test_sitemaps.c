/* Tests sitemaps of every form, each read in pieces of several sizes. */
#include "tests/support/jsonl.h"

#include <crawl/sitemap.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_ENTRIES = 16 };

typedef struct got {
    crawl_buf url;
    crawl_buf lastmod;
    bool is_sitemap;
    int64_t date;
    const char *changefreq;
    double priority;
} got;

typedef struct fixture {
    got entries[MAX_ENTRIES];
    size_t count;
} fixture;

static crawl_err keep(void *user, const crawl_sitemap_entry *entry)
{
    fixture *f = user;
    cr_assert(f->count < MAX_ENTRIES);
    got *one = &f->entries[f->count++];
    *one = (got){.is_sitemap = entry->is_sitemap,
                 .date = entry->lastmod,
                 .changefreq = entry->changefreq,
                 .priority = entry->priority};
    crawl_slice url = crawl_url_href(entry->url);
    cr_assert_eq(crawl_buf_append(&one->url, url.data, url.size), CRAWL_OK);
    cr_assert_eq(crawl_buf_append(&one->lastmod, entry->lastmod_text.data, entry->lastmod_text.size), CRAWL_OK);
    return CRAWL_OK;
}

static void forget(fixture *f)
{
    for (size_t i = 0; i < f->count; i++) {
        crawl_buf_free(&f->entries[i].url);
        crawl_buf_free(&f->entries[i].lastmod);
    }
    f->count = 0;
}

static crawl_buf read_file(const char *name)
{
    char path[512];
    char chunk[4096];
    crawl_buf out = {0};
    snprintf(path, sizeof path, "%s/sitemaps/%s", jsonl_folder(), name);
    FILE *file = fopen(path, "rb");
    cr_assert(file, "%s", path);
    for (size_t size; (size = fread(chunk, 1, sizeof chunk, file)) > 0;)
        cr_assert_eq(crawl_buf_append(&out, chunk, size), CRAWL_OK);
    fclose(file);
    return out;
}

static void read_sitemap(fixture *f, const json_t *row, crawl_slice text, size_t piece)
{
    crawl_url *url = crawl_url_create();
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from(jsonl_text(row, "url")), NULL, NULL), CRAWL_OK);
    const crawl_sitemap_options options = {.size = sizeof options, .url = url, .on_entry = keep, .user = f};
    crawl_sitemap *sitemap;
    crawl_sitemap_stats stats;
    cr_assert_eq(crawl_sitemap_create(&options, &sitemap), CRAWL_OK);
    for (size_t at = 0; at < text.size; at += piece) {
        size_t size = text.size - at < piece ? text.size - at : piece;
        cr_assert_eq(crawl_sitemap_feed(sitemap, crawl_slice_of(text.data + at, size)), CRAWL_OK);
    }
    cr_assert_eq(crawl_sitemap_end(sitemap), CRAWL_OK);
    crawl_sitemap_stats_get(sitemap, &stats);
    cr_expect_str_eq(crawl_sitemap_type_name(stats.type), jsonl_text(row, "type"));
    cr_expect(!stats.broken && !stats.full);
    crawl_sitemap_free(sitemap);
    crawl_url_free(url);
}

static void expect_text(const json_t *row, const char *field, size_t i, const char *value)
{
    const json_t *list = json_object_get(row, field);
    if (!list)
        return;
    const char *expected = json_string_value(json_array_get(list, i));
    if (strcmp(expected ? expected : "", value ? value : "") == 0)
        return;
    jsonl_fail(row, field, crawl_slice_from(value));
}

static void check_entries(fixture *f, const json_t *row)
{
    const json_t *priorities = json_object_get(row, "priority");
    bool index = strcmp(jsonl_text(row, "type"), "index") == 0;
    bool is_wrong = f->count != (size_t)json_integer_value(json_object_get(row, "count"));
    for (size_t i = 0; i < f->count; i++) {
        const got *one = &f->entries[i];
        expect_text(row, "expect", i, one->url.data);
        expect_text(row, "lastmod", i, one->lastmod.data);
        expect_text(row, "changefreq", i, one->changefreq);
        is_wrong |= priorities && json_number_value(json_array_get(priorities, i)) != one->priority;
        is_wrong |= one->is_sitemap != index;
        is_wrong |= (one->date == CRAWL_SITEMAP_NO_DATE) != (one->lastmod.size == 0);
    }
    if (is_wrong)
        jsonl_fail(row, "entries", (crawl_slice){0});
}

Test(sitemaps, cases)
{
    static const size_t pieces[] = {1, 2, 7, 64, 1 << 20};
    jsonl *file = jsonl_open("sitemaps/cases.jsonl");
    fixture f = {0};
    for (const json_t *row; (row = jsonl_next(file));) {
        crawl_buf text = read_file(jsonl_text(row, "file"));
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
            read_sitemap(&f, row, crawl_buf_slice(&text), pieces[i]);
            check_entries(&f, row);
            forget(&f);
        }
        crawl_buf_free(&text);
    }
    jsonl_expect(6);
}

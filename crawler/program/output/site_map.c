/* See site_map.h. The spool has a line of JSON for each thing learnt about a page: its URL with the date of its last
 * change, or that it does not belong into a sitemap. The last line of a page counts. */
#include "crawler/program/output/site_map.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/failed_visit.h"
#include "base/json/json_write.h"
#include "base/map.h"
#include "config/config_values.h"
#include "crawler/program/output/site_map_files.h"
#include "crawler/program/output/spool.h"
#include "tools/common/input_lines.h"
#include "tools/common/io.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <crawl/url.h>
#include <crawl/wall.h>
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>

struct cw_site_map {
    const crawl_config *config;
    cw_spool spool;
};

/* ---- opening ---- */

static bool site_map_is_empty(const char *folder)
{
    bool empty = true;
    DIR *entries = opendir(folder);
    for (const struct dirent *one; entries && empty && (one = readdir(entries));)
        empty = strcmp(one->d_name, ".") == 0 || strcmp(one->d_name, "..") == 0;
    if (entries)
        closedir(entries);
    return empty;
}

static crawl_err site_map_open_folder(const crawl_config *config, bool resumed, crawl_error *error)
{
    const char *folder = config->program.sitemap;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return cw_error_of_file(error, folder);
    if (resumed || config->existing == CRAWL_EXISTING_OVERWRITE || site_map_is_empty(folder))
        return CRAWL_OK;
    return crawl_error_set(error, CRAWL_EINVAL, "%s is not empty; --overwrite replaces the sitemaps in it", folder);
}

crawl_err cw_site_map_open(const crawl_config *config, bool resumed, cw_site_map **out, crawl_error *error)
{
    crawl_buf beside = {0};
    cw_site_map *map = calloc(1, sizeof *map);
    if (!map)
        return cw_error(error, CRAWL_ENOMEM);
    map->config = config;
    map->spool.file = -1;
    crawl_err err = site_map_open_folder(config, resumed, error);
    if (!err && crawl_buf_printf(&beside, "%s/sitemap", config->program.sitemap))
        err = cw_error(error, CRAWL_ENOMEM);
    if (!err)
        err = cw_spool_open(&map->spool, config, "sitemap-pages", beside.data, resumed, error);
    crawl_buf_free(&beside);
    if (err)
        cw_site_map_free(map);
    else
        *out = map;
    return err;
}

/* ---- records ---- */

/* Returns true if the record leaves open whether its page belongs into a sitemap. An unchanged page was not read. */
static bool says_nothing(const crawl_record *record)
{
    bool is_unread = record->status == 304 || record->change == CRAWL_CHANGE_NO;
    return record->external || record->requisite || !record->status || is_unread || !cw_is(record->method, "GET") ||
           cw_is_failed_visit(record->status, crawl_slice_from(record->error));
}

/* Returns true for documents that a search engine lists: pages, and documents that are read like pages. */
static bool is_document(crawl_slice content_type)
{
    crawl_slice type = content_type;
    return cw_is_nocase(type, "text/html") || cw_is_nocase(type, "application/xhtml+xml") ||
           cw_is_nocase(type, "application/pdf");
}

/* Returns true if the page belongs into a sitemap, apart from its canonical link. Without crawl.soft_404 a soft 404 is
 * no error. */
static bool site_map_belongs(const crawl_record *record)
{
    bool is_soft_404 = record->verdict && strcmp(record->verdict, crawl_verdict_name(CRAWL_VERDICT_SOFT_404)) == 0;
    return record->status == 200 && !record->error && !is_soft_404 && !(record->robots & CRAWL_ROBOTS_NOINDEX) &&
           is_document(record->content_type);
}

/* Returns the date of the last change: the one the server gives, otherwise that of the visit that found a change, from
 * the second visit on. */
static int64_t lastmod_of(const crawl_record *record)
{
    if (record->last_modified != CRAWL_SITEMAP_NO_DATE)
        return record->last_modified;
    return record->change == CRAWL_CHANGE_YES ? record->fetched_at_ms / 1000 : CRAWL_SITEMAP_NO_DATE;
}

crawl_err cw_site_map_record(cw_site_map *map, const crawl_record *record)
{
    if (says_nothing(record))
        return CRAWL_OK;
    bool fits = site_map_belongs(record);
    bool is_in = fits && cw_outputs_is_canonical(record);
    int64_t lastmod = lastmod_of(record);
    cw_writer line = {.out = crawl_lines_begin(map->spool.lines)};
    cw_json_text(&line, "{\"url\":", record->url);
    if (!is_in)
        cw_put_text(&line, fits ? ",\"out\":\"canonical\"" : ",\"out\":true");
    else if (lastmod != CRAWL_SITEMAP_NO_DATE)
        cw_json_int(&line, ",\"lastmod\":", lastmod);
    cw_put_char(&line, '}');
    crawl_err err = crawl_lines_end(map->spool.lines, line.err);
    return err || !map->config->state ? err : crawl_lines_flush(map->spool.lines);
}

crawl_err cw_site_map_close(cw_site_map *map, crawl_error *error)
{
    return cw_spool_close(&map->spool, error);
}

/* ---- the end ---- */

typedef struct known_page {
    int64_t lastmod;
    bool is_in;
    bool elsewhere; /* only its canonical link, to another page, keeps it out */
    size_t size;
    char url[];
} known_page;

typedef struct known_pages {
    cw_map *by_url;
    uint64_t left_out; /* beyond the maximum */
    size_t in;         /* pages that belong into a sitemap */
    size_t elsewhere;  /* pages kept out by their canonical links */
} known_pages;

static crawl_err site_map_take_line(known_pages *known, crawl_slice line)
{
    json_t *row = cw_json_read(line, NULL);
    const json_t *text = json_object_get(row, "url");
    const json_t *date = json_object_get(row, "lastmod");
    crawl_slice url = crawl_slice_of(json_string_value(text), json_string_length(text));
    crawl_err err = CRAWL_OK;
    known_page *page = url.size ? cw_map_get(known->by_url, url) : NULL;
    bool is_full = !page && cw_map_count(known->by_url) >= CW_SITE_MAP_PAGES_MAX;
    known->left_out += is_full;
    if (url.size && !page && !is_full) {
        page = cw_map_make(known->by_url, url, sizeof *page, offsetof(known_page, url));
        err = page ? CRAWL_OK : CRAWL_ENOMEM;
    }
    if (page) {
        const json_t *out = json_object_get(row, "out");
        known->in -= page->is_in;
        known->elsewhere -= page->elsewhere;
        page->size = url.size;
        page->is_in = !out;
        page->elsewhere = json_is_string(out);
        page->lastmod = json_is_integer(date) ? json_integer_value(date) : CRAWL_SITEMAP_NO_DATE;
        known->in += page->is_in;
        known->elsewhere += page->elsewhere;
    }
    json_decref(row);
    return err;
}

static crawl_err read_spool(const cw_site_map *map, known_pages *known)
{
    crawl_slice line;
    cw_tool_line how;
    cw_tool_line_reader lines = {.in = fopen(map->spool.path.data, "re"), .longest = CW_TOOL_LINE_ROW_MAX};
    crawl_err err = lines.in ? CRAWL_OK : CRAWL_EIO;
    while (!err) {
        how = cw_tool_line_next(&lines, &line);
        if (how == CW_LINES_END)
            break;
        err = how == CW_LINE_READ         ? site_map_take_line(known, line)
              : how == CW_LINES_NO_MEMORY ? CRAWL_ENOMEM
              : how == CW_LINES_FAILED    ? CRAWL_EIO
                                          : CRAWL_OK;
    }
    if (lines.in)
        fclose(lines.in);
    cw_tool_line_free(&lines);
    return err;
}

static cw_site_page *list_pages(const known_pages *known)
{
    size_t cursor = 0;
    size_t count = 0;
    cw_site_page *pages = calloc(known->in + 1, sizeof *pages);
    for (known_page *page; pages && (page = cw_map_next(known->by_url, &cursor));)
        if (page->is_in)
            pages[count++] = (cw_site_page){crawl_slice_of(page->url, page->size), page->lastmod};
    return pages;
}

static void site_map_say(const cw_site_files *files, const known_pages *known, crawl_buf *said)
{
    crawl_buf_printf(said, "  sitemap   %s: %llu URLs in %llu file%s", files->folder, (unsigned long long)known->in,
                     (unsigned long long)files->files, files->files == 1 ? "" : "s");
    if (files->hosts > 1)
        crawl_buf_printf(said, " of %llu hosts", (unsigned long long)files->hosts);
    if (known->elsewhere)
        crawl_buf_printf(said, "; pages left out by their canonical links: %zu", known->elsewhere);
    if (known->left_out)
        crawl_buf_printf(said, "; %llu left out: at most %u pages are told apart", (unsigned long long)known->left_out,
                         CW_SITE_MAP_PAGES_MAX);
    crawl_buf_printf(said, "\n");
}

static crawl_err site_map_make(const cw_site_map *map, known_pages *known, crawl_buf *said, crawl_error *error)
{
    const crawl_config *config = map->config;
    cw_site_files files = {.folder = config->program.sitemap, .gzip = config->program.sitemap_gzip};
    crawl_err err = known->by_url ? read_spool(map, known) : CRAWL_ENOMEM;
    cw_site_page *pages = err ? NULL : list_pages(known);
    if (!err && !pages)
        err = CRAWL_ENOMEM;
    if (err)
        return crawl_error_set(error, err, "%s: %s", config->program.sitemap, crawl_strerror(err));
    err = cw_site_files_write(&files, pages, known->in, error);
    free(pages);
    if (!err)
        site_map_say(&files, known, said);
    return err;
}

int cw_site_map_make(const cw_site_map *map, crawl_buf *said)
{
    crawl_error error = {0};
    known_pages known = {.by_url = cw_map_create((uintptr_t)&error)};
    crawl_err err = site_map_make(map, &known, said, &error);
    if (err)
        cw_tool_say(NULL, "write-sitemap: %s", error.message);
    cw_map_free_values(known.by_url);
    return err ? CW_EXIT_LOCAL : CW_EXIT_OK;
}

void cw_site_map_free(cw_site_map *map)
{
    if (!map)
        return;
    cw_spool_free(&map->spool);
    free(map);
}

bool cw_outputs_is_canonical(const crawl_record *record)
{
    crawl_buf named = {0};
    crawl_buf own = {0};
    const crawl_canonical_options usual = {.size = sizeof usual};
    if (!record->canonical_link.size || crawl_slice_equal(record->canonical_link, record->url))
        return true;
    bool same = !crawl_text_canonical(record->canonical_link, &usual, &named) &&
                !crawl_text_canonical(record->url, &usual, &own) &&
                (crawl_slice_equal(crawl_buf_slice(&named), crawl_buf_slice(&own)) ||
                 crawl_slice_equal(crawl_buf_slice(&named), record->canonical));
    crawl_buf_free(&named);
    crawl_buf_free(&own);
    return same;
}

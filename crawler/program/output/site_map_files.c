#include "crawler/program/output/site_map_files.h"

#include "base/bytes.h"
#include "base/date.h"
#include "base/error.h"
#include "base/files/replace.h"
#include "base/text/escape.h"
#include "base/writer.h"
#include "tools/common/compressed.h"

#include <crawl/sitemap.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMESPACE "http://www.sitemaps.org/schemas/sitemap/0.9"

static const char urlset_end[] = "</urlset>\n";

/* The pages of one origin while their files are written. */
typedef struct host_files {
    cw_site_files *all;
    crawl_slice origin;
    crawl_buf folder;
    crawl_buf text;   /* of the file being written */
    uint64_t in_it;   /* URLs in the text */
    unsigned count;   /* files written */
    bool has_several; /* there are several files, and so an index */
} host_files;

/* ---- order ---- */

static crawl_slice site_map_files_origin_of(crawl_slice url)
{
    crawl_buf scratch = {0};
    crawl_slice origin = {0};
    if (crawl_href_origin(url, &scratch, &origin) || origin.data != url.data)
        origin = (crawl_slice){0};
    crawl_buf_free(&scratch);
    return origin;
}

/* Orders pages by URL, which groups them by origin; "/" sorts before any character of a port. */
static int by_url(const void *a, const void *b)
{
    return cw_compare(((const cw_site_page *)a)->url, ((const cw_site_page *)b)->url);
}

/* ---- one file ---- */

/* Appends "sitemap.xml", or "sitemap-NUMBER.xml". number 0: the file that robots.txt names. */
static crawl_err site_map_name_file(bool gzip, unsigned number, const char *before, crawl_buf *out)
{
    crawl_err err = crawl_buf_printf(out, "%s/sitemap", before);
    if (!err && number)
        err = crawl_buf_printf(out, "-%u", number);
    return err ? err : crawl_buf_append_text(out, gzip ? ".xml.gz" : ".xml");
}

static crawl_err site_map_write_file(const host_files *h, unsigned number, crawl_slice text, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_buf pressed = {0};
    crawl_err err = site_map_name_file(h->all->gzip, number, h->folder.data, &path);
    if (!err && h->all->gzip)
        err = cw_tool_gzip(text, &pressed);
    if (err)
        cw_error(error, err);
    else
        err = cw_replace_file(path.data, h->all->gzip ? crawl_buf_slice(&pressed) : text, 0666, error);
    crawl_buf_free(&path);
    crawl_buf_free(&pressed);
    return err;
}

/* Begins the text of a file: its head, and its root element. */
static void begin_text(cw_writer *out, const char *element)
{
    cw_put_format(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<%s xmlns=\"" NAMESPACE "\">\n", element);
}

static crawl_err site_map_end_file(host_files *h, crawl_error *error)
{
    cw_writer out = {.out = &h->text};
    cw_put_text(&out, urlset_end);
    if (out.err)
        return cw_error(error, out.err);
    h->count++;
    h->all->files++;
    crawl_err err = site_map_write_file(h, h->has_several ? h->count : 0, crawl_buf_slice(&h->text), error);
    crawl_buf_clear(&h->text);
    h->in_it = 0;
    return err;
}

/* ---- pages ---- */

static void put_lastmod(cw_writer *out, int64_t lastmod)
{
    if (lastmod != CRAWL_SITEMAP_NO_DATE)
        cw_put_format(out, "<lastmod>%.19sZ</lastmod>", cw_date_of(lastmod * 1000).text);
}

static void site_map_files_put_page(cw_writer *out, const cw_site_page *page)
{
    cw_put_text(out, "<url><loc>");
    cw_escape_html(out, page->url);
    cw_put_text(out, "</loc>");
    put_lastmod(out, page->lastmod);
    cw_put_text(out, "</url>\n");
}

static crawl_err site_map_files_add_page(host_files *h, const cw_site_page *page, crawl_error *error)
{
    crawl_buf entry = {0};
    cw_writer out = {.out = &entry};
    site_map_files_put_page(&out, page);
    bool is_full = h->in_it == h->all->max_entries || h->text.size + entry.size + sizeof urlset_end > h->all->max_bytes;
    crawl_err err = out.err ? cw_error(error, out.err) : CRAWL_OK;
    if (!err && is_full && h->in_it) {
        h->has_several = true;
        err = site_map_end_file(h, error);
    }
    cw_writer text = {.out = &h->text};
    if (!err && !h->in_it)
        begin_text(&text, "urlset");
    if (!err)
        cw_put(&text, crawl_buf_slice(&entry));
    h->in_it++;
    crawl_buf_free(&entry);
    return err || !text.err ? err : cw_error(error, text.err);
}

/* ---- the files of an origin ---- */

static crawl_err site_map_files_write_index(host_files *h, crawl_error *error)
{
    crawl_buf origin = {0};
    cw_writer out = {.out = &h->text};
    crawl_err err = crawl_buf_append(&origin, h->origin.data, h->origin.size);
    begin_text(&out, "sitemapindex");
    for (unsigned i = 1; i <= h->count && !err; i++) {
        crawl_buf location = {0};
        err = site_map_name_file(h->all->gzip, i, origin.data, &location);
        cw_put_text(&out, "<sitemap><loc>");
        cw_escape_html(&out, crawl_buf_slice(&location));
        cw_put_text(&out, "</loc></sitemap>\n");
        crawl_buf_free(&location);
    }
    cw_put_text(&out, "</sitemapindex>\n");
    crawl_buf_free(&origin);
    err = err ? err : out.err;
    return err ? cw_error(error, err) : site_map_write_file(h, 0, crawl_buf_slice(&h->text), error);
}

/* Removes files of an earlier crawl from this number on. */
static void site_map_files_remove(const host_files *h, bool gzip, unsigned number)
{
    for (bool is_there = true; is_there; number++) {
        crawl_buf path = {0};
        is_there = !site_map_name_file(gzip, number, h->folder.data, &path) && unlink(path.data) == 0;
        crawl_buf_free(&path);
    }
}

/* Makes the folder of an origin if there are several: "https_example.com_8443". */
static crawl_err site_map_files_open_folder(host_files *h, bool is_only, crawl_error *error)
{
    crawl_err err = crawl_buf_append_text(&h->folder, h->all->folder);
    if (!err && !is_only)
        err = crawl_buf_append_char(&h->folder, '/');
    for (size_t i = 0; i < h->origin.size && !err && !is_only; i++) {
        char c = h->origin.data[i];
        if (c == '/')
            continue;
        err = crawl_buf_append_char(&h->folder, c == ':' ? '_' : c);
    }
    if (err)
        return cw_error(error, err);
    return mkdir(h->folder.data, 0777) && errno != EEXIST ? cw_error_of_file(error, h->folder.data) : CRAWL_OK;
}

static crawl_err site_map_files_write_host(cw_site_files *files, const cw_site_page *pages, size_t count, bool is_only,
                                           crawl_error *error)
{
    host_files h = {.all = files, .origin = site_map_files_origin_of(pages[0].url)};
    crawl_err err = site_map_files_open_folder(&h, is_only, error);
    for (size_t i = 0; i < count && !err; i++)
        err = site_map_files_add_page(&h, &pages[i], error);
    if (!err)
        err = site_map_end_file(&h, error);
    if (!err && h.has_several)
        err = site_map_files_write_index(&h, error);
    if (!err) {
        site_map_files_remove(&h, files->gzip, h.has_several ? h.count + 1 : 1);
        site_map_files_remove(&h, !files->gzip, 0);
    }
    files->hosts++;
    crawl_buf_free(&h.folder);
    crawl_buf_free(&h.text);
    return err;
}

static size_t count_of_host(const cw_site_page *pages, size_t count)
{
    crawl_slice origin = site_map_files_origin_of(pages[0].url);
    size_t same = 1;
    while (same < count && crawl_slice_equal(site_map_files_origin_of(pages[same].url), origin))
        same++;
    return same;
}

crawl_err cw_site_files_write(cw_site_files *files, cw_site_page *pages, size_t count, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    files->max_entries = files->max_entries ? files->max_entries : CRAWL_SITEMAP_MAX_ENTRIES;
    files->max_bytes = files->max_bytes ? files->max_bytes : CRAWL_SITEMAP_MAX_BYTES;
    if (count)
        qsort(pages, count, sizeof *pages, by_url);
    for (size_t i = 0, same; i < count && !err; i += same) {
        same = count_of_host(pages + i, count - i);
        err = site_map_files_write_host(files, pages + i, same, same == count, error);
    }
    return err;
}

#include "crawler/output/mirror/finish.h"

#include "base/bytes.h"
#include "base/error.h"
#include "crawler/output/mirror/path.h"

#include <crawl/rewrite.h>
#include <stdio.h>

/* Maximum number of redirects followed from a link to its file; browsers use the same. */
enum { MAX_REDIRECTS = 20 };

typedef struct finishing {
    const cw_mirror_finishing *with;
    crawl_mirror_figures *figures;
    uint64_t finished; /* pages and style sheets */
    uint64_t all;      /* total of finished */

    crawl_url *page;   /* page being rewritten */
    crawl_url *target; /* of a redirect */
    crawl_slice path;  /* of page */
    crawl_buf key;
    crawl_buf fragment; /* "#" and that of the last redirect with one; empty: none has */
    crawl_buf original;
    crawl_buf body;
    crawl_buf rewritten;
    uint64_t added; /* bytes of URLs added to the page */
} finishing;

crawl_err cw_mirror_original(crawl_slice path, crawl_buf *out)
{
    crawl_fingerprint sum;
    char digits[41];
    crawl_fingerprinter *fingerprinter = crawl_fingerprinter_create();
    crawl_err err = fingerprinter ? crawl_fingerprint_bytes(fingerprinter, path, &sum) : CRAWL_ENOMEM;
    crawl_fingerprinter_free(fingerprinter);
    if (err)
        return err;
    crawl_fingerprint_hex(&sum, digits);
    return crawl_buf_printf(out, CW_MIRROR_OWN "/originals/%.2s/%s", digits, digits + 2);
}

/* --- from a URL to its file --- */

/* Finds the row of a URL. Sets *has_file if it is found. */
static crawl_err find_row(finishing *f, const crawl_url *url, cw_mirror_row *row, bool *found, bool *has_file)
{
    crawl_buf_clear(&f->key);
    crawl_err err = crawl_url_canonical_by(url, f->with->keys, &f->key);
    *found = !err && cw_mirror_table_find(f->with->table, crawl_buf_slice(&f->key), row, has_file);
    return err == CRAWL_ENOMEM ? err : CRAWL_OK;
}

static crawl_err finish_keep_fragment(finishing *f, const crawl_url *url)
{
    crawl_slice fragment = crawl_url_fragment(url);
    if (!crawl_url_has_fragment(url))
        return CRAWL_OK;
    crawl_buf_clear(&f->fragment);
    return crawl_buf_printf(&f->fragment, "#%.*s", (int)fragment.size, fragment.data);
}

/* With --hsts a crawl asks by https for a link that says http, which then has no row. */
static crawl_err finish_find_by_https(finishing *f, const crawl_url *url, cw_mirror_row *row, bool *found,
                                      bool *has_file)
{
    crawl_buf text = {0};
    crawl_slice href = crawl_url_href(url);
    if (!cw_is(crawl_url_scheme(url), "http"))
        return CRAWL_OK;
    crawl_err err = crawl_buf_printf(&text, "https%.*s", (int)href.size - 4, href.data + 4);
    bool is_url = !err && !crawl_url_parse(f->target, crawl_buf_slice(&text), NULL, NULL);
    crawl_buf_free(&text);
    return is_url ? find_row(f, f->target, row, found, has_file) : err;
}

/* Sets *asked to the URL that the crawl asks for: a link's user and password are left out. */
static crawl_err finish_leave_out_user(finishing *f, const crawl_url *url, const crawl_url **asked)
{
    crawl_buf text = {0};
    crawl_slice rest = crawl_url_href(url);
    *asked = url;
    if (!crawl_url_username(url).size && !crawl_url_password(url).size)
        return CRAWL_OK;
    cw_cut(&rest, '@');
    crawl_err err = crawl_url_origin(url, &text);
    text.size = err ? 0 : cw_find_text(crawl_buf_slice(&text), "://") + strlen("://");
    err = err ? err : crawl_buf_append(&text, rest.data, rest.size);
    err = err ? err : crawl_url_parse(f->target, crawl_buf_slice(&text), NULL, NULL);
    *asked = err ? url : f->target;
    crawl_buf_free(&text);
    return err;
}

/* Finds the file that a link leads to, through redirects, and the fragment. *has_file false: not in the copy. */
static crawl_err finish_find_file(finishing *f, const crawl_url *url, cw_mirror_row *row, bool *has_file)
{
    bool found;
    *has_file = false;
    crawl_buf_clear(&f->fragment);
    crawl_err err = finish_leave_out_user(f, url, &url);
    err = err ? err : find_row(f, url, row, &found, has_file);
    err = err || found ? err : finish_find_by_https(f, url, row, &found, has_file);
    for (int i = 0; !err && found && row->kind == CW_MIRROR_REDIRECT && i < MAX_REDIRECTS; i++) {
        if (crawl_url_parse(f->target, row->value, NULL, NULL))
            return CRAWL_OK;
        err = finish_keep_fragment(f, f->target);
        err = err ? err : find_row(f, f->target, row, &found, has_file);
    }
    return err;
}

/* Maximum number of bytes that new URLs add to a page. A <base> of thousands of bytes, put before each of thousands of
 * short links, would turn a page of one megabyte into gigabytes. */
#define ADDED_MAX ((uint64_t)32 << 20)

static crawl_err count_added(finishing *f, const crawl_buf *out)
{
    f->added += out->size;
    return f->added > ADDED_MAX ? CRAWL_FULL : CRAWL_OK;
}

/* Writes a link as it is in the copy: the `link` of <crawl/rewrite.h>. */
static crawl_err link_to(void *user, const crawl_url *target, crawl_buf *out, bool *is_local)
{
    finishing *f = user;
    cw_mirror_row row;
    crawl_err err = finish_find_file(f, target, &row, is_local);
    crawl_slice href = crawl_url_href(target);
    if (!err && !*is_local)
        err = crawl_buf_append(out, href.data, href.size);
    if (err || !*is_local)
        return err ? err : count_added(f, out);
    err = finish_keep_fragment(f, target);
    err = err ? err : cw_mirror_path_link(f->path, row.value, out);
    err = err ? err : crawl_buf_append(out, f->fragment.data, f->fragment.size);
    return err ? err : count_added(f, out);
}

/* --- a page --- */

static crawl_err finish_rewrite(finishing *f, const cw_mirror_row *row)
{
    const char *charset = row->charset.size ? crawl_charset_name(row->charset) : NULL;
    crawl_rewrite how = {
        .size = sizeof how, .url = f->page, .charset = charset, .lazy = f->with->lazy, .link = link_to, .user = f};
    crawl_slice body = crawl_buf_slice(&f->body);
    crawl_document document = row->kind == CW_MIRROR_HTML ? CRAWL_DOCUMENT_HTML : CRAWL_DOCUMENT_XHTML;
    crawl_buf_clear(&f->rewritten);
    f->added = 0;
    crawl_err err = row->kind == CW_MIRROR_CSS ? crawl_rewrite_css(&how, body, &f->rewritten)
                                               : crawl_rewrite_page(&how, document, body, &f->rewritten);
    if (err != CRAWL_FULL)
        return err;
    f->figures->as_they_came++;
    return crawl_buf_append(&f->rewritten, body.data, body.size);
}

static crawl_err finish_page(finishing *f, const cw_mirror_row *row, crawl_error *error)
{
    f->path = row->value;
    crawl_buf_clear(&f->original);
    crawl_err err = cw_mirror_original(row->value, &f->original);
    if (!err)
        err = crawl_url_parse(f->page, row->url, NULL, NULL);
    if (err)
        return err == CRAWL_ENOMEM ? cw_error(error, err) : CRAWL_OK;
    err = cw_mirror_files_read(f->with->files, crawl_buf_slice(&f->original), &f->body, error);
    if (err)
        return err == CRAWL_ABSENT ? CRAWL_OK : err;
    err = finish_rewrite(f, row);
    crawl_slice rewritten = crawl_buf_slice(&f->rewritten);
    if (err)
        return cw_error(error, err);
    if (cw_mirror_files_holds(f->with->files, row->value, rewritten))
        return CRAWL_OK;
    f->figures->rewritten++;
    return cw_mirror_files_write(f->with->files, row->value, rewritten, error);
}

/* --- files that left the copy --- */

/* Removes the file of a row that a later row of the same URL replaces, unless the later row has the same file. */
static crawl_err finish_drop(finishing *f, const cw_mirror_row *row)
{
    cw_mirror_row last;
    bool has_file;
    if (row->kind >= CW_MIRROR_REDIRECT || !cw_mirror_table_find(f->with->table, row->key, &last, &has_file) ||
        (last.kind < CW_MIRROR_REDIRECT && crawl_slice_equal(last.value, row->value)))
        return CRAWL_OK;
    crawl_buf_clear(&f->original);
    crawl_err err = cw_mirror_original(row->value, &f->original);
    f->figures->removed += cw_mirror_files_has(f->with->files, row->value);
    cw_mirror_files_remove(f->with->files, row->value);
    cw_mirror_files_remove(f->with->files, crawl_buf_slice(&f->original));
    return err;
}

static bool has_links(const cw_mirror_row *row)
{
    return row->kind > CW_MIRROR_FILE && row->kind < CW_MIRROR_REDIRECT;
}

/* Names the page at which the copy begins, unless it has a name: the one that this row's URL now leads to. The first
 * rows are those of seeds. */
static crawl_err name_first(finishing *f, const cw_mirror_row *row)
{
    cw_mirror_row found;
    bool has_file;
    char *first = f->figures->first;
    if (*first || crawl_url_parse(f->page, row->url, NULL, NULL))
        return CRAWL_OK;
    crawl_err err = finish_find_file(f, f->page, &found, &has_file);
    if (!err && has_file && found.kind == CW_MIRROR_HTML)
        snprintf(first, sizeof f->figures->first, "%.*s", (int)found.value.size, found.value.data);
    return err;
}

/* Removes replaced files. Also names the first page, and counts the pages to rewrite. */
static crawl_err drop_all(finishing *f, crawl_error *error)
{
    cw_mirror_row row;
    bool last;
    crawl_err err = CRAWL_OK;
    for (size_t at = 0; !err && cw_mirror_table_next(f->with->table, &at, &row, &last);) {
        err = last ? CRAWL_OK : finish_drop(f, &row);
        err = err ? err : name_first(f, &row);
        f->all += last && has_links(&row);
    }
    return err ? cw_error(error, err) : CRAWL_OK;
}

/* --- the whole --- */

/* Returns false if the rest should be left. */
static bool finish_tell(const finishing *f)
{
    return !f->with->progress || f->with->progress(f->with->user, f->finished, f->all);
}

static crawl_err finish_pages(finishing *f, crawl_error *error)
{
    cw_mirror_row row;
    bool last;
    crawl_err err = CRAWL_OK;
    bool goes_on = finish_tell(f);
    for (size_t at = 0; !err && goes_on && cw_mirror_table_next(f->with->table, &at, &row, &last);) {
        if (!last || !has_links(&row))
            continue;
        err = finish_page(f, &row, error);
        f->finished++;
        goes_on = finish_tell(f);
    }
    f->figures->left = f->all - f->finished;
    return err;
}

/* Finishes the copy. Leaves the table unchanged if something is left, which shows that the copy is not finished. */
static crawl_err finish_all(finishing *f, crawl_error *error)
{
    crawl_err err = cw_mirror_table_index(f->with->table, error);
    if (!err)
        err = drop_all(f, error);
    if (!err)
        err = finish_pages(f, error);
    return err || f->figures->left ? err : cw_mirror_table_finish(f->with->table, error);
}

crawl_err cw_mirror_finish(const cw_mirror_finishing *with, crawl_mirror_figures *figures, crawl_error *error)
{
    finishing f = {.with = with, .figures = figures, .page = crawl_url_create(), .target = crawl_url_create()};
    crawl_err err = f.page && f.target ? finish_all(&f, error) : cw_error(error, CRAWL_ENOMEM);
    crawl_url_free(f.page);
    crawl_url_free(f.target);
    crawl_buf_free(&f.key);
    crawl_buf_free(&f.fragment);
    crawl_buf_free(&f.original);
    crawl_buf_free(&f.body);
    crawl_buf_free(&f.rewritten);
    return err;
}

/* The offline copy. See <crawl/sys/mirror.h>. */
#include "base/bytes.h"
#include "base/error.h"
#include "base/sized.h"
#include "config/config_values.h"
#include "crawler/output/mirror/finish.h"
#include "crawler/output/mirror/path.h"

#include <crawl/rewrite.h>
#include <crawl/sys/mirror.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct crawl_mirror {
    cw_mirror_files *files;
    cw_mirror_table *table;
    crawl_canonical_options keys;
    crawl_drop_params *drop;
    const char *lazy;               /* crawl_config.lazy */
    char mark;                      /* in paths of this copy */
    crawl_mirror_progress progress; /* NULL: not reported */
    void *user;
    atomic_uint_fast64_t written;
    atomic_bool failed;
    pthread_mutex_t lock;
    crawl_error failure; /* of the first failure */
};

/* --- opening --- */

/* Takes over the settings by which the crawl decides that two URLs are the same page. */
static crawl_err take_keys(crawl_mirror *mirror, const crawl_config *config, crawl_error *error)
{
    bool scrapy = config->fingerprint != CRAWL_FINGERPRINT_DEFAULT;
    mirror->lazy = config->lazy;
    mirror->keys.size = sizeof mirror->keys;
    mirror->keys.profile = scrapy ? CRAWL_PROFILE_W3LIB : config->canonical;
    if (!config->drop_params)
        return CRAWL_OK;
    crawl_err err = crawl_drop_params_create(crawl_slice_from(config->drop_params), &mirror->drop, error);
    mirror->keys.drop = mirror->drop;
    return err;
}

static void free_mirror(crawl_mirror *mirror)
{
    cw_mirror_table_free(mirror->table);
    cw_mirror_files_free(mirror->files);
    crawl_drop_params_free(mirror->drop);
    pthread_mutex_destroy(&mirror->lock);
    free(mirror);
}

crawl_err crawl_mirror_check(const crawl_config *config, crawl_error *error)
{
    return config->mirror ? cw_mirror_files_check(config->mirror, error) : CRAWL_OK;
}

crawl_err crawl_mirror_open(const crawl_config *config, crawl_mirror **out, crawl_error *error)
{
    crawl_mirror *mirror = calloc(1, sizeof *mirror);
    if (!mirror)
        return cw_error(error, CRAWL_ENOMEM);
    pthread_mutex_init(&mirror->lock, NULL);
    crawl_err err = take_keys(mirror, config, error);
    if (!err)
        err = cw_mirror_files_open(config->mirror, &mirror->files, error);
    if (!err)
        err = cw_mirror_table_open(mirror->files, &mirror->table, error);
    if (!err)
        err = cw_mirror_table_mark(mirror->table, &mirror->mark, error);
    if (err) {
        free_mirror(mirror);
        return err;
    }
    cw_mirror_files_sweep(mirror->files);
    *out = mirror;
    return CRAWL_OK;
}

/* --- pages --- */

/* An answer: its record, and values made from it. */
typedef struct arrival {
    crawl_mirror *mirror;
    const crawl_record *record;
    cw_mirror_row row;
    crawl_buf path;
    crawl_buf original; /* path of the original; empty: no links to rewrite */
    crawl_slice body;
    crawl_buf script; /* the body of a script, which then declares its own encoding */
    crawl_url *url;
} arrival;

static bool mirror_is_type(crawl_slice content_type, const char *type)
{
    return cw_is_nocase(cw_trim(cw_cut(&content_type, ';')), type);
}

/* Returns the kind of an answer, which decides how its links are found. *type: the Content-Type that a browser would
 * assume. */
static cw_mirror_kind mirror_kind_of(const crawl_record *record, crawl_slice *type)
{
    crawl_document document = crawl_document_of(record->content_type, record->body);
    *type = record->content_type;
    if (mirror_is_type(*type, "text/css"))
        return CW_MIRROR_CSS;
    if (mirror_is_type(*type, "image/svg+xml"))
        return CW_MIRROR_XML;
    if (document == CRAWL_DOCUMENT_HTML)
        *type = crawl_slice_from("text/html");
    if (document == CRAWL_DOCUMENT_XHTML)
        *type = crawl_slice_from("application/xhtml+xml");
    return document == CRAWL_DOCUMENT_HTML    ? CW_MIRROR_HTML
           : document == CRAWL_DOCUMENT_XHTML ? CW_MIRROR_XML
                                              : CW_MIRROR_FILE;
}

/* Returns true if the copy already has this answer, unchanged. */
static bool mirror_is_known(const arrival *a)
{
    cw_mirror_files *files = a->mirror->files;
    crawl_slice path = crawl_buf_slice(&a->path);
    if (!a->original.size)
        return cw_mirror_files_holds(files, path, a->body);
    return cw_mirror_files_holds(files, crawl_buf_slice(&a->original), a->body) && cw_mirror_files_has(files, path);
}

/* Writes the row first. If its file is missing later, no link is made to it. A known page gets a row only beside other
 * new rows: one of them may say that the page is gone or elsewhere, and the last row counts. */
static crawl_err mirror_write_file(arrival *a, crawl_error *error)
{
    crawl_mirror *mirror = a->mirror;
    crawl_slice path = crawl_buf_slice(&a->path);
    crawl_slice original = crawl_buf_slice(&a->original);
    bool is_known = mirror_is_known(a);
    if (is_known && !cw_mirror_table_changed(mirror->table))
        return CRAWL_OK;
    a->row.value = path;
    crawl_err err = cw_mirror_table_add(mirror->table, &a->row, error);
    if (err || is_known)
        return err;
    err = cw_mirror_files_write(mirror->files, original.size ? original : path, a->body, error);
    if (!err && original.size)
        err = cw_mirror_files_copy(mirror->files, original, path, error);
    if (!err)
        atomic_fetch_add(&mirror->written, 1);
    return err;
}

/* Takes a script or other text without links, whose encoding only the header says. WebVTT is UTF-8 whatever that
 * says. */
static crawl_err mirror_take_script(arrival *a)
{
    static const char *const types[] = {"application/javascript", "application/x-javascript", "application/ecmascript",
                                        "application/xml",        "application/rss+xml",      "application/atom+xml"};
    crawl_slice type = cw_trim(a->record->content_type);
    bool is_text = (cw_starts_with(type, "text/") && !cw_is(type, "text/vtt")) ||
                   cw_is_among(type, types, sizeof types / sizeof *types);
    a->body = a->record->body;
    if (!a->row.charset.size || a->row.kind != CW_MIRROR_FILE || !is_text)
        return CRAWL_OK;
    crawl_err err = crawl_rewrite_script(crawl_charset_name(a->row.charset), a->record->body, &a->script);
    a->body = crawl_buf_slice(&a->script);
    return err;
}

static crawl_err take_page(arrival *a, crawl_error *error)
{
    crawl_slice type;
    a->row.kind = mirror_kind_of(a->record, &type);
    a->row.charset = crawl_slice_from(crawl_charset_of_content_type(a->record->content_type_header));
    crawl_err err = cw_mirror_path(a->mirror->mark, a->url, type, &a->path);
    if (!err)
        err = mirror_take_script(a);
    if (!err && a->row.kind != CW_MIRROR_FILE)
        err = cw_mirror_original(crawl_buf_slice(&a->path), &a->original);
    return err ? cw_error(error, err) : mirror_write_file(a, error);
}

static crawl_err take_redirect(arrival *a, crawl_error *error)
{
    crawl_err err = crawl_url_parse(a->url, a->record->redirect, a->url, NULL);
    if (err || !crawl_url_is_http(a->url))
        return err == CRAWL_ENOMEM ? cw_error(error, err) : CRAWL_OK;
    a->row.kind = CW_MIRROR_REDIRECT;
    a->row.value = crawl_url_href(a->url);
    return cw_mirror_table_add(a->mirror->table, &a->row, error);
}

/* Returns true if the copy is to have no file of this page, nor one of an earlier visit. */
static bool mirror_is_gone(const crawl_record *record)
{
    bool is_missing = record->verdict && strcmp(record->verdict, "soft-404") == 0;
    return record->status == 404 || record->status == 410 || (record->status && (is_missing || record->withheld));
}

static crawl_err mirror_take(arrival *a, crawl_error *error)
{
    const crawl_record *record = a->record;
    int status = record->status;
    crawl_err err = crawl_url_parse(a->url, record->url, NULL, NULL);
    if (err)
        return err == CRAWL_ENOMEM ? cw_error(error, err) : CRAWL_OK;
    if (mirror_is_gone(record)) {
        a->row.kind = CW_MIRROR_GONE;
        return cw_mirror_table_add(a->mirror->table, &a->row, error);
    }
    if (status > 300 && status < 400 && record->redirect.size)
        return take_redirect(a, error);
    bool is_whole = status >= 200 && status < 300 && status != 204 && status != 206 && !record->error;
    return is_whole ? take_page(a, error) : CRAWL_OK;
}

static crawl_err mirror_note_failure(crawl_mirror *mirror, const crawl_error *error)
{
    pthread_mutex_lock(&mirror->lock);
    if (!mirror->failure.code)
        mirror->failure = *error;
    pthread_mutex_unlock(&mirror->lock);
    atomic_store(&mirror->failed, true);
    return error->code;
}

crawl_err crawl_mirror_record(crawl_mirror *mirror, const crawl_record *record)
{
    crawl_record own;
    record = cw_sized(&own, sizeof own, record);
    if (!record)
        return CRAWL_EINVAL;
    crawl_error error = {0};
    if (atomic_load(&mirror->failed))
        return CRAWL_EIO;
    if (!cw_is(record->method, "GET"))
        return CRAWL_OK;
    arrival a = {.mirror = mirror,
                 .record = record,
                 .row = {.key = record->canonical, .url = record->url},
                 .url = crawl_url_create()};
    crawl_err err = a.url ? mirror_take(&a, &error) : cw_error(&error, CRAWL_ENOMEM);
    crawl_url_free(a.url);
    crawl_buf_free(&a.path);
    crawl_buf_free(&a.original);
    crawl_buf_free(&a.script);
    return err ? mirror_note_failure(mirror, &error) : CRAWL_OK;
}

/* --- closing --- */

void crawl_mirror_watch(crawl_mirror *mirror, crawl_mirror_progress progress, void *user)
{
    mirror->progress = progress;
    mirror->user = user;
}

static crawl_err mirror_finish(crawl_mirror *mirror, crawl_mirror_figures *figures, crawl_error *error)
{
    cw_mirror_finishing with = {.files = mirror->files,
                                .table = mirror->table,
                                .keys = &mirror->keys,
                                .lazy = mirror->lazy,
                                .progress = mirror->progress,
                                .user = mirror->user};
    return cw_mirror_finish(&with, figures, error);
}

crawl_err crawl_mirror_close(crawl_mirror *mirror, bool finishes, crawl_mirror_figures *figures, crawl_error *error)
{
    if (!mirror)
        return CRAWL_OK;
    crawl_err err = mirror->failure.code;
    if (err && error)
        *error = mirror->failure;
    figures->written = atomic_load(&mirror->written);
    if (!err && finishes && cw_mirror_table_changed(mirror->table))
        err = mirror_finish(mirror, figures, error);
    free_mirror(mirror);
    return err;
}

/* The writer of WARC files. The worker that has an exchange makes and compresses its records, with its own press
 * (warc_exchange.c); only writing is done by one worker at a time. */
#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/sized.h"
#include "crawler/output/warc/warc_exchange.h"
#include "crawler/output/warc/warc_file.h"
#include "crawler/output/warc/warc_index.h"
#include "crawler/output/warc/warc_record.h"
#include "crawler/output/whole.h"

#include <crawl/links.h>
#include <crawl/sys/warc.h>
#include <pthread.h>
#include <stdlib.h>

/* The files of one kind that a WARC sink writes, one after the other. Each begins with a warcinfo record, and ends at a
 * maximum size. */

/* The fields of the warcinfo record, besides its file name. */
typedef struct cw_warc_origin {
    const char *user_agent; /* NULL: none */
    bool robots;            /* robots.txt is obeyed */
    const char *text;       /* form of the texts in conversion records, "plain"; NULL: no texts */
} cw_warc_origin;

typedef struct cw_warc_series {
    cw_warc_file file;
    cw_warc_origin origin;
    uint64_t max_file_bytes;
} cw_warc_series;

static crawl_err add_warcinfo(cw_warc_series *series)
{
    cw_warc_press *press = NULL;
    const cw_warc_origin *origin = &series->origin;
    cw_date date = cw_date_of(cw_wall_ms());
    crawl_err err = cw_warc_press_create(&press);
    if (err)
        return err;
    cw_warc_begin(press, "warcinfo", NULL, &date);
    cw_warc_field_text(press, "WARC-Filename", cw_warc_file_name(&series->file));
    cw_warc_field_text(press, "Content-Type", "application/warc-fields");
    cw_put_format(&press->block,
                  "software: crawl/%s\r\nformat: WARC File Format 1.1\r\nconformsTo: "
                  "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\nrobots: %s\r\n",
                  crawl_version(), origin->robots ? "obey" : "ignore");
    if (origin->user_agent)
        cw_put_format(&press->block, "http-header-user-agent: %s\r\n", origin->user_agent);
    if (origin->text)
        cw_put_format(&press->block, "description: texts of pages, %s\r\n", origin->text);
    err = cw_warc_end(press);
    if (!err)
        err = cw_warc_file_append(&series->file, crawl_buf_slice(&press->out));
    cw_warc_press_free(press);
    return err;
}

/* Makes the file ready for a record: opens the first or the next one if needed. */
static crawl_err warc_series_ready(cw_warc_series *series)
{
    cw_warc_file *file = &series->file;
    if (file->failure.code)
        return CRAWL_EIO;
    if (file->fd >= 0 && file->bytes < series->max_file_bytes)
        return CRAWL_OK;
    crawl_err err = cw_warc_file_finish(file);
    if (!err)
        err = cw_warc_file_open(file, cw_wall_ms());
    if (!err) {
        err = add_warcinfo(series);
        if (err)
            cw_warc_file_drop(file);
    }
    return err;
}

#define PRESSES_MAX 64 /* kept for reuse; one per worker is enough */

struct crawl_warc {
    crawl_warc_options options;
    char *prefix;
    char *user_agent;
    char *text;
    unsigned char secret[CW_WARC_SECRET_SIZE]; /* for making the identifiers of responses */
    pthread_mutex_t lock;
    cw_warc_series answers;
    cw_warc_series texts; /* begun with the first text */
    cw_warc_originals originals;
    cw_warc_press *presses[PRESSES_MAX];
    unsigned press_count;
};

/* ---- presses ---- */

static cw_warc_press *take_press(crawl_warc *warc)
{
    cw_warc_press *press = NULL;
    pthread_mutex_lock(&warc->lock);
    if (warc->press_count)
        press = warc->presses[--warc->press_count];
    pthread_mutex_unlock(&warc->lock);
    if (!press && cw_warc_press_create(&press))
        return NULL;
    crawl_buf_clear(&press->out);
    return press;
}

static void give_press(crawl_warc *warc, cw_warc_press *press)
{
    pthread_mutex_lock(&warc->lock);
    bool kept = warc->press_count < PRESSES_MAX;
    if (kept)
        warc->presses[warc->press_count++] = press;
    pthread_mutex_unlock(&warc->lock);
    if (!kept)
        cw_warc_press_free(press);
}

/* ---- an exchange ---- */

static crawl_err index_response(crawl_warc *warc, const cw_warc_exchange *e, uint64_t offset)
{
    const crawl_response *response = e->exchange->response;
    char digest[33];
    crawl_buf line = {0};
    crawl_fingerprint_base32(&e->digest, digest);
    const cw_warc_entry entry = {
        .url = e->exchange->url,
        .date = crawl_slice_from(e->date.text),
        .content_type = crawl_response_header(response, "Content-Type"),
        .is_revisit = cw_warc_exchange_is_revisit(e),
        .status = response->status,
        .digest = crawl_slice_from(e->exchange->confirms_ms ? "-" : digest),
        .length = e->response_end - e->response_at,
        .offset = offset,
        .file = crawl_slice_from(cw_warc_file_name(&warc->answers.file)),
    };
    crawl_err err = cw_warc_index_line(&entry, &line);
    if (!err)
        err = cw_warc_index_add(&warc->answers.file.index, crawl_buf_slice(&line));
    if (!err)
        err = cw_warc_index_ask(&warc->answers.file.index, entry.url, entry.date, response->sent);
    crawl_buf_free(&line);
    return err;
}

/* Returns true if a later 304 may confirm this answer. */
static bool may_be_confirmed(const crawl_response *response)
{
    bool has_validator =
        crawl_response_header(response, "ETag").size || crawl_response_header(response, "Last-Modified").size;
    return has_validator && response->status / 100 == 2;
}

/* Makes the body of a response an original, if it is new. A revisit record is remembered by its date, with its
 * original. The HTML of a robots.txt and the like is none: servers that answer all URLs with one page send it there,
 * too, and readers look for the title in the record of the page. Nor is the answer to a form: readers look for
 * originals by GET. Call with the lock held, after writing the response. */
static crawl_err remember_response(crawl_warc *warc, cw_warc_exchange *e)
{
    const crawl_response *response = e->exchange->response;
    const cw_warc_original *before = e->before;
    crawl_slice method = e->exchange->method;
    bool may_mislead = (method.size && !cw_is(method, "GET")) ||
                       (cw_warc_exchange_is_for_crawl(e->exchange) &&
                        crawl_document_of((crawl_slice){0}, response->body) == CRAWL_DOCUMENT_HTML);
    if (e->payload.size == 0 || cw_warc_exchange_truncation(response) ||
        (before ? !may_be_confirmed(response) : may_mislead))
        return CRAWL_OK;
    cw_warc_original fields = {.digest = e->digest, .id = e->response_id, .date = e->date};
    crawl_slice url = e->exchange->url;
    if (before) {
        fields = (cw_warc_original){.id = before->id, .date = before->date};
        url = crawl_slice_of(before->url, before->url_size);
        crawl_err err = cw_warc_exchange_date_key(e, &e->date, &fields.digest);
        if (err)
            return err;
    }
    return cw_warc_originals_add(&warc->originals, &fields, url, &e->made);
}

/* Appends the records of an exchange, and its index line. Call with the lock held. */
static crawl_err write_exchange(crawl_warc *warc, cw_warc_exchange *e)
{
    crawl_err err = warc_series_ready(&warc->answers);
    uint64_t offset = warc->answers.file.bytes + e->response_at;
    if (!err)
        err = cw_warc_file_append(&warc->answers.file, crawl_buf_slice(&e->press->out));
    if (!err)
        err = index_response(warc, e, offset);
    return err ? err : remember_response(warc, e);
}

/* ---- the sink ---- */

static crawl_err warc_fail(const crawl_warc *warc, crawl_err err, crawl_error *error)
{
    const crawl_error *of_texts = &warc->texts.file.failure;
    const crawl_error *failure = of_texts->code ? of_texts : &warc->answers.file.failure;
    return crawl_error_set(error, err, "%s", failure->code ? failure->message : crawl_strerror(err));
}

static void warc_free_texts(crawl_warc *warc)
{
    free(warc->prefix);
    free(warc->user_agent);
    free(warc->text);
    free(warc);
}

static void set_series(cw_warc_series *series, const crawl_warc *warc, const char *suffix, const char *text)
{
    *series = (cw_warc_series){
        .file = {.prefix = warc->prefix, .suffix = suffix, .fd = -1},
        .origin = {.user_agent = warc->user_agent, .robots = warc->options.robots, .text = text},
        .max_file_bytes = warc->options.max_file_bytes,
    };
}

void crawl_warc_options_init(crawl_warc_options *options, size_t size)
{
    const crawl_warc_options own = {.max_file_bytes = 1u << 30, .robots = true};
    cw_sized_fill(options, size, &own, sizeof own);
}

/* Members unknown to the caller's older version get the values of init. */
static crawl_err warc_take_options(crawl_warc *warc, const crawl_warc_options *options, crawl_error *error)
{
    crawl_warc_options *own = &warc->options;
    crawl_warc_options_init(own, sizeof *own);
    if (!cw_sized_copy(own, sizeof *own, options))
        return cw_sized_refused(options, sizeof *own, "crawl_warc_options", error);
    if (!own->prefix || !*own->prefix)
        return crawl_error_set(error, CRAWL_EINVAL, "WARC files need a prefix for their names");
    warc->prefix = strdup(own->prefix);
    warc->user_agent = own->user_agent ? strdup(own->user_agent) : NULL;
    warc->text = own->text ? strdup(own->text) : NULL;
    bool has_all = warc->prefix && !warc->user_agent == !own->user_agent && !warc->text == !own->text;
    return has_all ? CRAWL_OK : cw_error(error, CRAWL_ENOMEM);
}

crawl_err crawl_warc_open(const crawl_warc_options *options, crawl_warc **out, crawl_error *error)
{
    crawl_warc *warc = calloc(1, sizeof *warc);
    if (!warc)
        return cw_error(error, CRAWL_ENOMEM);
    crawl_err err = warc_take_options(warc, options, error);
    if (err) {
        warc_free_texts(warc);
        return err;
    }
    pthread_mutex_init(&warc->lock, NULL);
    set_series(&warc->answers, warc, ".warc.gz", NULL);
    set_series(&warc->texts, warc, ".warc.wet.gz", warc->text);
    warc->answers.file.has_index = true;
    err = cw_warc_originals_open(&warc->originals, warc->options.engine);
    if (!err && warc->options.against)
        err = cw_warc_originals_of_index(&warc->originals, warc->options.against, &warc->answers.file.failure);
    if (!err)
        err = cw_warc_secret_make(warc->secret);
    if (!err)
        err = warc_series_ready(&warc->answers);
    if (err) {
        warc_fail(warc, err, error);
        crawl_warc_close(warc, NULL);
        return err;
    }
    *out = warc;
    return CRAWL_OK;
}

crawl_err crawl_warc_write(crawl_warc *warc, const crawl_exchange *exchange)
{
    cw_output_exchange_room room;
    exchange = cw_output_whole(exchange, &room);
    if (!exchange)
        return CRAWL_EINVAL;
    if (!exchange->response->status)
        return CRAWL_OK;
    cw_warc_exchange e = {.exchange = exchange, .date = cw_date_of(exchange->fetched_at_ms), .press = take_press(warc)};
    if (!e.press)
        return CRAWL_ENOMEM;
    crawl_err err = cw_warc_exchange_make(&e, warc->secret, &warc->originals);
    if (!err) {
        pthread_mutex_lock(&warc->lock);
        err = write_exchange(warc, &e);
        pthread_mutex_unlock(&warc->lock);
    }
    if (!err && e.made)
        err = cw_warc_originals_keep(&warc->originals, e.made);
    crawl_buf_free(&e.dechunked);
    give_press(warc, e.press);
    return err;
}

/* ---- records about an answer ---- */

/* A record that refers to an answer's record. */
typedef struct remark {
    const char *type; /* "conversion" */
    const char *content_type;
    crawl_slice block;
    bool is_cut;
} remark;

/* Makes a remark. It has the date of the answer, by which readers connect the two. */
static crawl_err make_remark(const crawl_warc *warc, cw_warc_press *press, const crawl_record *record, const remark *r)
{
    cw_warc_id answer;
    cw_date date = cw_date_of(record->fetched_at_ms);
    crawl_err err = cw_warc_id_of(press, warc->secret, record->exchange, &answer);
    if (err)
        return err;
    cw_warc_begin(press, r->type, NULL, &date);
    cw_warc_field(press, "WARC-Target-URI", record->url);
    if (!record->withheld)
        cw_warc_field_id(press, "WARC-Refers-To", &answer);
    cw_warc_field_text(press, "Content-Type", r->content_type);
    if (r->is_cut)
        cw_warc_field_text(press, "WARC-Truncated", "length");
    cw_put(&press->block, r->block);
    return cw_warc_end(press);
}

static crawl_err write_remark(crawl_warc *warc, cw_warc_series *series, const crawl_record *record, const remark *r)
{
    cw_warc_press *press = take_press(warc);
    if (!press)
        return CRAWL_ENOMEM;
    crawl_err err = make_remark(warc, press, record, r);
    if (!err) {
        pthread_mutex_lock(&warc->lock);
        err = warc_series_ready(series);
        if (!err)
            err = cw_warc_file_append(&series->file, crawl_buf_slice(&press->out));
        pthread_mutex_unlock(&warc->lock);
    }
    give_press(warc, press);
    return err;
}

crawl_err crawl_warc_write_text(crawl_warc *warc, const crawl_record *record)
{
    crawl_record own;
    record = cw_sized(&own, sizeof own, record);
    if (!record)
        return CRAWL_EINVAL;
    const remark text = {
        .type = "conversion",
        .content_type = warc->options.is_markdown ? "text/markdown" : "text/plain",
        .block = record->text,
        .is_cut = record->text_cut,
    };
    return record->text.size ? write_remark(warc, &warc->texts, record, &text) : CRAWL_OK;
}

crawl_err crawl_warc_write_rendered(crawl_warc *warc, const crawl_record *record)
{
    crawl_record own;
    record = cw_sized(&own, sizeof own, record);
    if (!record)
        return CRAWL_EINVAL;
    bool is_there = record->render && record->render->html.size && !record->withheld;
    const remark page = {.type = "conversion",
                         .content_type = "text/html; charset=utf-8",
                         .block = is_there ? record->render->html : (crawl_slice){0}};
    return is_there ? write_remark(warc, &warc->answers, record, &page) : CRAWL_OK;
}

crawl_err crawl_warc_write_metadata(crawl_warc *warc, const crawl_record *record, const char *content_type,
                                    crawl_slice block)
{
    const remark metadata = {.type = "metadata", .content_type = content_type, .block = block};
    bool has_type = content_type && *content_type;
    crawl_record own;
    record = cw_sized(&own, sizeof own, record);
    return has_type && record ? write_remark(warc, &warc->answers, record, &metadata) : CRAWL_EINVAL;
}

/* ---- the end ---- */

crawl_err crawl_warc_flush(crawl_warc *warc)
{
    return cw_warc_originals_flush(&warc->originals);
}

static crawl_err warc_finish(cw_warc_series *series)
{
    return series->file.failure.code ? CRAWL_EIO : cw_warc_file_finish(&series->file);
}

crawl_err crawl_warc_rotate(crawl_warc *warc)
{
    pthread_mutex_lock(&warc->lock);
    crawl_err err = warc_finish(&warc->answers);
    crawl_err of_texts = warc_finish(&warc->texts);
    pthread_mutex_unlock(&warc->lock);
    return err ? err : of_texts;
}

crawl_err crawl_warc_close(crawl_warc *warc, crawl_error *error)
{
    if (!warc)
        return CRAWL_OK;
    (void)crawl_warc_flush(warc); /* a failed frontier reports it */
    crawl_err err = warc_finish(&warc->texts);
    crawl_err of_answers = warc_finish(&warc->answers);
    err = err ? err : of_answers;
    if (err)
        warc_fail(warc, err, error);
    cw_warc_file_free(&warc->texts.file);
    cw_warc_file_free(&warc->answers.file);
    for (unsigned i = 0; i < warc->press_count; i++)
        cw_warc_press_free(warc->presses[i]);
    cw_warc_originals_close(&warc->originals);
    pthread_mutex_destroy(&warc->lock);
    warc_free_texts(warc);
    return err;
}

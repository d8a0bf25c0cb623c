/* The writer of WARC files. The worker that brings an exchange builds and compresses its records, with a press of its
 * own; only the writing is done by one worker at a time. */
#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/sized.h"
#include "crawler/output/warc/warc_index.h"
#include "crawler/output/warc/warc_originals.h"
#include "crawler/output/warc/warc_record.h"
#include "crawler/output/warc/warc_redact.h"
#include "crawler/output/warc/warc_series.h"
#include "crawler/output/whole.h"

#include <crawl/warc.h>
#include <pthread.h>
#include <stdlib.h>

#define PRESSES_MAX 64 /* kept for use again; as many as there are workers is enough */

struct crawl_warc {
    crawl_warc_options options;
    char *prefix;
    char *user_agent;
    char *text;
    unsigned char secret[CW_WARC_SECRET_SIZE]; /* of which the identifiers of responses are made */
    pthread_mutex_t lock;
    cw_warc_series answers;
    cw_warc_series texts; /* begun with the first */
    cw_warc_originals originals;
    cw_warc_press *presses[PRESSES_MAX];
    unsigned press_count;
};

/* One exchange on its way into the file. */
typedef struct job {
    const crawl_exchange *exchange;
    cw_warc_press *press;
    cw_warc_id response_id;
    cw_date date;
    crawl_slice payload; /* the body without chunks, still in its content coding */
    crawl_buf dechunked;
    crawl_fingerprint digest;       /* of payload */
    const cw_warc_original *before; /* the same payload was written; NULL: no */
    const cw_warc_original *made;   /* the original that this job has added; NULL: none */
    size_t response_at;             /* where its member begins among those of the job */
    size_t response_end;
} job;

/* ---- what is shared ---- */

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

/* With the lock held, when the response is written. */
static crawl_err remember_response(crawl_warc *warc, job *j)
{
    if (j->before || j->payload.size == 0 || j->exchange->response->received_cut)
        return CRAWL_OK;
    const cw_warc_original fields = {.digest = j->digest, .id = j->response_id, .date = j->date};
    return cw_warc_originals_add(&warc->originals, &fields, j->exchange->url, &j->made);
}

/* ---- records ---- */

static bool is_http2(const crawl_response *response)
{
    return response->http_version >= 20;
}

/* HTTP/2 has no messages in text; libcurl's are those of HTTP/1 but for the version, which readers of application/http
 * expect to be 1.1. */
static void add_message(cw_warc_press *press, crawl_slice header, bool http2, bool is_request)
{
    const char *end = memchr(header.data, '\n', header.size);
    size_t line = end ? (size_t)(end - header.data) : header.size;
    const char *version = http2 ? memmem(header.data, line, "HTTP/2", 6) : NULL;
    if (version && (is_request || version == header.data)) {
        size_t before = (size_t)(version - header.data);
        cw_put(&press->block, crawl_slice_of(header.data, before));
        cw_put_format(&press->block, "HTTP/1.1");
        header = crawl_slice_of(version + 6, header.size - before - 6);
    }
    cw_put(&press->block, header);
}

static void begin(job *j, const char *type, const cw_warc_id *id)
{
    cw_warc_begin(j->press, type, id, &j->date);
    cw_warc_field(j->press, "WARC-Target-URI", j->exchange->url);
}

static void begin_message(job *j, const char *type, const cw_warc_id *id, const char *message)
{
    const crawl_response *response = j->exchange->response;
    begin(j, type, id);
    if (*response->ip)
        cw_warc_field_text(j->press, "WARC-IP-Address", response->ip);
    if (is_http2(response))
        cw_warc_field_text(j->press, "WARC-Protocol", "h2");
    cw_warc_field_text(j->press, "Content-Type", message);
}

static crawl_err add_request(job *j)
{
    const crawl_response *response = j->exchange->response;
    crawl_buf sent = {0};
    crawl_err err = cw_warc_redact(response->sent, &sent);
    if (!err) {
        begin_message(j, "request", NULL, "application/http;msgtype=request");
        cw_warc_field_id(j->press, "WARC-Concurrent-To", &j->response_id);
        add_message(j->press, crawl_buf_slice(&sent), is_http2(response), true);
        err = cw_warc_end(j->press);
    }
    crawl_buf_free(&sent);
    return err;
}

/* Why a body is not whole; NULL: it is. The terms of ISO 28500, 5.13. */
static const char *truncation(const crawl_response *response)
{
    switch (response->error) {
    case CRAWL_FETCH_OK:
        return response->received_cut ? "length" : NULL;
    case CRAWL_FETCH_TOO_LARGE:
        return "length";
    case CRAWL_FETCH_TIMEOUT:
        return "time";
    case CRAWL_FETCH_RESET:
        return "disconnect";
    default:
        return "unspecified";
    }
}

static void refer(job *j)
{
    const cw_warc_original *before = j->before;
    cw_warc_field_text(j->press, "WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest");
    cw_warc_field_id(j->press, "WARC-Refers-To", &before->id);
    cw_warc_field(j->press, "WARC-Refers-To-Target-URI", crawl_slice_of(before->url, before->url_size));
    cw_warc_field_text(j->press, "WARC-Refers-To-Date", before->date.text);
}

/* A 304 (WARC/1.1, 6.7.3) confirms the payload of an earlier answer, whose digest is not known here any more. */
static void refer_by_date(job *j)
{
    cw_warc_field_text(j->press, "WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/server-not-modified");
    cw_warc_field(j->press, "WARC-Refers-To-Target-URI", j->exchange->url);
    cw_warc_field_text(j->press, "WARC-Refers-To-Date", cw_date_of(j->exchange->confirms_ms).text);
}

static bool is_revisit(const job *j)
{
    return j->before || j->exchange->confirms_ms;
}

static crawl_err add_response(job *j)
{
    const crawl_response *response = j->exchange->response;
    const char *cut = truncation(response);
    begin_message(j, is_revisit(j) ? "revisit" : "response", &j->response_id, "application/http;msgtype=response");
    if (j->exchange->confirms_ms)
        refer_by_date(j);
    else
        cw_warc_field_digest(j->press, "WARC-Payload-Digest", &j->digest);
    if (!j->exchange->confirms_ms && j->before)
        refer(j);
    if (cut)
        cw_warc_field_text(j->press, "WARC-Truncated", cut);
    add_message(j->press, response->received_header, is_http2(response), false);
    if (!j->before)
        cw_put(&j->press->block, response->received_body);
    j->response_at = j->press->out.size;
    crawl_err err = cw_warc_end(j->press);
    j->response_end = j->press->out.size;
    return err;
}

/* Where the URL was found, how far from a seed, and how long it took. */
static crawl_err add_metadata(job *j)
{
    begin(j, "metadata", NULL);
    cw_warc_field_id(j->press, "WARC-Refers-To", &j->response_id);
    cw_warc_field_text(j->press, "Content-Type", "application/warc-fields");
    cw_put_format(&j->press->block, "via: %.*s\r\nhopsFromSeed: ", (int)j->exchange->parent.size,
                  j->exchange->parent.data);
    for (uint32_t hop = 0; hop < j->exchange->depth; hop++)
        cw_put(&j->press->block, crawl_slice_from("L"));
    cw_put_format(&j->press->block, "\r\nfetchTimeMs: %.0f\r\n", j->exchange->response->elapsed_ms);
    return cw_warc_end(j->press);
}

static bool is_chunked(const crawl_response *response)
{
    static const char chunked[] = "chunked";
    crawl_slice value = cw_trim(crawl_response_header(response, "Transfer-Encoding"));
    size_t size = sizeof chunked - 1;
    return !is_http2(response) && value.size >= size &&
           cw_equal_nocase(crawl_slice_of(value.data + value.size - size, size), crawl_slice_from(chunked));
}

static crawl_err find_payload(crawl_warc *warc, job *j)
{
    const crawl_response *response = j->exchange->response;
    j->payload = response->received_body;
    if (is_chunked(response)) {
        crawl_err err = cw_warc_dechunk(response->received_body, &j->dechunked);
        if (err)
            return err;
        j->payload = crawl_buf_slice(&j->dechunked);
    }
    crawl_err err = crawl_fingerprint_bytes(j->press->sha1, j->payload, &j->digest);
    if (!err && j->payload.size && !truncation(response))
        j->before = cw_warc_originals_find(&warc->originals, &j->digest);
    return err;
}

static crawl_err make_records(crawl_warc *warc, job *j)
{
    crawl_err err = cw_warc_id_of(j->press, warc->secret, j->exchange->number, &j->response_id);
    if (!err)
        err = find_payload(warc, j);
    if (!err)
        err = add_response(j);
    if (!err)
        err = add_request(j);
    if (!err && j->exchange->parent.size)
        err = add_metadata(j);
    return err;
}

/* ---- the index ---- */

static crawl_err index_response(crawl_warc *warc, const job *j, uint64_t offset)
{
    const crawl_response *response = j->exchange->response;
    char digest[33];
    crawl_buf line = {0};
    crawl_fingerprint_base32(&j->digest, digest);
    const cw_warc_entry entry = {
        .url = j->exchange->url,
        .date = crawl_slice_from(j->date.text),
        .content_type = crawl_response_header(response, "Content-Type"),
        .is_revisit = is_revisit(j),
        .status = response->status,
        .digest = crawl_slice_from(j->exchange->confirms_ms ? "-" : digest),
        .length = j->response_end - j->response_at,
        .offset = offset,
        .file = crawl_slice_from(cw_warc_file_name(&warc->answers.file)),
    };
    crawl_err err = cw_warc_index_line(&entry, &line);
    if (!err)
        err = cw_warc_file_index(&warc->answers.file, crawl_buf_slice(&line));
    crawl_buf_free(&line);
    return err;
}

/* With the lock held. */
static crawl_err write_job(crawl_warc *warc, job *j)
{
    crawl_err err = cw_warc_series_ready(&warc->answers);
    uint64_t offset = warc->answers.file.bytes + j->response_at;
    if (!err)
        err = cw_warc_file_append(&warc->answers.file, crawl_buf_slice(&j->press->out));
    if (!err)
        err = index_response(warc, j, offset);
    return err ? err : remember_response(warc, j);
}

/* ---- the sink ---- */

static crawl_err fail(const crawl_warc *warc, crawl_err err, crawl_error *error)
{
    const crawl_error *of_texts = &warc->texts.file.failure;
    const crawl_error *failure = of_texts->code ? of_texts : &warc->answers.file.failure;
    return crawl_error_set(error, err, "%s", failure->code ? failure->message : crawl_strerror(err));
}

static void free_texts(crawl_warc *warc)
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

/* Members that the caller's older version does not know get the values of init. */
static crawl_err take_options(crawl_warc *warc, const crawl_warc_options *options, crawl_error *error)
{
    crawl_warc_options *own = &warc->options;
    crawl_warc_options_init(own, sizeof *own);
    if (!cw_sized_copy(own, sizeof *own, options))
        return cw_sized_refused(options, sizeof *own, "crawl_warc_options", error);
    if (!own->prefix || !*own->prefix)
        return crawl_error_set(error, CRAWL_EINVAL, "a WARC needs the beginning of its names");
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
    crawl_err err = take_options(warc, options, error);
    if (err) {
        free_texts(warc);
        return err;
    }
    pthread_mutex_init(&warc->lock, NULL);
    set_series(&warc->answers, warc, ".warc.gz", NULL);
    set_series(&warc->texts, warc, ".warc.wet.gz", warc->text);
    warc->answers.file.has_index = true;
    err = cw_warc_originals_open(&warc->originals, warc->options.engine);
    if (!err)
        err = cw_warc_secret_make(warc->secret);
    if (!err)
        err = cw_warc_series_ready(&warc->answers);
    if (err) {
        fail(warc, err, error);
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
    job j = {.exchange = exchange, .date = cw_date_of(exchange->fetched_at_ms), .press = take_press(warc)};
    if (!j.press)
        return CRAWL_ENOMEM;
    crawl_err err = make_records(warc, &j);
    if (!err) {
        pthread_mutex_lock(&warc->lock);
        err = write_job(warc, &j);
        pthread_mutex_unlock(&warc->lock);
    }
    if (!err && j.made)
        err = cw_warc_originals_keep(&warc->originals, j.made);
    crawl_buf_free(&j.dechunked);
    give_press(warc, j.press);
    return err;
}

/* ---- what is about an answer ---- */

/* A record that refers to that of an answer. */
typedef struct remark {
    const char *type; /* "conversion" */
    const char *content_type;
    crawl_slice block;
    bool is_cut;
} remark;

/* Its date is that of the answer, by which readers bring the two together. */
static crawl_err make_remark(const crawl_warc *warc, cw_warc_press *press, const crawl_record *record, const remark *r)
{
    cw_warc_id answer;
    cw_date date = cw_date_of(record->fetched_at_ms);
    crawl_err err = cw_warc_id_of(press, warc->secret, record->exchange, &answer);
    if (err)
        return err;
    cw_warc_begin(press, r->type, NULL, &date);
    cw_warc_field(press, "WARC-Target-URI", record->url);
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
        err = cw_warc_series_ready(series);
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

static crawl_err finish(cw_warc_series *series)
{
    return series->file.failure.code ? CRAWL_EIO : cw_warc_file_finish(&series->file);
}

crawl_err crawl_warc_rotate(crawl_warc *warc)
{
    pthread_mutex_lock(&warc->lock);
    crawl_err err = finish(&warc->answers);
    crawl_err of_texts = finish(&warc->texts);
    pthread_mutex_unlock(&warc->lock);
    return err ? err : of_texts;
}

crawl_err crawl_warc_close(crawl_warc *warc, crawl_error *error)
{
    if (!warc)
        return CRAWL_OK;
    (void)crawl_warc_flush(warc); /* a frontier that has failed says so itself */
    crawl_err err = finish(&warc->texts);
    crawl_err of_answers = finish(&warc->answers);
    err = err ? err : of_answers;
    if (err)
        fail(warc, err, error);
    cw_warc_file_free(&warc->texts.file);
    cw_warc_file_free(&warc->answers.file);
    for (unsigned i = 0; i < warc->press_count; i++)
        cw_warc_press_free(warc->presses[i]);
    cw_warc_originals_close(&warc->originals);
    pthread_mutex_destroy(&warc->lock);
    free_texts(warc);
    return err;
}

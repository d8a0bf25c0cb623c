/* See record.h. */
#include "crawler/program/output/record.h"

#include "base/bytes.h"
#include "crawler/program/date.h"
#include "crawler/program/output/record_file.h"
#include "crawler/program/tools/io.h"

#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>

enum { BUFFER_SIZE = 256 * 1024 };

struct cw_output_sink {
    pthread_mutex_t lock;
    FILE *file;
    char *path;
    int failure; /* errno of the first one; 0: none */
};

crawl_err cw_output_sink_open(const char *path, cw_output_mode mode, cw_output_sink **out, crawl_error *error)
{
    bool standard = strcmp(path, "-") == 0;
    crawl_err err = mode == CW_RECORDS_APPENDED && !standard ? cw_output_record_file_mend(path, error) : CRAWL_OK;
    if (err)
        return err;
    cw_output_sink *sink = calloc(1, sizeof *sink);
    if (!sink)
        return crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    sink->path = strdup(standard ? "standard output" : path);
    sink->file = standard ? stdout : fopen(path, mode == CW_RECORDS_APPENDED ? "ae" : "we");
    if (!sink->path || !sink->file) {
        err = crawl_error_set(error, CRAWL_EIO, "%s: %s", path, strerror(errno));
        free(sink->path);
        free(sink);
        return err;
    }
    setvbuf(sink->file, NULL, mode == CW_RECORDS_NEW ? _IOFBF : _IOLBF, BUFFER_SIZE);
    pthread_mutex_init(&sink->lock, NULL);
    *out = sink;
    return CRAWL_OK;
}

static json_t *text_or_null(crawl_slice text)
{
    return text.size ? cw_tool_json_text(text) : json_null();
}

static json_t *words_or_null(const char *words)
{
    return text_or_null(crawl_slice_from(words));
}

static json_t *digest(const crawl_record *record)
{
    if (!record->has_digest)
        return json_null();
    char text[5 + 33] = "sha1:";
    crawl_fingerprint_base32(&record->digest, text + 5);
    return json_string(text);
}

static json_t *robots(unsigned flags)
{
    json_t *list = json_array();
    if (flags & CRAWL_ROBOTS_NOINDEX)
        json_array_append_new(list, json_string("noindex"));
    if (flags & CRAWL_ROBOTS_NOFOLLOW)
        json_array_append_new(list, json_string("nofollow"));
    return list;
}

static json_t *changed(crawl_change change)
{
    return change == CRAWL_CHANGE_UNKNOWN ? json_null() : json_boolean(change == CRAWL_CHANGE_YES);
}

/* Takes value over. */
static bool add(json_t *object, const char *name, json_t *value)
{
    return object && json_object_set_new(object, name, value) == 0;
}

/* Only where there is something to say. */
static bool add_likeness(json_t *object, const crawl_record *record)
{
    char simhash[17];
    snprintf(simhash, sizeof simhash, "%016llx", (unsigned long long)record->simhash);
    if (record->duplicate_of.size && !add(object, "duplicate_of", cw_tool_json_text(record->duplicate_of)))
        return false;
    if (record->near_duplicate_of.size &&
        (!add(object, "near_duplicate_of", cw_tool_json_text(record->near_duplicate_of)) ||
         !add(object, "distance", json_integer((json_int_t)record->distance))))
        return false;
    return !record->has_simhash || add(object, "simhash", json_string(simhash));
}

static json_t *to_json(const crawl_record *record)
{
    char fingerprint[41];
    crawl_fingerprint_hex(&record->fingerprint, fingerprint);
    return json_pack(
        "{s:o, s:o, s:s, s:o, s:i, s:I, s:o, s:o, s:f, s:o, s:o, s:o, s:I, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:I, "
        "s:o, s:I, s:o}",
        "url", cw_tool_json_text(record->url), "canonical", text_or_null(record->canonical), "fingerprint", fingerprint,
        "method", cw_tool_json_text(record->method), "status", record->status, "depth", (json_int_t)record->depth,
        "parent", text_or_null(record->parent), "fetched_at",
        json_string(cw_program_date_of(record->fetched_at_ms).text), "elapsed_ms", record->elapsed_ms, "ip",
        words_or_null(record->ip), "content_type", text_or_null(record->content_type), "charset",
        words_or_null(record->charset), "bytes", (json_int_t)record->bytes, "digest", digest(record), "title",
        text_or_null(record->title), "links", (json_int_t)record->links, "new", (json_int_t)record->fresh, "redirect",
        text_or_null(record->redirect), "error", words_or_null(record->error), "detail",
        words_or_null(record->error_text), "attempt", (json_int_t)record->attempt, "robots", robots(record->robots),
        "visit", (json_int_t)record->visit, "changed", changed(record->change));
}

static crawl_err note_failure(cw_output_sink *sink)
{
    if (!sink->failure)
        sink->failure = errno ? errno : EIO;
    return CRAWL_EIO;
}

crawl_err cw_output_sink_line(cw_output_sink *sink, const char *line)
{
    pthread_mutex_lock(&sink->lock);
    crawl_err err = sink->failure ? CRAWL_EIO : CRAWL_OK;
    errno = 0;
    if (!err && (fputs(line, sink->file) == EOF || putc('\n', sink->file) == EOF))
        err = note_failure(sink);
    pthread_mutex_unlock(&sink->lock);
    return err;
}

crawl_err cw_output_record_line(const crawl_record *record, const char *body, crawl_buf *out)
{
    json_t *object = to_json(record);
    bool complete = object && (!record->links_cut || add(object, "links_cut", json_true())) &&
                    add_likeness(object, record) && (!body || add(object, "body", json_string(body)));
    char *line = complete ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(object);
    crawl_err err = line ? crawl_buf_append_text(out, line) : CRAWL_ENOMEM;
    free(line);
    return err;
}

crawl_err cw_output_sink_record(cw_output_sink *sink, const crawl_record *record, const char *body)
{
    crawl_buf line = {0};
    crawl_err err = cw_output_record_line(record, body, &line);
    if (!err)
        err = cw_output_sink_line(sink, line.data);
    crawl_buf_free(&line);
    return err;
}

crawl_err cw_output_sink_flush(cw_output_sink *sink)
{
    pthread_mutex_lock(&sink->lock);
    errno = 0;
    crawl_err err = sink->failure || fflush(sink->file) ? note_failure(sink) : CRAWL_OK;
    pthread_mutex_unlock(&sink->lock);
    return err;
}

bool cw_output_sink_abandoned(cw_output_sink *sink)
{
    pthread_mutex_lock(&sink->lock);
    bool abandoned = sink->failure == EPIPE;
    pthread_mutex_unlock(&sink->lock);
    return abandoned;
}

crawl_err cw_output_sink_close(cw_output_sink *sink, crawl_error *error)
{
    if (!sink)
        return CRAWL_OK;
    crawl_err err = cw_output_sink_flush(sink);
    errno = 0;
    if (sink->file != stdout) {
        if (fclose(sink->file) && !err)
            err = note_failure(sink);
        if (err)
            cw_output_record_file_mend(sink->path, NULL);
    }
    if (err)
        crawl_error_set(error, CRAWL_EIO, "%s: %s", sink->path, strerror(sink->failure));
    pthread_mutex_destroy(&sink->lock);
    free(sink->path);
    free(sink);
    return err;
}

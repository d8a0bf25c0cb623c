#include "crawler/output/warc/warc_originals.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/json/pick.h"
#include "base/utf8.h"
#include "base/writer.h"

#include <crawl/sys/warc.h>
#include <stdlib.h>
#include <zlib.h>

static crawl_slice warc_originals_key_of(const crawl_fingerprint *digest)
{
    return crawl_slice_of((const char *)digest->bytes, sizeof digest->bytes);
}

const cw_warc_original *cw_warc_originals_find(cw_warc_originals *originals, const crawl_fingerprint *digest)
{
    pthread_mutex_lock(&originals->lock);
    const cw_warc_original *found = cw_map_get(originals->map, warc_originals_key_of(digest));
    pthread_mutex_unlock(&originals->lock);
    return found;
}

static crawl_err warc_originals_put(cw_warc_originals *originals, cw_warc_original *one)
{
    pthread_mutex_lock(&originals->lock);
    crawl_err err = originals->count == CRAWL_WARC_MAX_ORIGINALS
                        ? CRAWL_FULL
                        : cw_map_put(originals->map, warc_originals_key_of(&one->digest), one);
    if (!err) {
        one->next = originals->all;
        originals->all = one;
        originals->count++;
    }
    pthread_mutex_unlock(&originals->lock);
    return err;
}

crawl_err cw_warc_originals_add(cw_warc_originals *originals, const cw_warc_original *fields, crawl_slice url,
                                const cw_warc_original **made)
{
    *made = NULL;
    cw_warc_original *one = malloc(sizeof *one + url.size);
    if (!one)
        return CRAWL_ENOMEM;
    *one = *fields;
    one->url_size = url.size;
    memcpy(one->url, url.data, url.size);
    crawl_err err = warc_originals_put(originals, one);
    if (err) {
        free(one);
        return err == CRAWL_EXISTS || err == CRAWL_FULL ? CRAWL_OK : err; /* another worker may have added it */
    }
    *made = one;
    return CRAWL_OK;
}

/* ---- notes ---- */

/* The engine's notes of written bodies (note_log.h). An entry has the SHA-1 of the body in 20 bytes, then the
 * identifier of the response record, its date and its URL, separated by spaces. */
#define NOTE "warc "

static crawl_err warc_originals_set_note(void *user, crawl_slice name, crawl_slice note)
{
    return crawl_engine_note_set(user, name, note);
}

crawl_err cw_warc_originals_keep(cw_warc_originals *originals, const cw_warc_original *one)
{
    crawl_buf text = {0};
    cw_writer head = {.out = &text};
    cw_put(&head, warc_originals_key_of(&one->digest));
    cw_put_format(&head, "%s %s ", one->id.text, one->date.text);
    crawl_err err =
        head.err ? head.err
                 : cw_note_log_add(&originals->log, crawl_buf_slice(&text), crawl_slice_of(one->url, one->url_size));
    crawl_buf_free(&text);
    return err;
}

crawl_err cw_warc_originals_flush(cw_warc_originals *originals)
{
    return cw_note_log_flush(&originals->log);
}

/* Cuts a word and the space after it off *rest. Returns false if there is none that fits. */
static bool warc_originals_take_word(crawl_slice *rest, char *out, size_t room)
{
    const char *space = rest->size ? memchr(rest->data, ' ', rest->size) : NULL;
    size_t size = space ? (size_t)(space - rest->data) : room;
    if (size >= room)
        return false;
    memcpy(out, rest->data, size);
    out[size] = '\0';
    *rest = crawl_slice_of(space + 1, rest->size - size - 1);
    return true;
}

typedef struct original_recall {
    cw_warc_originals *originals;
    crawl_err err;
} original_recall;

static bool warc_originals_recall_entry(crawl_slice entry, void *user)
{
    original_recall *r = user;
    const cw_warc_original *made;
    cw_warc_original fields = {0};
    size_t size = sizeof fields.digest.bytes;
    r->err = CRAWL_ECORRUPT;
    if (entry.size < size)
        return false;
    memcpy(fields.digest.bytes, entry.data, size);
    entry = crawl_slice_of(entry.data + size, entry.size - size);
    if (warc_originals_take_word(&entry, fields.id.text, sizeof fields.id.text) &&
        warc_originals_take_word(&entry, fields.date.text, sizeof fields.date.text))
        r->err = cw_warc_originals_add(r->originals, &fields, entry, &made);
    return !r->err;
}

static bool warc_originals_recall(crawl_slice name, crawl_slice note, void *user)
{
    original_recall *r = user;
    crawl_err err = cw_note_log_read(&r->originals->log, name, note, warc_originals_recall_entry, r);
    r->err = r->err ? r->err : err;
    return !r->err;
}

crawl_err cw_warc_originals_open(cw_warc_originals *originals, crawl_engine *engine)
{
    original_recall r = {.originals = originals};
    pthread_mutex_init(&originals->lock, NULL);
    cw_note_log_init(&originals->log, NOTE, CRAWL_NOTE_MAX);
    originals->map = cw_map_create((uintptr_t)originals);
    if (!originals->map)
        return CRAWL_ENOMEM;
    crawl_err err = engine ? crawl_engine_notes(engine, crawl_slice_from(NOTE), warc_originals_recall, &r) : CRAWL_OK;
    if (engine && !err && !r.err)
        cw_note_log_keep(&originals->log, warc_originals_set_note, engine);
    return err ? err : r.err;
}

void cw_warc_originals_close(cw_warc_originals *originals)
{
    while (originals->all) {
        cw_warc_original *next = originals->all->next;
        free(originals->all);
        originals->all = next;
    }
    cw_map_free(originals->map);
    cw_note_log_free(&originals->log);
    pthread_mutex_destroy(&originals->lock);
}

/* The originals of another archive, from its index. */

enum { URL, DIGEST, MIME, METHOD, FIELDS };

/* Converts "20260131235959", with optional milliseconds, to a date. Returns false if it is no such time. */
static bool originals_index_date(crawl_slice when, cw_date *out)
{
    const char *w = when.data;
    bool has_ms = when.size == 17;
    if ((when.size != 14 && !has_ms) || cw_count_digits(when) != when.size)
        return false;
    snprintf(out->text, sizeof out->text, "%.4s-%.2s-%.2sT%.2s:%.2s:%.2s%s%.*sZ", w, w + 4, w + 6, w + 8, w + 10,
             w + 12, has_ms ? "." : "", has_ms ? 3 : 0, w + 14);
    return true;
}

/* Adds the answer of a line, unless it is a revisit, or to another method than GET, or its digest is not SHA-1. */
static crawl_err originals_index_line(cw_warc_originals *originals, crawl_slice line, crawl_buf *room)
{
    static const crawl_slice names[FIELDS] = {CW_JSON_NAME("url"), CW_JSON_NAME("digest"), CW_JSON_NAME("mime"),
                                              CW_JSON_NAME("method")};
    cw_json_value values[FIELDS];
    cw_warc_original fields = {0};
    const cw_warc_original *made;
    cw_cut(&line, ' ');
    crawl_slice when = cw_cut(&line, ' ');
    if (!originals_index_date(when, &fields.date) || cw_utf8_valid_prefix(line) != line.size ||
        !cw_json_pick(line, names, FIELDS, values))
        return CRAWL_EPARSE;
    crawl_buf_clear(room);
    if (crawl_buf_reserve(room, line.size))
        return CRAWL_ENOMEM;
    crawl_slice url = cw_json_decoded(&values[URL], room), digest = cw_json_decoded(&values[DIGEST], room);
    crawl_slice method = cw_json_decoded(&values[METHOD], room);
    cw_take_text(&digest, "sha1:");
    if (!url.size || (method.size && !cw_is(method, "GET")) ||
        cw_is(cw_json_decoded(&values[MIME], room), "warc/revisit") ||
        !cw_base32_decode(digest, fields.digest.bytes, sizeof fields.digest.bytes))
        return CRAWL_OK;
    return cw_warc_originals_add(originals, &fields, url, &made);
}

/* Reads a line with its end; empty: end of file. CRAWL_EIO, CRAWL_ENOMEM. */
static crawl_err originals_index_next(gzFile in, crawl_buf *line)
{
    enum { PIECE = 4096 };
    int code = Z_OK;
    crawl_buf_clear(line);
    while (!cw_ends_with(crawl_buf_slice(line), "\n")) {
        if (crawl_buf_reserve(line, PIECE))
            return CRAWL_ENOMEM;
        if (!gzgets(in, line->data + line->size, PIECE))
            break;
        line->size += strlen(line->data + line->size);
    }
    gzerror(in, &code);
    return code == Z_OK || code == Z_STREAM_END ? CRAWL_OK : CRAWL_EIO;
}

crawl_err cw_warc_originals_of_index(cw_warc_originals *originals, const char *path, crawl_error *error)
{
    crawl_buf line = {0}, room = {0};
    crawl_err err = CRAWL_OK;
    gzFile in = gzopen(path, "rbe"); /* reads uncompressed files too */
    if (!in)
        return cw_error_of_file(error, path);
    for (unsigned long number = 1; !err; number++) {
        err = originals_index_next(in, &line);
        if (err || !line.size)
            break;
        bool is_head = memchr("! \r\n", line.data[0], 4); /* "!meta ...", " CDX ..." */
        if (!is_head)
            err = originals_index_line(originals, cw_trim(crawl_buf_slice(&line)), &room);
        if (err == CRAWL_EPARSE)
            crawl_error_set(error, err, "%s: line %lu is not CDXJ: expected KEY TIME {...}", path, number);
    }
    if (err == CRAWL_EIO)
        crawl_error_set(error, err, "%s: cannot be read, or its gzip is damaged", path);
    gzclose(in);
    crawl_buf_free(&line);
    crawl_buf_free(&room);
    return err;
}

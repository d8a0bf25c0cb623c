/* See sieve.h. Input is read in large blocks, which are split into batches of records. One call of the filter judges a
 * batch, which is packed to its own beginning and written from there. So a record is copied at most once, within the
 * cache, and the only call for a single record is the search for its end.
 *
 * A batch is written before the next is judged. If its write fails, the records that have not left are removed from the
 * filter again, if its kind can do that. */
#include "crawler/program/commands/seen/sieve.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "crawler/program/stop_file.h"
#include "tools/common/input_lines.h"

#include <crawl/url.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

/* Bytes per read. A block, its records and the output fit into a second-level cache. */
#define BLOCK ((size_t)256 << 10)
/* Records per batch. */
#define BATCH 4096

struct cw_seen_sieve {
    cw_seen_sieve_options options;
    cw_seen_sieve_counts counts;
    uint64_t before; /* records of this input before the batch */
    crawl_buf block;
    size_t at;       /* start of the batch; everything before is done */
    size_t searched; /* no record ends between at and here */
    bool skipping;   /* bytes up to the next end belong to a record that is too long */
    crawl_slice records[BATCH];
    crawl_slice keys[BATCH]; /* of URLs */
    uint8_t fresh[BATCH];
    uint32_t where[BATCH];
    size_t count; /* of records */
    crawl_url *url;
    crawl_fingerprinter *fingerprinter; /* NULL: the keys are canonical forms */
    crawl_buf parted;                   /* of one record, with "&" for ";" in its query */
    crawl_buf canonical_text;           /* of one record, for its fingerprint */
    crawl_buf text;                     /* of the keys, one after another */
};

cw_seen_sieve *cw_seen_sieve_create(const cw_seen_sieve_options *options)
{
    cw_seen_sieve *sieve = malloc(sizeof *sieve);
    bool fingerprints = options->urls && options->fingerprints;
    if (!sieve)
        return NULL;
    sieve->options = *options;
    sieve->counts = (cw_seen_sieve_counts){0};
    sieve->block = sieve->text = sieve->parted = sieve->canonical_text = (crawl_buf){0};
    sieve->url = options->urls ? crawl_url_create() : NULL;
    sieve->fingerprinter = fingerprints ? crawl_fingerprinter_create() : NULL;
    if ((options->urls && !sieve->url) || (fingerprints && !sieve->fingerprinter)) {
        cw_seen_sieve_free(sieve);
        return NULL;
    }
    return sieve;
}

void cw_seen_sieve_free(cw_seen_sieve *sieve)
{
    if (!sieve)
        return;
    crawl_url_free(sieve->url);
    crawl_fingerprinter_free(sieve->fingerprinter);
    crawl_buf_free(&sieve->parted);
    crawl_buf_free(&sieve->canonical_text);
    crawl_buf_free(&sieve->text);
    crawl_buf_free(&sieve->block);
    free(sieve);
}

const cw_seen_sieve_counts *cw_seen_sieve_counted(const cw_seen_sieve *sieve)
{
    return &sieve->counts;
}

static cw_seen_sieve_end sieve_no_memory(crawl_error *error)
{
    cw_error(error, CRAWL_ENOMEM);
    return CW_SIEVE_FAILED;
}

/* Splits the block into records, at most a batch. Returns the end of the batch. */
static size_t sieve_split(cw_seen_sieve *s)
{
    const char *start = s->block.data + s->at;
    const char *stop = s->block.data + s->block.size;
    const char *from = s->block.data + s->searched;
    const char *end = NULL;
    s->count = 0;
    while (s->count < BATCH) {
        end = memchr(from, s->options.end, (size_t)(stop - from));
        if (!end)
            break;
        s->records[s->count++] = crawl_slice_of(start, (size_t)(end - start));
        start = from = end + 1;
    }
    s->searched = (size_t)((end ? from : stop) - s->block.data);
    return (size_t)(start - s->block.data);
}

static const crawl_slice *keys_of(const cw_seen_sieve *s)
{
    return s->options.urls ? s->keys : s->records;
}

/* Replaces each ";" in the query of a record by "&", which means the same to w3lib 2.1. */
static crawl_err part_query(cw_seen_sieve *s, crawl_slice *record)
{
    crawl_buf_clear(&s->parted);
    crawl_err err = crawl_buf_append(&s->parted, record->data, record->size);
    if (err)
        return err;
    *record = crawl_buf_slice(&s->parted);
    size_t end = cw_find_char(*record, '#');
    for (size_t i = cw_find_char(*record, '?'); i < end; i++)
        if (s->parted.data[i] == ';')
            s->parted.data[i] = '&';
    return CRAWL_OK;
}

/* Appends the fingerprint of the URL just parsed to the keys. */
static crawl_err append_fingerprint(cw_seen_sieve *s, crawl_slice record)
{
    const crawl_fingerprint_options options = {.size = sizeof options, .kind = s->options.fingerprint};
    bool scrapy = options.kind != CRAWL_FINGERPRINT_DEFAULT;
    const crawl_canonical_options rules = {.size = sizeof rules, .profile = CRAWL_PROFILE_W3LIB};
    crawl_fingerprint fingerprint;
    crawl_buf *canonical = &s->canonical_text;
    crawl_buf_clear(canonical);
    crawl_err err = s->options.semicolons ? part_query(s, &record) : CRAWL_OK;
    if (!err)
        err = scrapy ? crawl_text_canonical(record, &rules, canonical) : crawl_url_canonical(s->url, canonical);
    if (!err)
        err = crawl_fingerprint_by(s->fingerprinter, &options, (crawl_slice){0}, crawl_buf_slice(canonical),
                                   (crawl_slice){0}, NULL, 0, &fingerprint);
    return err ? err : crawl_buf_append(&s->text, fingerprint.bytes, sizeof fingerprint.bytes);
}

/* Appends the key of a record. CRAWL_EINVAL, CRAWL_EPARSE: it has none. */
static crawl_err append_key(cw_seen_sieve *s, crawl_slice record)
{
    crawl_err err = crawl_url_parse(s->url, record, NULL, NULL);
    if (!err && !crawl_url_is_http(s->url))
        err = CRAWL_EINVAL;
    if (err)
        return err;
    return s->fingerprinter ? append_fingerprint(s, record) : crawl_url_canonical(s->url, &s->text);
}

/* Makes the keys of the batch, and drops the records without one. */
static crawl_err make_keys(cw_seen_sieve *s)
{
    size_t kept = 0, size = 0;
    crawl_buf_clear(&s->text);
    if (s->before == 0 && s->count)
        s->records[0] = cw_tool_without_mark(s->records[0]);
    for (size_t i = 0; i < s->count; i++) {
        crawl_err err = append_key(s, s->records[i]);
        if (err == CRAWL_ENOMEM)
            return err;
        if (err) {
            s->text.size = size;
            s->counts.refused++;
            s->options.refuse(s->options.user, s->before + i + 1, "not an http or https URL");
            continue;
        }
        s->keys[kept] = crawl_slice_of(NULL, s->text.size - size);
        s->records[kept++] = s->records[i];
        size = s->text.size;
    }
    s->count = kept;
    const char *key = s->text.data; /* it does not move any more */
    for (size_t i = 0; i < kept; key += s->keys[i++].size)
        s->keys[i].data = key;
    return CRAWL_OK;
}

/* Drops the records that were not judged because the filter took no more. */
static void leave_unjudged(cw_seen_sieve *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        crawl_slice key = keys_of(s)[i];
        if (!s->fresh[i] && crawl_bloom_test(s->options.filter, key.data, key.size) != CRAWL_EXISTS)
            continue;
        s->keys[kept] = s->keys[i];
        s->records[kept] = s->records[i];
        s->where[kept] = s->where[i];
        s->fresh[kept++] = s->fresh[i];
    }
    s->count = kept;
}

static crawl_err sieve_judge(cw_seen_sieve *s)
{
    crawl_err err = s->options.urls ? make_keys(s) : CRAWL_OK;
    if (err) {
        s->count = 0;
        return err;
    }
    err = crawl_bloom_add_slices(s->options.filter, keys_of(s), s->count, s->fresh, s->where);
    if (err)
        leave_unjudged(s);
    uint64_t fresh = 0;
    for (size_t i = 0; i < s->count; i++)
        fresh += s->fresh[i];
    s->counts.fresh += fresh;
    s->counts.seen += s->count - fresh;
    return err;
}

/* Packs the records that pass to the start of the batch; returns their size. Moves every record, of which some are then
 * overwritten: which ones cannot be predicted, and a branch would cost more than the moves. */
static size_t sieve_pack(cw_seen_sieve *s)
{
    char *begin = s->block.data + s->at, *to = begin;
    for (size_t i = 0; i < s->count; i++) {
        size_t size = s->records[i].size + 1;
        memmove(to, s->records[i].data, size);
        to += size * (size_t)(s->fresh[i] ^ s->options.invert);
    }
    return (size_t)(to - begin);
}

/* Waits for one of two descriptors; either may be -1. */
static void sieve_wait_for(struct pollfd *either)
{
    while (poll(either, 2, -1) < 0 && errno == EINTR)
        continue;
}

/* Writes data. Returns the number of bytes written; if not all, errno says why. */
static size_t sieve_write_all(int out, const char *data, size_t size)
{
    size_t written = 0;
    while (written < size) {
        ssize_t some = write(out, data + written, size - written);
        if (some >= 0)
            written += (size_t)some;
        else if (errno == EAGAIN)
            sieve_wait_for((struct pollfd[]){{.fd = out, .events = POLLOUT}, {.fd = -1}});
        else if (errno != EINTR)
            break;
    }
    return written;
}

/* Removes new records that were not written from the filter. They are packed by now. */
static void sieve_take_back(cw_seen_sieve *s, size_t written)
{
    const char *begin = s->block.data + s->at;
    size_t end = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!s->fresh[i])
            continue;
        crawl_slice key = s->options.urls ? s->keys[i] : crawl_slice_of(begin + end, s->records[i].size);
        end += s->records[i].size + 1;
        if (end <= written)
            continue;
        bool forgot = crawl_bloom_forget(s->options.filter, key.data, key.size, s->where[i]) == CRAWL_OK;
        s->counts.fresh -= forgot;
        s->counts.stranded += !forgot;
    }
}

static cw_seen_sieve_end write_batch(cw_seen_sieve *s, crawl_error *error)
{
    if (s->options.out < 0)
        return CW_SIEVE_DONE;
    size_t size = sieve_pack(s);
    size_t written = sieve_write_all(s->options.out, s->block.data + s->at, size);
    if (written == size)
        return CW_SIEVE_DONE;
    int why = errno;
    if (!s->options.invert)
        sieve_take_back(s, written);
    crawl_error_set(error, CRAWL_EIO, "standard output: %s", strerror(why));
    return why == EPIPE ? CW_SIEVE_CLOSED : CW_SIEVE_FAILED;
}

/* Returns true if the reader has gone. It is better to notice that before a batch is judged than after. */
static bool reader_is_gone(int out)
{
    struct pollfd pipe = {.fd = out};
    return poll(&pipe, 1, 0) > 0 && pipe.revents & POLLERR;
}

static cw_seen_sieve_end sift_batch(cw_seen_sieve *s, crawl_error *error)
{
    if (reader_is_gone(s->options.out))
        return CW_SIEVE_CLOSED;
    size_t end = sieve_split(s);
    size_t found = s->count;
    crawl_err err = sieve_judge(s);
    cw_seen_sieve_end how = write_batch(s, error);
    s->before += found;
    s->at = end;
    if (how != CW_SIEVE_DONE || !err)
        return how;
    const crawl_bloom_options *filter = crawl_bloom_options_of(s->options.filter);
    if (filter->max_bytes)
        crawl_error_set(error, err, "the filter is full: its memory is limited to %llu bytes",
                        (unsigned long long)filter->max_bytes);
    else
        sieve_no_memory(error);
    return CW_SIEVE_FAILED;
}

/* Sifts all records whose end has been read. */
static cw_seen_sieve_end sieve_sift(cw_seen_sieve *s, crawl_error *error)
{
    cw_seen_sieve_end how = CW_SIEVE_DONE;
    crawl_bloom_advance(s->options.filter, (uint64_t)cw_wall_ms());
    do
        how = sift_batch(s, error);
    while (how == CW_SIEVE_DONE && s->searched < s->block.size);
    return how;
}

/* Searches for the end of a record that is too long, and discards the record. Returns true once it is found. */
static bool skip(cw_seen_sieve *s)
{
    const char *from = s->block.data + s->at;
    const char *end = memchr(from, s->options.end, s->block.size - s->at);
    s->skipping = !end;
    s->at = s->searched = end ? (size_t)(end + 1 - s->block.data) : s->block.size;
    return end != NULL;
}

static void refuse_long(cw_seen_sieve *s)
{
    s->skipping = true;
    s->before++;
    s->counts.refused++;
    s->options.refuse(s->options.user, s->before, "too long: more than 64 MiB");
    s->at = s->searched = s->block.size;
}

/* Moves an unfinished record to the front, and makes room for a block after it. */
static cw_seen_sieve_end sieve_make_room(cw_seen_sieve *s, crawl_error *error)
{
    if (s->block.size - s->at > CW_SEEN_SIEVE_RECORD_MAX)
        refuse_long(s);
    size_t left = s->block.size - s->at;
    if (s->at)
        memmove(s->block.data, s->block.data + s->at, left);
    s->block.size = left;
    s->searched -= s->at;
    s->at = 0;
    return crawl_buf_reserve(&s->block, BLOCK) ? sieve_no_memory(error) : CW_SIEVE_DONE;
}

/* Waits for input or for the signal to stop. *got 0: end of the input. If that comes together with the signal, as when
 * a whole pipeline is interrupted, the input may be cut short, so that it is not the end. */
static cw_seen_sieve_end read_block(cw_seen_sieve *s, int in, size_t *got, crawl_error *error)
{
    ssize_t size;
    do {
        struct pollfd either[] = {{.fd = in, .events = POLLIN}, {.fd = s->options.stop, .events = POLLIN}};
        sieve_wait_for(either);
        if (either[1].revents)
            return CW_SIEVE_STOPPED;
        size = read(in, s->block.data + s->block.size, BLOCK);
    } while (size < 0 && (errno == EINTR || errno == EAGAIN));
    if (size < 0) {
        crawl_error_set(error, CRAWL_EIO, "%s", strerror(errno));
        return CW_SIEVE_INPUT_FAILED;
    }
    if (size == 0 && cw_program_stop_told(s->options.stop))
        return CW_SIEVE_STOPPED;
    s->block.size += (size_t)size;
    *got = (size_t)size;
    return CW_SIEVE_DONE;
}

/* Sifts the last record, which may lack an end. */
static cw_seen_sieve_end sift_last(cw_seen_sieve *s, crawl_error *error)
{
    if (s->at == s->block.size)
        return CW_SIEVE_DONE;
    return crawl_buf_append_char(&s->block, s->options.end) ? sieve_no_memory(error) : sieve_sift(s, error);
}

cw_seen_sieve_end cw_seen_sieve_run(cw_seen_sieve *s, int in, crawl_error *error)
{
    size_t got = 0;
    cw_seen_sieve_end how;
    s->before = 0;
    s->skipping = false;
    s->block.size = s->at = s->searched = 0;
    do {
        how = sieve_make_room(s, error);
        if (how == CW_SIEVE_DONE)
            how = read_block(s, in, &got, error);
        if (how == CW_SIEVE_DONE && got && (!s->skipping || skip(s)))
            how = sieve_sift(s, error);
    } while (how == CW_SIEVE_DONE && got);
    how = how == CW_SIEVE_DONE ? sift_last(s, error) : how;
    s->counts.records = s->counts.fresh + s->counts.seen + s->counts.refused;
    return how;
}

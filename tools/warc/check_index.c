/* See check_parts.h: compares the lines of a CDXJ index with their records. */
#include "base/bytes.h"
#include "base/json/pick.h"
#include "base/utf8.h"
#include "crawler/output/warc/warc_index.h"
#include "tools/common/refused_memory.h"
#include "tools/warc/archived.h"
#include "tools/warc/check_parts.h"

#include <inttypes.h>
#include <stdlib.h>

enum { URL, DIGEST, FILENAME, OFFSET, LENGTH, STATUS, FIELDS, SECONDS = 14 };

static const crawl_slice names[FIELDS] = {
    [URL] = CW_JSON_NAME("url"),       [DIGEST] = CW_JSON_NAME("digest"), [FILENAME] = CW_JSON_NAME("filename"),
    [OFFSET] = CW_JSON_NAME("offset"), [LENGTH] = CW_JSON_NAME("length"), [STATUS] = CW_JSON_NAME("status"),
};

/* The present line. */
typedef struct index_checking {
    cw_check *check;
    crawl_slice lines; /* all */
    cw_check_archive *warcs;
    size_t count;
    bool resolves;
    unsigned long number;
    crawl_slice key, when;
    crawl_slice texts[FIELDS];
    uint64_t offset, length, status; /* UINT64_MAX: not a number */
    crawl_buf room;
} index_checking;

static void index_fault(const index_checking *c, const char *what)
{
    cw_check_fault(c->check, "line", c->number, "%s", what);
}

/* Returns a number, which may also be written as text. */
static uint64_t index_number(const cw_json_value *value)
{
    bool is_number = (value->kind == CW_JSON_NUMBER || value->kind == CW_JSON_STRING) && value->bytes.size &&
                     value->bytes.size < 19 && cw_count_digits(value->bytes) == value->bytes.size;
    return is_number ? strtoull(value->bytes.data, NULL, 10) : UINT64_MAX;
}

static const char *cdxj_read(index_checking *c, crawl_slice text)
{
    cw_json_value values[FIELDS];
    c->key = cw_cut(&text, ' ');
    c->when = cw_cut(&text, ' ');
    if (cw_utf8_valid_prefix(text) != text.size || !cw_json_pick(text, names, FIELDS, values))
        return "not a line of an index: expected KEY, TIME and a JSON object";
    size_t digits = cw_count_digits(c->when);
    if (digits != c->when.size || (digits != SECONDS && digits != SECONDS + 3))
        return "the time does not have 14 or 17 digits";
    for (size_t i = 0; i < FIELDS; i++)
        c->texts[i] = cw_json_decoded(&values[i], &c->room);
    c->offset = index_number(&values[OFFSET]);
    c->length = index_number(&values[LENGTH]);
    c->status = index_number(&values[STATUS]);
    if (!c->texts[URL].size || !c->texts[FILENAME].size || !c->texts[DIGEST].size ||
        values[STATUS].kind == CW_JSON_MISSING)
        return "url, digest, status or filename is missing";
    return c->offset == UINT64_MAX || c->length == UINT64_MAX ? "offset or length is not a number" : NULL;
}

/* Compares key and time with the record. Only the host of the key must match, since readers search by it: the text
 * after it may differ between writers. Returns what differs. NULL: nothing. made: "KEY TIME" of the record. */
static const char *index_key_differs(const index_checking *c, crawl_slice made)
{
    crawl_slice key = c->key, own = cw_cut(&made, ' ');
    if (!crawl_slice_equal(cw_cut(&own, ')'), cw_cut(&key, ')')))
        return "key";
    return crawl_slice_equal(made, crawl_slice_of(c->when.data, SECONDS)) ? NULL : "time";
}

/* Returns a digest without its method, which some indexes omit. */
static crawl_slice index_digest(crawl_slice digest)
{
    crawl_slice text = digest;
    cw_cut(&text, ':');
    return text.size ? text : digest;
}

/* Returns the member that differs from the record. NULL: none. */
static const char *index_differs(const index_checking *c, const cw_warc_piece *record)
{
    crawl_slice message = record->block, fields = cw_warc_cut_message(&message);
    crawl_slice digest = cw_warc_field_of(record->header, "WARC-Payload-Digest");
    uint64_t status = cw_starts_with(fields, "HTTP/") ? (uint64_t)cw_warc_status_of(cw_cut_line(&fields)) : 0;
    bool knows_digest = digest.size && !cw_is(c->texts[DIGEST], "-");
    if (c->length != record->length)
        return "length";
    if (!crawl_slice_equal(c->texts[URL], cw_warc_uri_of(record->header, "WARC-Target-URI")))
        return "url";
    if (c->status != UINT64_MAX && status && c->status != status)
        return "status";
    return knows_digest && !crawl_slice_equal(index_digest(c->texts[DIGEST]), index_digest(digest)) ? "digest" : NULL;
}

/* Checks that a revisit leads to the answer that it repeats. */
static void index_check_revisit(const index_checking *c, crawl_slice header)
{
    bool found = true;
    if (c->resolves && cw_is(cw_warc_field_of(header, "WARC-Type"), "revisit"))
        cw_tool_memory_must(cw_archived_answer(c->lines, cw_warc_uri_of(header, "WARC-Refers-To-Target-URI"),
                                               cw_warc_field_of(header, "WARC-Refers-To-Date"), true, &found));
    if (!found)
        index_fault(c, "the answer that its record refers to is not in the WACZ");
}

static cw_check_record *index_find(const cw_check_archive *warc, uint64_t offset)
{
    size_t low = 0, high = warc->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (warc->records[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < warc->count && warc->records[low].offset == offset ? &warc->records[low] : NULL;
}

static void index_check_record(const index_checking *c, const cw_check_archive *warc)
{
    cw_warc_reader reader;
    cw_warc_piece record;
    cw_check_record *indexed = index_find(warc, c->offset);
    if (!indexed) {
        cw_check_fault(c->check, "line", c->number, "no record begins at byte %" PRIu64 " of %s", c->offset,
                       warc->name);
        return;
    }
    if (indexed->is_indexed)
        index_fault(c, "a second line for one record");
    indexed->is_indexed = true;
    cw_tool_memory_must(cw_warc_reader_open(&reader, warc->bytes, CW_WARC_HEAD_MAX));
    crawl_err err = cw_tool_memory_must(cw_warc_read(&reader, c->offset, &record));
    crawl_buf key = {0};
    const char *other = err ? NULL : index_differs(c, &record);
    if (!err && !other) {
        crawl_slice date = cw_warc_field_of(record.header, "WARC-Date");
        err = cw_tool_memory_must(cw_warc_index_key(c->texts[URL], date, &key));
        other = err ? NULL : index_key_differs(c, crawl_buf_slice(&key));
    }
    if (other)
        cw_check_fault(c->check, "line", c->number, "%s does not match the record", other);
    if (!err)
        index_check_revisit(c, record.header);
    crawl_buf_free(&key);
    cw_warc_reader_close(&reader);
}

static void index_check_line(const index_checking *c)
{
    const cw_check_archive *warc = NULL;
    for (size_t i = 0; i < c->count && !warc; i++)
        warc = cw_is(c->texts[FILENAME], c->warcs[i].name) ? &c->warcs[i] : NULL;
    if (warc)
        index_check_record(c, warc);
    else
        index_fault(c, "it names a file that does not exist");
}

void cw_check_index(cw_check *check, crawl_slice lines, cw_check_archive *warcs, size_t count, bool resolves)
{
    index_checking c = {.check = check, .lines = lines, .warcs = warcs, .count = count, .resolves = resolves};
    crawl_slice before = {0};
    if (lines.size && !cw_ends_with(lines, "\n"))
        cw_check_fault(check, NULL, 0, "the last line has no newline");
    while (lines.size) {
        crawl_slice text = cw_cut_line(&lines);
        c.number++;
        size_t shared = text.size < before.size ? text.size : before.size;
        int order = shared ? memcmp(before.data, text.data, shared) : 0;
        if (order > 0 || (order == 0 && before.size > text.size))
            index_fault(&c, "it comes after a greater line: readers do not find it");
        before = text;
        crawl_buf_clear(&c.room);
        cw_tool_memory_must(crawl_buf_reserve(&c.room, text.size + 1));
        const char *wrong = cdxj_read(&c, text);
        if (wrong)
            index_fault(&c, wrong);
        else
            index_check_line(&c);
    }
    crawl_buf_free(&c.room);
}

void cw_check_indexed(cw_check *check, const cw_check_archive *warc)
{
    for (size_t i = 0; i < warc->count; i++)
        if (warc->records[i].is_answer && !warc->records[i].is_indexed)
            cw_check_fault(check, "byte", warc->records[i].offset, "an answer that the index does not have");
}

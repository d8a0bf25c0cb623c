/* See check_parts.h: checks the records of a WARC (ISO 28500:2017), and prints faults. */
#include "base/array.h"
#include "base/bytes.h"
#include "base/text/date_scan.h"
#include "crawler/output/warc/warc_reader.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/warc/archived.h"
#include "tools/warc/check_parts.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- shared by all checks ---- */

void cw_check_fault(cw_check *check, const char *unit, uint64_t place, const char *format, ...)
{
    char what[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    check->faults++;
    cw_tool_escape_print(crawl_slice_from(check->path), stdout);
    if (check->inner) {
        fputs(": ", stdout);
        cw_tool_escape_print(crawl_slice_from(check->inner), stdout);
    }
    if (unit)
        printf(": %s %" PRIu64, unit, place);
    fputs(": ", stdout);
    cw_tool_escape_print(crawl_slice_from(what), stdout);
    putchar('\n');
}

bool cw_check_is_new_id(cw_map *ids, crawl_slice id)
{
    typedef struct check_id {
        bool is_there;
        char text[];
    } check_id;
    if (cw_map_get(ids, id))
        return false;
    cw_tool_memory_granted(cw_map_make(ids, id, sizeof(check_id), offsetof(check_id, text)));
    return true;
}

bool cw_check_is_date(crawl_slice date)
{
    cw_date_parts parts;
    return cw_date_scan(date, "%Y-%m-%dT%H:%M:%S%f%z", &parts);
}

/* ---- records ---- */

/* The present record. */
typedef struct warc_checking {
    cw_check *check;
    cw_check_archive *warc;
    cw_warc_piece record;
    crawl_slice type;
    crawl_buf room;
    crawl_buf answer; /* identifier of the last answer */
    size_t answered;  /* number of its record */
} warc_checking;

static void warc_fault(const warc_checking *c, const char *what, const char *of)
{
    cw_check_fault(c->check, "byte", c->record.offset, "%s%s", what, of);
}

/* ---- digests ---- */

/* Returns true if this is the digest of the bytes, in base32 or hexadecimal, or a digest of unknown method. */
static bool warc_digest_fits(crawl_slice digest, crawl_slice bytes)
{
    unsigned char made[EVP_MAX_MD_SIZE];
    char text[2 * EVP_MAX_MD_SIZE + 1], name[16] = "";
    unsigned size;
    crawl_slice method = cw_cut(&digest, ':');
    memcpy(name, method.data, method.size < sizeof name ? method.size : 0);
    const EVP_MD *md = EVP_get_digestbyname(name);
    if (!md || EVP_Digest(bytes.data ? bytes.data : "", bytes.size, made, &size, md, NULL) != 1)
        return true;
    while (cw_ends_with(digest, "="))
        digest.size--;
    cw_base32_encode(made, size, text);
    if (cw_is_nocase(digest, text))
        return true;
    cw_hex_encode(made, size, text);
    return cw_is_nocase(digest, text);
}

static void warc_check_digests(const warc_checking *c, const cw_archived *message)
{
    crawl_slice of_block = cw_warc_field_of(c->record.header, "WARC-Block-Digest");
    crawl_slice of_payload = cw_warc_field_of(c->record.header, "WARC-Payload-Digest");
    if (of_block.size && !warc_digest_fits(of_block, c->record.block))
        warc_fault(c, "WARC-Block-Digest does not match the block", "");
    if (!of_payload.size || !(cw_is(c->type, "response") || cw_is(c->type, "resource") || cw_is(c->type, "conversion")))
        return; /* a revisit record has the digest of another record's payload */
    /* some writers do not decode chunks */
    if (!warc_digest_fits(of_payload, message->body) && !warc_digest_fits(of_payload, message->raw))
        warc_fault(c, "WARC-Payload-Digest does not match the payload", "");
}

/* ---- headers ---- */

static void warc_check_id(const warc_checking *c)
{
    crawl_slice id = cw_warc_field_of(c->record.header, "WARC-Record-ID");
    if (id.size && !(cw_starts_with(id, "<") && cw_ends_with(id, ">") && cw_find_char(id, ':') < id.size))
        warc_fault(c, "WARC-Record-ID is not a URI in angle brackets", "");
    if (id.size && !cw_check_is_new_id(c->check->ids, id))
        warc_fault(c, "a second record with this WARC-Record-ID", "");
}

static void warc_check_fields(const warc_checking *c)
{
    static const char *const with_uri[] = {"response", "resource", "request", "revisit", "conversion"};
    static const char *const needed[] = {"WARC-Record-ID", "WARC-Type", "WARC-Date", "WARC-Target-URI", "WARC-Profile"};
    crawl_slice header = c->record.header, date = cw_warc_field_of(header, "WARC-Date");
    bool has_uri = cw_is_among(c->type, with_uri, sizeof with_uri / sizeof *with_uri);
    size_t count = cw_is(c->type, "revisit") ? 5 : has_uri ? 4 : 3;
    for (size_t i = 0; i < count; i++)
        if (!cw_warc_field_of(header, needed[i]).size)
            warc_fault(c, "a record without ", needed[i]);
    if (date.size && !(cw_check_is_date(date) && cw_ends_with(date, "Z")))
        warc_fault(c, "WARC-Date is not a W3C-DTF date in UTC", "");
    if (count == 5 && !cw_warc_field_of(header, "WARC-Refers-To").size &&
        !cw_warc_uri_of(header, "WARC-Refers-To-Target-URI").size &&
        !cw_warc_field_of(header, "WARC-Payload-Digest").size)
        warc_fault(c, "a revisit record that refers to nothing", "");
}

static void warc_note_answer(warc_checking *c)
{
    crawl_slice id = cw_warc_field_of(c->record.header, "WARC-Record-ID");
    crawl_buf_clear(&c->answer);
    cw_tool_memory_must(crawl_buf_append(&c->answer, id.data, id.size));
    c->answered = c->warc->count;
}

static void warc_check_record(warc_checking *c)
{
    cw_archived message = {.raw = c->record.block, .body = c->record.block};
    crawl_slice header = c->record.header;
    c->type = cw_warc_field_of(header, "WARC-Type");
    bool is_answer = (cw_is(c->type, "response") || cw_is(c->type, "revisit")) &&
                     cw_starts_nocase(cw_warc_field_of(header, "Content-Type"), "application/http");
    if (is_answer)
        cw_tool_memory_must(cw_archived_read(c->record.block, &c->room, &message));
    if (cw_is(c->type, "response") && is_answer && !message.status)
        warc_fault(c, "the block is not an HTTP response", "");
    warc_check_fields(c);
    warc_check_digests(c, &message);
    warc_check_id(c);
    if (cw_is(c->type, "request") && c->answer.size && cw_starts_with(c->record.block, "HEAD ") &&
        crawl_slice_equal(cw_warc_field_of(header, "WARC-Concurrent-To"), crawl_buf_slice(&c->answer)))
        c->warc->records[c->answered].is_answer = false;
    if (is_answer)
        warc_note_answer(c);
    if (CW_ARRAY_RESERVE(c->warc->records, c->warc->capacity, c->warc->count + 1, 64))
        cw_tool_memory_refused();
    c->warc->records[c->warc->count++] = (cw_check_record){
        .offset = c->record.offset,
        .is_answer = is_answer && cw_starts_nocase(cw_warc_uri_of(header, "WARC-Target-URI"), "http"),
    };
}

void cw_check_warc(cw_check *check, cw_check_archive *warc)
{
    cw_warc_reader reader;
    warc_checking c = {.check = check, .warc = warc};
    crawl_slice name = crawl_slice_from(warc->name);
    if (warc->bytes.size && !cw_starts_with(warc->bytes, "WARC/") && !cw_starts_with(warc->bytes, "\x1f\x8b") &&
        !cw_ends_with(name, ".gz")) {
        cw_check_fault(check, NULL, 0, "not a WARC file");
        return;
    }
    cw_tool_memory_must(cw_warc_reader_open(&reader, warc->bytes, SIZE_MAX));
    if (warc->bytes.size && cw_warc_reader_is_gzip(&reader) != cw_ends_with(name, ".gz"))
        cw_check_fault(check, NULL, 0, "the name must end in .gz if the file is gzip, and only then");
    for (uint64_t at = 0; at < warc->bytes.size;) {
        if (cw_tool_memory_must(cw_warc_read(&reader, at, &c.record))) {
            cw_check_fault(check, "byte", at, "%s", c.record.fault);
            at = cw_warc_next_record(&reader, at);
        } else {
            warc_check_record(&c);
            at += c.record.length;
        }
    }
    if (!warc->count)
        cw_check_fault(check, NULL, 0, "it contains no whole record");
    cw_warc_reader_close(&reader);
    crawl_buf_free(&c.room);
    crawl_buf_free(&c.answer);
}

void cw_check_archive_free(cw_check_archive *warc)
{
    free(warc->records);
}

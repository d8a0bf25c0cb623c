/* See zip.h. Reads the directory at the end of a ZIP file as browsers' readers of WACZ do, and compares it with each
 * local header: some readers trust the one, some the other. */
#include "base/array.h"
#include "base/bytes.h"
#include "tools/warc/zip.h"

#include <stdlib.h>
#include <zlib.h>

enum {
    LOCAL_SIZE = 30,
    CENTRAL_SIZE = 46,
    END_SIZE = 22,
    END64_SIZE = 56,
    LOCATOR_SIZE = 20,
    ENCRYPTED = 1,
    STREAMED = 8
};

#define LIMIT 0xffffffffu

typedef struct zip_reading {
    crawl_slice bytes;
    cw_zip *zip;
    cw_zip_fault fault;
    void *user;
    uint64_t begin, end; /* of the directory */
    uint64_t count;      /* of its entries, as stated */
} zip_reading;

/* The numbers of a header, in their order. */
typedef struct zip_header {
    uint64_t flags, method, crc, packed, size, name, extra, comment, offset;
} zip_header;

static crawl_err zip_fault(const zip_reading *r, uint64_t offset, const char *what)
{
    r->fault(r->user, offset, what);
    return CRAWL_ECORRUPT;
}

/* Returns true if this word is at place, and size bytes fit before `end`. */
static bool zip_has(const zip_reading *r, uint64_t place, uint64_t end, size_t size, const char word[5])
{
    return place <= end && end - place >= size && memcmp(r->bytes.data + place, word, 4) == 0;
}

/* ---- the end ---- */

/* Reads the zip64 numbers that the last record, at `end`, points to. */
static crawl_err zip_read_end64(zip_reading *r, uint64_t end)
{
    uint64_t place = end;
    if (end >= LOCATOR_SIZE && zip_has(r, end - LOCATOR_SIZE, end, LOCATOR_SIZE, "PK\6\7")) {
        const char *at = r->bytes.data + end - LOCATOR_SIZE + 8;
        place = cw_le_get(&at, 8);
    }
    if (!zip_has(r, place, end, END64_SIZE, "PK\6\6"))
        return zip_fault(r, end, "the record of zip64 that the last record asks for is missing");
    const char *at = r->bytes.data + place + 4 + 8 + 2 + 2 + 8 + 8;
    r->count = cw_le_get(&at, 8);
    r->end = cw_le_get(&at, 8);
    r->begin = cw_le_get(&at, 8);
    return CRAWL_OK;
}

static crawl_err zip_read_end(zip_reading *r)
{
    enum { BACK = 65536 };
    uint64_t all = r->bytes.size, lowest = all > BACK ? all - BACK : 0, place = all < END_SIZE ? 0 : all - END_SIZE;
    while (place > lowest && !zip_has(r, place, all, END_SIZE, "PK\5\6"))
        place--;
    if (!zip_has(r, place, all, END_SIZE, "PK\5\6"))
        return zip_fault(r, all, "not a ZIP file, or a truncated one: it has no directory at its end");
    const char *at = r->bytes.data + place + 4 + 4 + 2;
    r->count = cw_le_get(&at, 2);
    r->end = cw_le_get(&at, 4); /* the size, for now */
    r->begin = cw_le_get(&at, 4);
    uint64_t comment = cw_le_get(&at, 2);
    if (place + END_SIZE + comment != all)
        zip_fault(r, place, "bytes after the end of the ZIP file");
    bool is_large = r->count == 0xffff || r->begin == LIMIT || r->end == LIMIT;
    crawl_err err = is_large ? zip_read_end64(r, place) : CRAWL_OK;
    if (!err && (r->begin > place || r->end > place - r->begin))
        err = zip_fault(r, place, "the directory is not within the file");
    r->end += r->begin;
    return err;
}

/* ---- headers ---- */

/* Reads the common part of both kinds of headers, from the version needed on. */
static const char *zip_read_common(const char *at, zip_header *out)
{
    at += 2;
    out->flags = cw_le_get(&at, 2);
    out->method = cw_le_get(&at, 2);
    at += 4;
    out->crc = cw_le_get(&at, 4);
    out->packed = cw_le_get(&at, 4);
    out->size = cw_le_get(&at, 4);
    out->name = cw_le_get(&at, 2);
    out->extra = cw_le_get(&at, 2);
    return at;
}

/* Takes the numbers that a header leaves to its zip64 field. Returns false if one is missing. */
static bool zip_read_extra(crawl_slice extra, zip_header *header)
{
    uint64_t *numbers[] = {&header->size, &header->packed, &header->offset};
    while (extra.size >= 4) {
        const char *at = extra.data;
        uint64_t kind = cw_le_get(&at, 2), size = cw_le_get(&at, 2);
        if (size > extra.size - 4)
            return false;
        extra = cw_drop(extra, 4 + (size_t)size);
        for (size_t i = 0; i < 3 && kind == 1; i++)
            if (*numbers[i] == LIMIT && size >= 8) {
                *numbers[i] = cw_le_get(&at, 8);
                size -= 8;
            }
    }
    return !extra.size && header->size != LIMIT && header->packed != LIMIT && header->offset != LIMIT;
}

/* Returns how the two headers of an entry differ. NULL: not at all. */
static const char *zip_differs(const zip_header *local, const zip_header *central)
{
    bool is_streamed = local->flags & STREAMED; /* then the local one has no sizes */
    if (local->method != central->method || local->flags != central->flags ||
        (!is_streamed &&
         (local->crc != central->crc || local->size != central->size || local->packed != central->packed)))
        return "the local header and the directory differ in size, checksum, method or flags";
    return local->extra && !central->extra
               ? "an extra field in the local header alone: readers look for the data at its place"
               : NULL;
}

/* Compares the local header with the directory's, and finds the data after it. */
static void zip_read_local(const zip_reading *r, const zip_header *central, crawl_slice name, cw_zip_entry *entry)
{
    zip_header local = {.offset = 0};
    if (!zip_has(r, entry->header, r->begin, LOCAL_SIZE, "PK\3\4")) {
        zip_fault(r, entry->header, "no local header where the directory says that an entry begins");
        return;
    }
    const char *at = zip_read_common(r->bytes.data + entry->header + 4, &local);
    uint64_t rest = r->begin - entry->header - LOCAL_SIZE;
    if (local.name + local.extra > rest || central->packed > rest - local.name - local.extra) {
        zip_fault(r, entry->header, "an entry reaches into the directory");
        return;
    }
    bool has_numbers = zip_read_extra(crawl_slice_of(at + local.name, local.extra), &local);
    const char *wrong = !crawl_slice_equal(crawl_slice_of(at, local.name), name)
                            ? "the name in the local header differs from the directory's"
                        : !has_numbers && !(local.flags & STREAMED)
                            ? "the extra field of the local header is damaged, or lacks the sizes of zip64"
                            : zip_differs(&local, central);
    if (wrong)
        zip_fault(r, entry->header, wrong);
    entry->data = crawl_slice_of(at + local.name + local.extra, central->packed);
}

static const char *zip_name_fault(const zip_reading *r, crawl_slice name)
{
    for (size_t i = 0; i + 1 < r->zip->count; i++)
        if (cw_is(name, r->zip->entries[i].name))
            return "a second entry of this name";
    bool is_outside = cw_starts_with(name, "/") || cw_find_text(name, "..") < name.size ||
                      cw_find_char(name, '\\') < name.size || cw_find_char(name, '\0') < name.size;
    return !name.size || is_outside ? "the name of an entry is empty, or leads out of the folder" : NULL;
}

/* Reads the directory entry at *place. */
static crawl_err zip_read_entry(zip_reading *r, uint64_t *place)
{
    zip_header header = {.offset = 0};
    if (!zip_has(r, *place, r->end, CENTRAL_SIZE, "PK\1\2"))
        return zip_fault(r, *place, "the directory is damaged, or has fewer entries than it says");
    const char *at = zip_read_common(r->bytes.data + *place + 6, &header);
    header.comment = cw_le_get(&at, 2);
    at += 2 + 2 + 4;
    header.offset = cw_le_get(&at, 4);
    if (header.name + header.extra + header.comment > r->end - *place - CENTRAL_SIZE)
        return zip_fault(r, *place, "an entry of the directory reaches beyond it");
    crawl_slice name = crawl_slice_of(at, header.name);
    bool has_numbers = zip_read_extra(crawl_slice_of(at + header.name, header.extra), &header);
    if (CW_ARRAY_RESERVE(r->zip->entries, r->zip->capacity, r->zip->count + 1, 16))
        return CRAWL_ENOMEM;
    cw_zip_entry *entry = &r->zip->entries[r->zip->count];
    *entry = (cw_zip_entry){.name = strndup(name.data, name.size),
                            .header = header.offset,
                            .size = header.size,
                            .crc = (uint32_t)header.crc,
                            .method = (uint16_t)header.method};
    if (!entry->name)
        return CRAWL_ENOMEM;
    r->zip->count++;
    const char *wrong = !has_numbers ? "the extra field in the directory is damaged, or lacks the numbers of zip64"
                        : header.flags & ENCRYPTED || (header.method != 0 && header.method != 8)
                            ? "an entry is encrypted, or packed in a way that readers do not know"
                            : zip_name_fault(r, name);
    if (wrong)
        zip_fault(r, *place, wrong);
    *place += CENTRAL_SIZE + header.name + header.extra + header.comment;
    zip_read_local(r, &header, name, entry);
    return CRAWL_OK;
}

crawl_err cw_zip_read(crawl_slice bytes, cw_zip *out, cw_zip_fault fault, void *user)
{
    zip_reading r = {.bytes = bytes, .zip = out, .fault = fault, .user = user};
    *out = (cw_zip){.file = -1};
    crawl_err err = zip_read_end(&r);
    uint64_t place = r.begin;
    while (!err && out->count < r.count && out->count < CW_ZIP_ENTRIES_MAX)
        err = zip_read_entry(&r, &place);
    return !err && place != r.end ? zip_fault(&r, place, "the directory has more entries than it says") : err;
}

const cw_zip_entry *cw_zip_find(const cw_zip *zip, const char *name)
{
    for (size_t i = 0; i < zip->count; i++)
        if (strcmp(zip->entries[i].name, name) == 0)
            return &zip->entries[i];
    return NULL;
}

/* ---- content ---- */

static crawl_err zip_inflate(const cw_zip_entry *entry, crawl_buf *room)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)entry->data.data, .avail_in = (uInt)entry->data.size};
    bool is_huge = entry->data.size > UINT32_MAX || entry->size >= UINT32_MAX; /* no deflated entry of ours is */
    if (is_huge || entry->size / 1032 > entry->data.size)                      /* the maximum ratio of deflate */
        return CRAWL_ECORRUPT;
    crawl_buf_clear(room);
    if (crawl_buf_reserve(room, entry->size + 1) || inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return CRAWL_ENOMEM;
    stream.next_out = (Bytef *)room->data;
    stream.avail_out = (uInt)entry->size + 1;
    int code = inflate(&stream, Z_FINISH);
    room->size = stream.total_out;
    inflateEnd(&stream);
    return code == Z_STREAM_END ? CRAWL_OK : CRAWL_ECORRUPT;
}

crawl_err cw_zip_content(const cw_zip_entry *entry, crawl_buf *room, crawl_slice *out)
{
    crawl_err err = entry->method ? zip_inflate(entry, room) : CRAWL_OK;
    *out = entry->method ? crawl_buf_slice(room) : entry->data;
    if (err)
        return err;
    uLong crc = crc32_z(0, (const Bytef *)out->data, out->size);
    return entry->data.data && out->size == entry->size && crc == entry->crc ? CRAWL_OK : CRAWL_ECORRUPT;
}

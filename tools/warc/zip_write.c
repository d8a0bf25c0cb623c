/* See zip.h. An entry of at least 4 GiB, or at such an offset, has the zip64 field in both of its headers: a reader
 * that finds none in the directory assumes that the data begin right after the name, without looking at the local
 * header (APPNOTE 4.5.3). */
#include "base/array.h"
#include "base/bytes.h"
#include "base/files/replace.h"
#include "tools/warc/zip.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <zlib.h>

enum {
    LOCAL_EXTRA = 20,   /* of zip64: both sizes */
    CENTRAL_EXTRA = 28, /* sizes and offset */
    UTF8 = 0x800,
    UNIX = 3 << 8,
    PLAIN = 20, /* version needed to read */
    ZIP64 = 45,
    DATE = 0x21 /* 1980-01-01: the contents have their own dates */
};

#define LIMIT 0xffffffffu

static crawl_err zip_put_header(const cw_zip_entry *entry, bool is_central, crawl_buf *out)
{
    char head[46], extra[CENTRAL_EXTRA];
    bool is_large = entry->size >= LIMIT || entry->header >= LIMIT;
    uint64_t size = is_large ? LIMIT : entry->size;
    size_t extra_size = !is_large ? 0 : is_central ? CENTRAL_EXTRA : LOCAL_EXTRA;
    char *at = cw_le_put(head, is_central ? 0x02014b50 : 0x04034b50, 4);
    if (is_central)
        at = cw_le_put(at, UNIX | ZIP64, 2);
    at = cw_le_put(at, is_large ? ZIP64 : PLAIN, 2);
    at = cw_le_put(at, UTF8, 2);
    at = cw_le_put(at, 0, 2 + 2); /* stored; midnight */
    at = cw_le_put(at, DATE, 2);
    at = cw_le_put(at, entry->crc, 4);
    at = cw_le_put(at, size, 4);
    at = cw_le_put(at, size, 4);
    at = cw_le_put(at, strlen(entry->name), 2);
    at = cw_le_put(at, extra_size, 2);
    if (is_central) {
        at = cw_le_put(at, 0, 2 + 2 + 2); /* comment, disk, internal attributes */
        at = cw_le_put(at, (uint64_t)0100644 << 16, 4);
        at = cw_le_put(at, is_large ? LIMIT : entry->header, 4);
    }
    crawl_err err = crawl_buf_append(out, head, (size_t)(at - head));
    if (!err)
        err = crawl_buf_append_text(out, entry->name);
    at = cw_le_put(extra, 1, 2);
    at = cw_le_put(at, (is_central ? CENTRAL_EXTRA : LOCAL_EXTRA) - 4, 2);
    at = cw_le_put(at, entry->size, 8);
    at = cw_le_put(at, entry->size, 8);
    cw_le_put(at, entry->header, 8);
    return err ? err : crawl_buf_append(out, extra, extra_size);
}

static crawl_err zip_write(cw_zip *zip, crawl_slice bytes)
{
    if (cw_write_all(zip->file, bytes).size)
        return CRAWL_EIO;
    zip->bytes += bytes.size;
    return CRAWL_OK;
}

crawl_err cw_zip_sha256(crawl_slice bytes, char hex[65])
{
    unsigned char digest[32];
    if (EVP_Digest(bytes.data ? bytes.data : "", bytes.size, digest, NULL, EVP_sha256(), NULL) != 1)
        return CRAWL_ENOMEM;
    cw_hex_encode(digest, sizeof digest, hex);
    return CRAWL_OK;
}

crawl_err cw_zip_add(cw_zip *zip, const char *name, crawl_slice content)
{
    crawl_buf header = {0};
    if (zip->count == CW_ZIP_ENTRIES_MAX)
        return CRAWL_FULL;
    if (CW_ARRAY_RESERVE(zip->entries, zip->capacity, zip->count + 1, 16))
        return CRAWL_ENOMEM;
    cw_zip_entry *entry = &zip->entries[zip->count];
    *entry = (cw_zip_entry){.name = strdup(name),
                            .header = zip->bytes,
                            .size = content.size,
                            .crc = (uint32_t)crc32_z(0, (const Bytef *)content.data, content.size)};
    if (!entry->name)
        return CRAWL_ENOMEM;
    zip->count++;
    crawl_err err = cw_zip_sha256(content, entry->sha256);
    if (!err)
        err = zip_put_header(entry, false, &header);
    if (!err)
        err = zip_write(zip, crawl_buf_slice(&header));
    crawl_buf_free(&header);
    return err ? err : zip_write(zip, content);
}

/* Writes the record and the locator of zip64, if the last record's numbers do not suffice. */
static char *zip_put_end64(char *at, const cw_zip *zip, uint64_t begin)
{
    at = cw_le_put(at, 0x06064b50, 4);
    at = cw_le_put(at, 44, 8);
    at = cw_le_put(at, UNIX | ZIP64, 2);
    at = cw_le_put(at, ZIP64, 2);
    at = cw_le_put(at, 0, 8); /* disks */
    at = cw_le_put(at, zip->count, 8);
    at = cw_le_put(at, zip->count, 8);
    at = cw_le_put(at, zip->bytes - begin, 8);
    at = cw_le_put(at, begin, 8);
    at = cw_le_put(at, 0x07064b50, 4);
    at = cw_le_put(at, 0, 4);
    at = cw_le_put(at, zip->bytes, 8);
    return cw_le_put(at, 1, 4);
}

crawl_err cw_zip_end(cw_zip *zip)
{
    char end[56 + 20 + 22];
    char *at = end;
    uint64_t begin = zip->bytes;
    crawl_buf directory = {0};
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < zip->count && !err; i++)
        err = zip_put_header(&zip->entries[i], true, &directory);
    if (!err)
        err = zip_write(zip, crawl_buf_slice(&directory));
    crawl_buf_free(&directory);
    if (err)
        return err;
    if (begin >= LIMIT)
        at = zip_put_end64(at, zip, begin);
    at = cw_le_put(at, 0x06054b50, 4);
    at = cw_le_put(at, 0, 4); /* disks */
    at = cw_le_put(at, zip->count, 2);
    at = cw_le_put(at, zip->count, 2);
    at = cw_le_put(at, begin >= LIMIT ? LIMIT : zip->bytes - begin, 4);
    at = cw_le_put(at, begin >= LIMIT ? LIMIT : begin, 4);
    at = cw_le_put(at, 0, 2);
    return zip_write(zip, crawl_slice_of(end, (size_t)(at - end)));
}

void cw_zip_free(cw_zip *zip)
{
    for (size_t i = 0; i < zip->count; i++)
        free(zip->entries[i].name);
    free(zip->entries);
}

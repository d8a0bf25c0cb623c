/* See warc_reader.h. A gzip member is whole if its checksum matches, and a record if its block is as long as its header
 * says. */
#include "crawler/output/warc/warc_reader.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/header.h"

#include <sys/mman.h>
#include <sys/stat.h>

crawl_err cw_warc_map(int file, const char *path, crawl_slice *out, crawl_error *error)
{
    struct stat found;
    *out = (crawl_slice){0};
    if (fstat(file, &found) || !S_ISREG(found.st_mode))
        return crawl_error_set(error, CRAWL_EINVAL, "%s: not a regular file", path);
    if (!found.st_size)
        return CRAWL_OK;
    void *at = mmap(NULL, (size_t)found.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (at == MAP_FAILED)
        return cw_error_of_file(error, path);
    *out = crawl_slice_of(at, (size_t)found.st_size);
    return CRAWL_OK;
}

void cw_warc_unmap(crawl_slice bytes)
{
    if (bytes.size)
        munmap((void *)(uintptr_t)bytes.data, bytes.size);
}

crawl_err cw_warc_reader_open(cw_warc_reader *reader, crawl_slice bytes, size_t most)
{
    enum { GZIP = 16 };
    *reader = (cw_warc_reader){.bytes = bytes, .most = most};
    return inflateInit2(&reader->gzip, MAX_WBITS + GZIP) == Z_OK ? CRAWL_OK : CRAWL_ENOMEM;
}

void cw_warc_reader_close(cw_warc_reader *reader)
{
    inflateEnd(&reader->gzip);
    crawl_buf_free(&reader->content);
}

bool cw_warc_reader_is_gzip(const cw_warc_reader *reader)
{
    return !cw_starts_with(reader->bytes, "WARC/");
}

/* ---- headers ---- */

crawl_slice cw_warc_cut_header(crawl_slice *rest)
{
    size_t end = cw_find_text(*rest, "\r\n\r\n");
    crawl_slice header = crawl_slice_of(rest->data, end < rest->size ? end + 2 : 0);
    *rest = header.size ? cw_drop(*rest, header.size + 2) : (crawl_slice){0};
    return header;
}

crawl_slice cw_warc_cut_message(crawl_slice *rest)
{
    crawl_slice header = *rest;
    bool is_header = true;
    while (rest->size && is_header) {
        crawl_slice line = cw_cut_line(rest);
        is_header = line.size && !cw_is(line, "\r");
        if (!is_header)
            header.size = (size_t)(line.data - header.data);
    }
    return header;
}

crawl_slice cw_warc_field_of(crawl_slice header, const char *wanted)
{
    crawl_slice name, value;
    while (header.size)
        if (cw_header_split(cw_cut_line(&header), &name, &value) && cw_is_nocase(name, wanted))
            return value;
    return (crawl_slice){0};
}

crawl_slice cw_warc_uri_of(crawl_slice header, const char *wanted)
{
    crawl_slice uri = cw_warc_field_of(header, wanted);
    bool has_brackets = cw_starts_with(uri, "<") && cw_ends_with(uri, ">");
    return has_brackets ? crawl_slice_of(uri.data + 1, uri.size - 2) : uri;
}

static uint64_t warc_reader_number_of(crawl_slice digits)
{
    uint64_t number = 0;
    for (size_t i = 0; i < digits.size && cw_is_digit((unsigned char)digits.data[i]) && number < UINT64_MAX / 100; i++)
        number = number * 10 + (uint64_t)(digits.data[i] - '0');
    return number;
}

int cw_warc_status_of(crawl_slice line)
{
    cw_cut(&line, ' ');
    return (int)warc_reader_number_of(crawl_slice_of(line.data, line.size < 3 ? line.size : 3));
}

/* ---- members ---- */

/* Inflates the next bytes into the content. Once that is full, they are discarded. Returns zlib's code. */
static int warc_reader_inflate(cw_warc_reader *reader)
{
    enum { PIECE = 65536 };
    static const size_t piece = PIECE;
    unsigned char rest[PIECE];
    bool is_kept = reader->content.size + piece <= reader->most;
    if (is_kept && crawl_buf_reserve(&reader->content, piece))
        return Z_MEM_ERROR;
    reader->gzip.next_out = is_kept ? (Bytef *)reader->content.data + reader->content.size : rest;
    reader->gzip.avail_out = PIECE;
    int code = inflate(&reader->gzip, Z_NO_FLUSH);
    reader->content.size += is_kept ? piece - reader->gzip.avail_out : 0;
    return code;
}

/* Reads the member at out->offset into the content. Returns zlib's code; Z_BUF_ERROR: truncated. */
static int warc_reader_member(cw_warc_reader *reader, cw_warc_piece *out)
{
    z_stream *gzip = &reader->gzip;
    crawl_slice rest = cw_drop(reader->bytes, out->offset);
    int code = inflateReset(gzip);
    gzip->avail_in = 0;
    for (uint64_t fed = 0; code == Z_OK || code == Z_BUF_ERROR;) {
        if (!gzip->avail_in) {
            gzip->next_in = (Bytef *)(uintptr_t)(rest.data + fed);
            gzip->avail_in = rest.size - fed < (1u << 30) ? (uInt)(rest.size - fed) : 1u << 30;
            fed += gzip->avail_in;
        }
        bool is_over = !gzip->avail_in;
        code = warc_reader_inflate(reader);
        if (is_over && code == Z_BUF_ERROR)
            break;
        out->length = fed - gzip->avail_in;
    }
    return code;
}

/* ---- records ---- */

static const char cut_words[] = "the file ends within a record";

static const char *member_fault(int code)
{
    return code == Z_STREAM_END ? NULL : code == Z_BUF_ERROR ? cut_words : "not a gzip member, or a damaged one";
}

/* Splits a record of `size` bytes into its header and its block. size 0: it is uncompressed, and its own header gives
 * its size. Returns what is wrong. NULL: nothing. */
static const char *warc_reader_cut(crawl_slice content, uint64_t size, cw_warc_piece *out)
{
    crawl_slice rest = content;
    out->header = cw_warc_cut_header(&rest);
    out->is_cut = !size && !out->header.size && cw_starts_with(content, "WARC/1.");
    if (out->is_cut)
        return cut_words;
    if (!cw_starts_with(out->header, "WARC/1."))
        return "no WARC/1.0 or WARC/1.1 record begins here";
    crawl_slice length = cw_trim(cw_warc_field_of(out->header, "Content-Length"));
    uint64_t block = warc_reader_number_of(length);
    if (!length.size || cw_count_digits(length) != length.size)
        return "a record without Content-Length";
    uint64_t wanted = out->header.size + 2 + block + 4;
    out->is_cut = !size && wanted > content.size;
    out->block = crawl_slice_of(rest.data, rest.size < block ? rest.size : (size_t)block);
    if (!size)
        out->length = out->is_cut ? content.size : wanted;
    if (out->is_cut)
        return cut_words;
    crawl_slice end = cw_drop(rest, out->block.size);
    bool has_end = size > content.size || cw_starts_with(end, "\r\n\r\n"); /* the end of a long one was not kept */
    return (size && size != wanted) || !has_end ? "Content-Length is not the length of the block" : NULL;
}

crawl_err cw_warc_read(cw_warc_reader *reader, uint64_t offset, cw_warc_piece *out)
{
    int code = Z_STREAM_END;
    bool is_gzip = cw_warc_reader_is_gzip(reader);
    crawl_slice content = cw_drop(reader->bytes, offset);
    *out = (cw_warc_piece){.offset = offset};
    crawl_buf_clear(&reader->content);
    if (is_gzip) {
        code = warc_reader_member(reader, out);
        content = crawl_buf_slice(&reader->content);
    }
    if (code == Z_MEM_ERROR)
        return CRAWL_ENOMEM;
    out->fault = member_fault(code);
    if (!out->fault)
        out->fault = warc_reader_cut(content, is_gzip ? reader->gzip.total_out : 0, out);
    out->is_cut |= code == Z_BUF_ERROR;
    return out->fault ? CRAWL_ECORRUPT : CRAWL_OK;
}

uint64_t cw_warc_next_record(cw_warc_reader *reader, uint64_t offset)
{
    bool is_gzip = cw_warc_reader_is_gzip(reader);
    const char *magic = is_gzip ? "\x1f\x8b\x08" : "WARC/1.";
    cw_warc_piece piece;
    size_t most = reader->most;
    reader->most = CW_WARC_HEAD_MAX;
    uint64_t found = reader->bytes.size;
    for (uint64_t at = offset + 1; at < found; at++) {
        at += cw_find_text(cw_drop(reader->bytes, at), magic);
        if (at < found && (!cw_warc_read(reader, at, &piece) || piece.header.size))
            found = at;
    }
    reader->most = most;
    return found;
}

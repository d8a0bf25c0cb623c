#include "tools/common/compressed.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

typedef struct compressed_file {
    FILE *in;
    z_stream gzip;
    ZSTD_DStream *zstd; /* NULL: gzip */
    unsigned char *next;
    size_t size;
    bool is_between; /* no member or frame is under way */
    unsigned char input[64 << 10];
} compressed_file;

/* Decompresses the next piece of input. Returns false if it is damaged. */
static bool compressed_inflate(compressed_file *file, char *out, size_t room, size_t *written)
{
    z_stream *gzip = &file->gzip;
    if (file->is_between && inflateReset(gzip) != Z_OK)
        return false;
    gzip->next_in = file->next;
    gzip->avail_in = (uInt)file->size;
    gzip->next_out = (unsigned char *)out;
    gzip->avail_out = (uInt)room;
    int answer = inflate(gzip, Z_NO_FLUSH);
    file->next = gzip->next_in;
    file->size = gzip->avail_in;
    file->is_between = answer == Z_STREAM_END;
    *written = room - gzip->avail_out;
    return answer == Z_OK || answer == Z_STREAM_END || answer == Z_BUF_ERROR;
}

static bool compressed_expand(compressed_file *file, char *out, size_t room, size_t *written)
{
    ZSTD_inBuffer from = {.src = file->next, .size = file->size};
    ZSTD_outBuffer to = {.dst = out, .size = room};
    size_t answer = ZSTD_decompressStream(file->zstd, &to, &from);
    file->next += from.pos;
    file->size -= from.pos;
    file->is_between = answer == 0;
    *written = to.pos;
    return !ZSTD_isError(answer);
}

/* Reads the next piece of input if none is left. Returns false at the end. */
static bool compressed_fill(compressed_file *file)
{
    if (file->size == 0) {
        file->next = file->input;
        file->size = fread(file->input, 1, sizeof file->input, file->in);
    }
    return file->size > 0;
}

static ssize_t compressed_read(void *cookie, char *out, size_t room)
{
    compressed_file *file = cookie;
    size_t written = 0;
    room = room < UINT32_MAX ? room : UINT32_MAX;
    while (written == 0) {
        bool is_end = !compressed_fill(file);
        if (is_end && (ferror(file->in) || file->is_between))
            return ferror(file->in) ? -1 : 0;
        bool is_sound =
            file->zstd ? compressed_expand(file, out, room, &written) : compressed_inflate(file, out, room, &written);
        if (!is_sound || (is_end && written == 0)) {
            errno = EBADMSG;
            return -1;
        }
    }
    return (ssize_t)written;
}

static int compressed_close(void *cookie)
{
    compressed_file *file = cookie;
    if (file->in != stdin)
        fclose(file->in);
    inflateEnd(&file->gzip);
    ZSTD_freeDStream(file->zstd);
    free(file);
    return 0;
}

static FILE *compressed_open(FILE *in, bool is_zstd)
{
    enum { GZIP_ALONE = 16 + MAX_WBITS };
    compressed_file *file = calloc(1, sizeof *file);
    if (file) {
        file->in = in;
        file->is_between = true;
        file->zstd = is_zstd ? ZSTD_createDStream() : NULL;
    }
    bool is_ready = file && inflateInit2(&file->gzip, GZIP_ALONE) == Z_OK && (file->zstd || !is_zstd);
    cookie_io_functions_t calls = {.read = compressed_read, .close = compressed_close};
    FILE *out = is_ready ? fopencookie(file, "r", calls) : NULL;
    if (out)
        return out;
    if (file)
        compressed_close(file);
    else if (in != stdin)
        fclose(in);
    errno = ENOMEM;
    return NULL;
}

/* Returns true if the file begins with these bytes, and puts them back. */
static bool compressed_begins(FILE *file, crawl_slice magic)
{
    size_t same = 0;
    int byte = getc(file);
    while (byte == (unsigned char)magic.data[same] && ++same < magic.size)
        byte = getc(file);
    bool begins = same == magic.size;
    if (!begins && byte != EOF)
        ungetc(byte, file);
    while (same-- > 0)
        ungetc((unsigned char)magic.data[same], file);
    return begins;
}

FILE *cw_tool_compressed(FILE *file)
{
    if (!file)
        return NULL;
    if (compressed_begins(file, crawl_slice_of("\x1f\x8b", 2)))
        return compressed_open(file, false);
    return compressed_begins(file, crawl_slice_of("\x28\xb5\x2f\xfd", 4)) ? compressed_open(file, true) : file;
}

const char *cw_tool_compressed_error(int error)
{
    return error == EBADMSG ? "its compressed data is damaged, or ends too soon" : strerror(error);
}

crawl_err cw_tool_gzip(crawl_slice text, crawl_buf *out)
{
    enum { GZIP = 16 };
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)text.data, .avail_in = (uInt)text.size};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return CRAWL_ENOMEM;
    crawl_err err = crawl_buf_reserve(out, deflateBound(&stream, text.size));
    stream.next_out = err ? NULL : (Bytef *)out->data + out->size;
    stream.avail_out = (uInt)(out->capacity - out->size);
    if (!err && deflate(&stream, Z_FINISH) != Z_STREAM_END)
        err = CRAWL_ENOMEM;
    out->size += stream.total_out;
    deflateEnd(&stream);
    return err;
}

#include "crawler/output/warc/warc_record.h"

#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

/* For zlib: the largest window, with gzip's header and trailer instead of zlib's. */
#define GZIP_WINDOW (15 + 16)

/* Makes a UUID of version 4 from the bytes, and prints it. */
static void print_id(unsigned char b[16], cw_warc_id *id)
{
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    snprintf(id->text, sizeof id->text, "urn:uuid:%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

crawl_err cw_warc_secret_make(unsigned char secret[CW_WARC_SECRET_SIZE])
{
    return getrandom(secret, CW_WARC_SECRET_SIZE, 0) == CW_WARC_SECRET_SIZE ? CRAWL_OK : CRAWL_EIO;
}

/* Makes a random identifier. CRAWL_EIO: the system has no random numbers. */
static crawl_err warc_record_make_id(cw_warc_id *id)
{
    unsigned char bytes[CW_WARC_SECRET_SIZE];
    crawl_err err = cw_warc_secret_make(bytes);
    if (!err)
        print_id(bytes, id);
    return err;
}

crawl_err cw_warc_id_of(cw_warc_press *press, const unsigned char secret[CW_WARC_SECRET_SIZE], uint64_t number,
                        cw_warc_id *id)
{
    char bytes[CW_WARC_SECRET_SIZE + sizeof number];
    crawl_fingerprint hash;
    memcpy(bytes, secret, CW_WARC_SECRET_SIZE);
    memcpy(bytes + CW_WARC_SECRET_SIZE, &number, sizeof number);
    crawl_err err = crawl_fingerprint_bytes(press->sha1, crawl_slice_of(bytes, sizeof bytes), &hash);
    if (!err)
        print_id(hash.bytes, id);
    return err;
}

crawl_err cw_warc_press_create(cw_warc_press **out)
{
    cw_warc_press *press = calloc(1, sizeof *press);
    if (!press)
        return CRAWL_ENOMEM;
    if (deflateInit2(&press->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(press);
        return CRAWL_ENOMEM;
    }
    press->sha1 = crawl_fingerprinter_create();
    if (!press->sha1) {
        cw_warc_press_free(press);
        return CRAWL_ENOMEM;
    }
    *out = press;
    return CRAWL_OK;
}

void cw_warc_press_free(cw_warc_press *press)
{
    if (!press)
        return;
    deflateEnd(&press->gzip);
    crawl_fingerprinter_free(press->sha1);
    crawl_buf_free(&press->head_text);
    crawl_buf_free(&press->block_text);
    crawl_buf_free(&press->out);
    free(press);
}

/* ---- fields ---- */

void cw_warc_field(cw_warc_press *press, const char *name, crawl_slice value)
{
    cw_put_format(&press->head, "%s: ", name);
    while (value.size) {
        size_t size = 0;
        while (size < value.size && value.data[size] != '\r' && value.data[size] != '\n' && value.data[size] != '\0')
            size++;
        cw_put(&press->head, crawl_slice_of(value.data, size));
        size_t past = size < value.size ? size + 1 : size;
        value = crawl_slice_of(value.data + past, value.size - past);
    }
    cw_put(&press->head, crawl_slice_from("\r\n"));
}

void cw_warc_field_text(cw_warc_press *press, const char *name, const char *value)
{
    cw_warc_field(press, name, crawl_slice_from(value));
}

void cw_warc_field_id(cw_warc_press *press, const char *name, const cw_warc_id *id)
{
    cw_put_format(&press->head, "%s: <%s>\r\n", name, id->text);
}

void cw_warc_field_digest(cw_warc_press *press, const char *name, const crawl_fingerprint *digest)
{
    char text[33];
    crawl_fingerprint_base32(digest, text);
    cw_put_format(&press->head, "%s: sha1:%s\r\n", name, text);
}

void cw_warc_begin(cw_warc_press *press, const char *type, const cw_warc_id *id, const cw_date *date)
{
    cw_warc_id made = {""};
    crawl_buf_clear(&press->head_text);
    crawl_buf_clear(&press->block_text);
    press->head = (cw_writer){.out = &press->head_text};
    press->block = (cw_writer){.out = &press->block_text};
    if (!id)
        press->head.err = warc_record_make_id(&made);
    cw_put_format(&press->head, "WARC/1.1\r\nWARC-Type: %s\r\n", type);
    cw_warc_field_id(press, "WARC-Record-ID", id ? id : &made);
    cw_warc_field_text(press, "WARC-Date", date->text);
}

/* ---- the member ---- */

static crawl_err squeeze(cw_warc_press *press, crawl_slice bytes, int flush)
{
    z_stream *gzip = &press->gzip;
    const char *at = bytes.data ? bytes.data : "";
    size_t left = bytes.size;
    for (;;) {
        crawl_err err = crawl_buf_reserve(&press->out, 16384);
        if (err)
            return err;
        uInt some = left < (1u << 30) ? (uInt)left : 1u << 30;
        uInt room = 16384;
        gzip->next_in = (Bytef *)(uintptr_t)at;
        gzip->avail_in = some;
        gzip->next_out = (Bytef *)press->out.data + press->out.size;
        gzip->avail_out = room;
        int code = deflate(gzip, some == left ? flush : Z_NO_FLUSH);
        press->out.size += room - gzip->avail_out;
        at += some - gzip->avail_in;
        left -= some - gzip->avail_in;
        if (code == Z_STREAM_END || (flush == Z_NO_FLUSH && left == 0 && gzip->avail_out > 0))
            return CRAWL_OK;
        if (code != Z_OK && code != Z_BUF_ERROR)
            return CRAWL_ENOMEM;
    }
}

static crawl_err add_member(cw_warc_press *press)
{
    if (deflateReset(&press->gzip) != Z_OK)
        return CRAWL_ENOMEM;
    crawl_err err = squeeze(press, crawl_buf_slice(&press->head_text), Z_NO_FLUSH);
    if (!err)
        err = squeeze(press, crawl_buf_slice(&press->block_text), Z_NO_FLUSH);
    return err ? err : squeeze(press, crawl_slice_from("\r\n\r\n"), Z_FINISH);
}

crawl_err cw_warc_end(cw_warc_press *press)
{
    crawl_fingerprint digest;
    crawl_err err = press->block.err;
    if (!err)
        err = crawl_fingerprint_bytes(press->sha1, crawl_buf_slice(&press->block_text), &digest);
    if (err)
        return err;
    cw_warc_field_digest(press, "WARC-Block-Digest", &digest);
    cw_put_format(&press->head, "Content-Length: %zu\r\n\r\n", press->block_text.size);
    return press->head.err ? press->head.err : add_member(press);
}

/* ---- chunks ---- */

/* Cuts the first line of a chunk off *rest, and returns its size; -1: none. */
static int64_t chunk_size(crawl_slice *rest)
{
    const char *end = memchr(rest->data, '\n', rest->size);
    int64_t size = -1;
    if (!end)
        return -1;
    for (const char *at = rest->data; at < end && cw_hex_value((unsigned char)*at) >= 0; at++) {
        if (size > INT64_MAX / 32)
            return -1;
        size = (size < 0 ? 0 : size * 16) + cw_hex_value((unsigned char)*at);
    }
    size_t line = (size_t)(end + 1 - rest->data);
    *rest = crawl_slice_of(rest->data + line, rest->size - line);
    return size;
}

crawl_err cw_warc_dechunk(crawl_slice body, crawl_buf *out)
{
    while (body.size > 0) {
        int64_t wanted = chunk_size(&body);
        if (wanted <= 0)
            break;
        size_t size = (uint64_t)wanted < body.size ? (size_t)wanted : body.size;
        crawl_err err = crawl_buf_append(out, body.data, size);
        if (err)
            return err;
        size_t past = size + 2 < body.size ? size + 2 : body.size; /* line end after the data */
        body = crawl_slice_of(body.data + past, body.size - past);
    }
    return CRAWL_OK;
}

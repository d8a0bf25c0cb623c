/* Ends a WARC file that was left open. A record is a gzip member, and is whole if its checksum fits and its block is as
 * long as its header says. The file is read as it lies in memory; of a record no more is inflated at once than its
 * headers need. */
#include "base/bytes.h"
#include "base/error.h"
#include "base/header.h"
#include "crawler/output/warc/warc_file.h"
#include "crawler/output/warc/warc_index.h"

#include <crawl/warc.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* How much of a record is kept in memory: its own header and that of the message in it, for which fetch.max_header
 * allows 16 MiB at most. */
#define HEAD_MAX ((size_t)17 << 20)

typedef struct member {
    crawl_slice bytes; /* compressed */
    uint64_t size;     /* inflated */
    bool is_cut;       /* the file ends within it */
} member;

typedef struct finisher {
    cw_warc_file file;
    crawl_slice bytes; /* of the whole file */
    z_stream gzip;
    crawl_buf head; /* of the record at work */
    crawl_warc_finished *done;
} finisher;

/* ---- members ---- */

/* Inflates the next bytes into the head. Once the head is full, they overwrite its end, which is not needed. Returns
 * zlib's code. */
static int inflate_some(finisher *f, size_t most)
{
    enum { PIECE = 65536 };
    static const size_t piece = PIECE;
    unsigned char rest[PIECE];
    bool is_kept = f->head.size + piece <= most;
    if (is_kept && crawl_buf_reserve(&f->head, piece))
        return Z_MEM_ERROR;
    f->gzip.next_out = is_kept ? (Bytef *)f->head.data + f->head.size : rest;
    f->gzip.avail_out = PIECE;
    int code = inflate(&f->gzip, Z_NO_FLUSH);
    f->head.size += is_kept ? piece - f->gzip.avail_out : 0;
    return code;
}

/* Reads the member that begins at `at`; its head is in f->head then. CRAWL_ECORRUPT: there is none, or it is damaged or
 * cut. CRAWL_ENOMEM. */
static crawl_err read_member(finisher *f, uint64_t at, size_t most, member *out)
{
    int code = inflateReset(&f->gzip);
    crawl_slice rest = cw_drop(f->bytes, at);
    crawl_buf_clear(&f->head);
    f->gzip.avail_in = 0;
    for (uint64_t fed = 0; code == Z_OK || code == Z_BUF_ERROR;) {
        if (!f->gzip.avail_in) {
            f->gzip.next_in = (Bytef *)(uintptr_t)(rest.data + fed);
            f->gzip.avail_in = rest.size - fed < (1u << 30) ? (uInt)(rest.size - fed) : 1u << 30;
            fed += f->gzip.avail_in;
        }
        bool is_over = !f->gzip.avail_in;
        code = inflate_some(f, most);
        if (is_over && code == Z_BUF_ERROR)
            break;
        if (code == Z_STREAM_END)
            rest.size = fed - f->gzip.avail_in;
    }
    *out = (member){.bytes = rest, .size = f->gzip.total_out, .is_cut = code == Z_BUF_ERROR};
    if (code == Z_MEM_ERROR)
        return CRAWL_ENOMEM;
    return code == Z_STREAM_END ? CRAWL_OK : CRAWL_ECORRUPT;
}

/* ---- records ---- */

/* Cuts the lines of a header off *rest, up to the empty one. */
static crawl_slice cut_header(crawl_slice *rest)
{
    const char *end = rest->size ? memmem(rest->data, rest->size, "\r\n\r\n", 4) : NULL;
    crawl_slice header = end ? crawl_slice_of(rest->data, (size_t)(end - rest->data) + 2) : (crawl_slice){0};
    *rest = end ? cw_drop(*rest, header.size + 2) : (crawl_slice){0};
    return header;
}

/* The first value of that name; empty: there is none. */
static crawl_slice warc_finish_field_of(crawl_slice header, const char *wanted)
{
    crawl_slice name, value;
    while (header.size)
        if (cw_header_split(cw_cut_line(&header), &name, &value) && cw_is_nocase(name, wanted))
            return value;
    return (crawl_slice){0};
}

static uint64_t warc_finish_number_of(crawl_slice digits)
{
    uint64_t number = 0;
    for (size_t i = 0; i < digits.size && cw_is_digit((unsigned char)digits.data[i]) && number < UINT64_MAX / 100; i++)
        number = number * 10 + (uint64_t)(digits.data[i] - '0');
    return number;
}

/* The status in a line such as "HTTP/1.1 200 OK". */
static int warc_finish_status_of(crawl_slice line)
{
    cw_cut(&line, ' ');
    return (int)warc_finish_number_of(crawl_slice_of(line.data, line.size < 3 ? line.size : 3));
}

/* Adds a line to the index for a response or a revisit record. */
static crawl_err index_record(finisher *f, const member *m, crawl_slice header, crawl_slice message)
{
    crawl_buf line = {0};
    crawl_slice type = warc_finish_field_of(header, "WARC-Type");
    crawl_slice digest = warc_finish_field_of(header, "WARC-Payload-Digest");
    if (!f->file.has_index || !(cw_is(type, "response") || cw_is(type, "revisit")))
        return CRAWL_OK;
    crawl_slice fields = cut_header(&message);
    const cw_warc_entry entry = {
        .url = warc_finish_field_of(header, "WARC-Target-URI"),
        .date = warc_finish_field_of(header, "WARC-Date"),
        .is_revisit = cw_is(type, "revisit"),
        .status = warc_finish_status_of(cw_cut_line(&fields)),
        .content_type = warc_finish_field_of(fields, "Content-Type"),
        .digest = cw_starts_with(digest, "sha1:") ? cw_drop(digest, strlen("sha1:")) : crawl_slice_from("-"),
        .length = m->bytes.size,
        .offset = (uint64_t)(m->bytes.data - f->bytes.data),
        .file = crawl_slice_from(cw_warc_file_name(&f->file)),
    };
    crawl_err err = cw_warc_index_line(&entry, &line);
    if (!err)
        err = cw_warc_file_index(&f->file, crawl_buf_slice(&line));
    crawl_buf_free(&line);
    f->done->indexed += !err;
    return err;
}

/* CRAWL_ECORRUPT: the member holds no whole record. */
static crawl_err warc_finish_take_record(finisher *f, const member *m)
{
    crawl_slice rest = crawl_buf_slice(&f->head);
    crawl_slice header = cut_header(&rest);
    uint64_t block = warc_finish_number_of(warc_finish_field_of(header, "Content-Length"));
    bool is_whole = cw_starts_with(header, "WARC/1.") && m->size == header.size + 2 + block + strlen("\r\n\r\n");
    crawl_err err = is_whole ? index_record(f, m, header, rest) : CRAWL_ECORRUPT;
    f->done->records += !err;
    return err;
}

/* Does a record begin somewhere behind this place? */
static bool has_record_behind(finisher *f, uint64_t at)
{
    static const char magic[] = "\x1f\x8b\x08";
    member m;
    crawl_slice rest = cw_drop(f->bytes, at + 1);
    while (rest.size) {
        const char *found = memmem(rest.data, rest.size, magic, strlen(magic));
        if (!found)
            return false;
        uint64_t place = (uint64_t)(found - f->bytes.data);
        if (!read_member(f, place, HEAD_MAX, &m) && cw_starts_with(crawl_buf_slice(&f->head), "WARC/1."))
            return true;
        rest = cw_drop(f->bytes, place + 1);
    }
    return false;
}

/* Reads all records; f->file.bytes is where the last whole one ends then. */
static crawl_err read_records(finisher *f, const char *path, crawl_error *error)
{
    member m = {.is_cut = false};
    crawl_err err = CRAWL_OK;
    while (!err && f->file.bytes < f->bytes.size) {
        err = read_member(f, f->file.bytes, HEAD_MAX, &m);
        if (!err)
            err = warc_finish_take_record(f, &m);
        if (!err)
            f->file.bytes += m.bytes.size;
    }
    if (err && err != CRAWL_ECORRUPT)
        return crawl_error_set(error, err, "%s: %s", path, crawl_strerror(err));
    if (err && !m.is_cut && has_record_behind(f, f->file.bytes))
        return crawl_error_set(error, err, "%s: damaged at byte %llu, and whole records come behind it", path,
                               (unsigned long long)f->file.bytes);
    if (!f->done->records)
        return crawl_error_set(error, CRAWL_ECORRUPT, "%s: there is no whole record in it", path);
    f->done->cut = f->bytes.size - f->file.bytes;
    return CRAWL_OK;
}

/* ---- the file ---- */

static crawl_err warc_finish_open_file(finisher *f, const char *path, crawl_error *error)
{
    f->file.path = strndup(path, strlen(path) - strlen(".open"));
    f->file.fd = open(path, O_RDWR | O_CLOEXEC);
    if (!f->file.path)
        return cw_error(error, CRAWL_ENOMEM);
    if (f->file.fd < 0)
        return cw_error_of_file(error, path);
    if (flock(f->file.fd, LOCK_EX | LOCK_NB))
        return crawl_error_set(error, CRAWL_ESTATE, "%s: a crawl is writing it", path);
    if (access(f->file.path, F_OK) == 0)
        return crawl_error_set(error, CRAWL_EINVAL, "%s is there already", f->file.path);
    f->file.suffix = cw_ends_with(crawl_slice_from(f->file.path), ".warc.gz") ? ".warc.gz" : "";
    f->file.has_index = *f->file.suffix;
    return CRAWL_OK;
}

static crawl_err warc_finish_map_file(finisher *f, const char *path, crawl_error *error)
{
    struct stat found;
    if (fstat(f->file.fd, &found) || !S_ISREG(found.st_mode))
        return crawl_error_set(error, CRAWL_EINVAL, "%s: no file", path);
    if (!found.st_size)
        return crawl_error_set(error, CRAWL_ECORRUPT, "%s: there is no whole record in it", path);
    void *at = mmap(NULL, (size_t)found.st_size, PROT_READ, MAP_PRIVATE, f->file.fd, 0);
    if (at == MAP_FAILED)
        return cw_error_of_file(error, path);
    f->bytes = crawl_slice_of(at, (size_t)found.st_size);
    return CRAWL_OK;
}

/* Cuts off what is no whole record, and finishes the file. Everything was read before the file is changed here. */
static crawl_err warc_finish_end_file(finisher *f, const char *path, crawl_error *error)
{
    if (f->done->cut && ftruncate(f->file.fd, (off_t)f->file.bytes))
        return cw_error_of_file(error, path);
    crawl_err err = cw_warc_file_finish(&f->file);
    if (err && f->file.failure.code)
        *error = f->file.failure;
    else if (err)
        cw_error(error, err);
    else
        f->done->path = strdup(f->file.path);
    return err || f->done->path ? err : cw_error(error, CRAWL_ENOMEM);
}

crawl_err crawl_warc_finish(const char *path, crawl_warc_finished *out, crawl_error *error)
{
    enum { GZIP = 16 };
    finisher f = {.file = {.fd = -1}, .done = out};
    *out = (crawl_warc_finished){0};
    if (!cw_ends_with(crawl_slice_from(path), ".open"))
        return crawl_error_set(error, CRAWL_EINVAL, "%s: the name of a file that was left open ends in .open", path);
    if (inflateInit2(&f.gzip, MAX_WBITS + GZIP) != Z_OK)
        return cw_error(error, CRAWL_ENOMEM);
    crawl_err err = warc_finish_open_file(&f, path, error);
    if (!err)
        err = warc_finish_map_file(&f, path, error);
    if (!err)
        err = read_records(&f, path, error);
    if (f.bytes.data)
        munmap((void *)(uintptr_t)f.bytes.data, f.bytes.size);
    if (!err)
        err = warc_finish_end_file(&f, path, error);
    inflateEnd(&f.gzip);
    crawl_buf_free(&f.head);
    cw_warc_file_free(&f.file);
    return err;
}

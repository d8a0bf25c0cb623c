/* Finishes a WARC file that was left open. */
#include "base/bytes.h"
#include "base/error.h"
#include "crawler/output/warc/warc_file.h"
#include "crawler/output/warc/warc_index.h"
#include "crawler/output/warc/warc_reader.h"

#include <crawl/sys/warc.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

typedef struct finisher {
    cw_warc_file file;
    cw_warc_reader reader;
    crawl_warc_finished *done;
} finisher;

/* ---- records ---- */

/* Reads all records. f->file.bytes is then the end of the last whole one. */
static crawl_err read_records(finisher *f, const char *path, crawl_error *error)
{
    cw_warc_piece record = {.is_cut = false};
    crawl_err err = CRAWL_OK;
    while (!err && f->file.bytes < f->reader.bytes.size) {
        err = cw_warc_read(&f->reader, f->file.bytes, &record);
        if (!err && f->file.has_index)
            err = cw_warc_index_record(&f->file.index, &record, crawl_slice_from(cw_warc_file_name(&f->file)));
        if (!err) {
            f->file.bytes += record.length;
            f->done->records++;
        }
    }
    if (err && err != CRAWL_ECORRUPT)
        return crawl_error_set(error, err, "%s: %s", path, crawl_strerror(err));
    if (err && !record.is_cut && cw_warc_next_record(&f->reader, f->file.bytes) < f->reader.bytes.size)
        return crawl_error_set(error, err, "%s: damaged at byte %llu, with whole records after it", path,
                               (unsigned long long)f->file.bytes);
    if (!f->done->records)
        return crawl_error_set(error, CRAWL_ABSENT, "%s: contains no whole record", path);
    f->done->indexed = f->file.index.count;
    f->done->cut = f->reader.bytes.size - f->file.bytes;
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
        return crawl_error_set(error, CRAWL_EINVAL, "%s already exists", f->file.path);
    f->file.suffix = cw_ends_with(crawl_slice_from(f->file.path), ".warc.gz") ? ".warc.gz" : "";
    f->file.has_index = *f->file.suffix;
    return CRAWL_OK;
}

/* Cuts off an incomplete record, and finishes the file. Everything was read before the file is changed here. */
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
    finisher f = {.file = {.fd = -1}, .done = out};
    *out = (crawl_warc_finished){0};
    if (!cw_ends_with(crawl_slice_from(path), ".open"))
        return crawl_error_set(error, CRAWL_EINVAL,
                               "%s: not a file that was left open: its name does not end in "
                               ".open",
                               path);
    if (cw_warc_reader_open(&f.reader, (crawl_slice){0}, CW_WARC_HEAD_MAX))
        return cw_error(error, CRAWL_ENOMEM);
    crawl_err err = warc_finish_open_file(&f, path, error);
    if (!err)
        err = cw_warc_map(f.file.fd, path, &f.reader.bytes, error);
    if (!err)
        err = read_records(&f, path, error);
    cw_warc_unmap(f.reader.bytes);
    if (!err)
        err = warc_finish_end_file(&f, path, error);
    cw_warc_reader_close(&f.reader);
    cw_warc_file_free(&f.file);
    return err;
}

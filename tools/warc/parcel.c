/* See parcel.h. However the program ends, the WARC files and an older parcel are whole, and the next run starts
 * PATH.new again. */
#include "tools/warc/parcel.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/files/replace.h"
#include "tools/warc/archived.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

/* Returns true if the manifest would have one name for both files. */
static bool parcel_has_same_name(const char *a, const char *b)
{
    for (a = cw_archived_name(a), b = cw_archived_name(b); *a && *b; a++, b++)
        if (cw_parcel_name_byte(*a) != cw_parcel_name_byte(*b))
            return false;
    return *a == *b;
}

static crawl_err parcel_check_names(cw_parcel *parcel)
{
    for (size_t i = 0; i < parcel->warc_count; i++) {
        const char *path = parcel->warcs[i];
        crawl_slice name = crawl_slice_from(cw_archived_name(path));
        if (!cw_ends_with(name, ".warc.gz") && !cw_ends_with(name, ".warc"))
            return crawl_error_set(&parcel->error, CRAWL_EINVAL,
                                   "%s: the name of a WARC file ends in .warc.gz or "
                                   ".warc",
                                   path);
        for (size_t k = 0; k < i; k++)
            if (parcel_has_same_name(parcel->warcs[k], path))
                return crawl_error_set(&parcel->error, CRAWL_EINVAL,
                                       "%s and %s: two files in a parcel cannot have the same name, apart from case "
                                       "and special characters",
                                       parcel->warcs[k], path);
    }
    return CRAWL_OK;
}

/* Sorts the index, and counts revisits whose answer it lacks: no reader can show them. */
static crawl_err parcel_sort(cw_parcel *parcel)
{
    crawl_err err = cw_warc_index_sort(&parcel->index, &parcel->lines);
    for (crawl_slice rest = crawl_buf_slice(&parcel->revisits); rest.size && !err;) {
        bool found;
        crawl_slice date = cw_cut_line(&rest);
        crawl_slice url = cw_cut(&date, ' ');
        err = cw_archived_answer(crawl_buf_slice(&parcel->lines), url, date, true, &found);
        parcel->unresolved += !found;
    }
    return err;
}

/* ---- the parcel ---- */

static crawl_err parcel_open(cw_parcel *parcel, const char *path, int *file)
{
    *file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*file >= 0 && flock(*file, LOCK_EX | LOCK_NB))
        return crawl_error_set(&parcel->error, CRAWL_ESTATE, "%s: another process is writing it", path);
    if (*file < 0 || ftruncate(*file, 0))
        return cw_error_of_file(&parcel->error, path);
    return CRAWL_OK;
}

static crawl_err parcel_fill(cw_parcel *parcel, int file, const char *path)
{
    cw_zip zip = {.file = file};
    crawl_err err = cw_parcel_write(parcel, &zip);
    if (!err)
        err = cw_zip_end(&zip);
    if (!err && fsync(file))
        err = CRAWL_EIO;
    if (err == CRAWL_EIO && !parcel->error.code)
        cw_error_of_file(&parcel->error, path);
    parcel->bytes = zip.bytes;
    cw_zip_free(&zip);
    if (!err && rename(path, parcel->path))
        err = cw_error_of_file(&parcel->error, parcel->path);
    if (err)
        unlink(path);
    return err ? err : cw_sync_folder(parcel->path, &parcel->error);
}

crawl_err cw_parcel_make(cw_parcel *parcel)
{
    int file = -1;
    crawl_buf path = {0};
    crawl_err err = parcel_check_names(parcel);
    if (!err)
        err = cw_parcel_read(parcel);
    if (!err && !parcel->page_count)
        err = crawl_error_set(&parcel->error, CRAWL_ABSENT, "%s was not made: there is no page to pack", parcel->path);
    if (!err)
        err = parcel_sort(parcel);
    if (!err)
        err = crawl_buf_printf(&path, "%s.new", parcel->path);
    if (!err)
        err = parcel_open(parcel, path.data, &file);
    if (!err)
        err = parcel_fill(parcel, file, path.data);
    if (file >= 0)
        close(file);
    crawl_buf_free(&path);
    return err && !parcel->error.code ? cw_error(&parcel->error, err) : err;
}

void cw_parcel_free(cw_parcel *parcel)
{
    crawl_buf *bufs[] = {&parcel->lines,  &parcel->revisits, &parcel->seeds,
                         &parcel->others, &parcel->main_url, &parcel->main_title};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        crawl_buf_free(bufs[i]);
    cw_warc_index_free(&parcel->index);
}

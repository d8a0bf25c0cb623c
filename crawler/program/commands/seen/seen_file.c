/* See seen_file.h. The lock is on the file itself (flock). Saving replaces the file, so a lock only counts if the path
 * still leads to the locked file; otherwise another run has saved meanwhile, and the file is opened again. */
#include "crawler/program/commands/seen/seen_file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct cw_seen_file {
    char *path; /* without symbolic links, so that their target is replaced, not the link */
    int lock;
    bool made; /* by open, and not yet saved */
};

/* Opens path, creating it if needed. */
static int open_or_make(const char *path, bool *made)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    *made = fd >= 0;
    return fd >= 0 || errno != EEXIST ? fd : open(path, O_RDWR | O_CLOEXEC);
}

static bool still_leads_to(const char *path, int fd)
{
    struct stat there, here;
    return stat(path, &there) == 0 && fstat(fd, &here) == 0 && there.st_dev == here.st_dev &&
           there.st_ino == here.st_ino;
}

/* Locks the file. A file system without locks (ENOLCK, EOPNOTSUPP) is no error: then nobody is kept out. */
static crawl_err lock(cw_seen_file *file, const char *path, crawl_error *error)
{
    do {
        if (file->lock >= 0)
            close(file->lock);
        bool made;
        file->lock = open_or_make(path, &made);
        if (file->lock < 0)
            return cw_error_of_file(error, path);
        file->made |= made;
        if (flock(file->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
            file->made = false;
            return crawl_error_set(error, CRAWL_EIO, "%s: another run has it open", path);
        }
    } while (!still_leads_to(path, file->lock));
    return CRAWL_OK;
}

static crawl_err seen_file_load(const cw_seen_file *file, crawl_bloom **filter, crawl_error *error)
{
    struct stat status;
    if (fstat(file->lock, &status))
        return cw_error_of_file(error, file->path);
    if (!S_ISREG(status.st_mode))
        return crawl_error_set(error, CRAWL_EIO, "%s: not a regular file", file->path);
    *filter = NULL;
    return status.st_size == 0 ? CRAWL_OK : crawl_bloom_load(file->path, filter, error);
}

crawl_err cw_seen_file_open(const char *path, cw_seen_file **out, crawl_bloom **filter, crawl_error *error)
{
    cw_seen_file *file = calloc(1, sizeof *file);
    if (!file)
        return cw_error(error, CRAWL_ENOMEM);
    file->lock = -1;
    crawl_err err = lock(file, path, error);
    if (!err)
        file->path = realpath(path, NULL);
    if (!err && !file->path)
        err = cw_error_of_file(error, path);
    if (!err)
        err = seen_file_load(file, filter, error);
    if (err)
        cw_seen_file_close(file);
    else
        *out = file;
    return err;
}

void cw_seen_file_close(cw_seen_file *file)
{
    if (!file)
        return;
    if (file->made && file->path)
        unlink(file->path);
    if (file->lock >= 0)
        close(file->lock);
    free(file->path);
    free(file);
}

/* Syncs the output, if it is on a disk; pipes and terminals are not. */
static crawl_err sync_output(int out, crawl_error *error)
{
    if (out < 0 || fdatasync(out) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP)
        return CRAWL_OK;
    return cw_error_of_file(error, "standard output");
}

crawl_err cw_seen_file_save(cw_seen_file *file, const crawl_bloom *filter, int out, crawl_error *error)
{
    crawl_err err = sync_output(out, error);
    if (!err)
        err = crawl_bloom_save(filter, file->path, error);
    if (!err)
        file->made = false;
    return err;
}

/* See replace.h. The order of the steps makes it safe: the new file is complete and on disk before it gets its name,
 * and the name is on disk before the caller hears of success.
 *
 * A symbolic link at path is replaced, not followed: the folder of its target may be on another disk, or belong to
 * others. Devices, pipes and folders are refused. A process killed meanwhile leaves its temporary file behind,
 * path.XXXXXXXXXXXXXXXX.tmp, with an unpredictable name: it is never read, never in the way of the next one, and may be
 * deleted. */
#include "base/files/replace.h"

#include "base/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS 16   /* attempts to find a free name among 2^64 */
#define NAME_KEPT 200 /* bytes of the name that are kept: with ADDED it stays below the limit of 255 */
#define ADDED sizeof ".0123456789abcdef.tmp"

static crawl_err replace_fail(const char *path, const char *what, crawl_error *error)
{
    return crawl_error_set(error, CRAWL_EIO, "%s: cannot %s: %s", path, what, strerror(errno));
}

/* Returns the bytes of the path up to and including its last slash. */
static size_t folder_size(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static int create_temporary(const char *path, mode_t mode, char *name, size_t size)
{
    int folder = (int)folder_size(path);
    int file = -1;
    for (int i = 0; i < ATTEMPTS && file < 0; i++) {
        uint64_t random;
        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
            return -1;
        snprintf(name, size, "%.*s%.*s.%016llx.tmp", folder, path, NAME_KEPT, path + folder,
                 (unsigned long long)random);
        file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (file < 0 && errno != EEXIST && errno != EINTR)
            return -1;
    }
    return file;
}

crawl_err cw_replace_begin(cw_replace *replace, const char *path, mode_t mode, crawl_error *error)
{
    struct stat old;
    bool there = stat(path, &old) == 0;
    if (there && !S_ISREG(old.st_mode))
        return crawl_error_set(error, CRAWL_EIO, "%s: cannot write: not a regular file", path);
    size_t size = strlen(path) + ADDED;
    char *name = malloc(size);
    if (!name)
        return crawl_error_set(error, CRAWL_ENOMEM, "%s: no memory", path);
    int file = create_temporary(path, mode, name, size);
    if (file < 0) {
        free(name);
        return replace_fail(path, "create a file beside it", error);
    }
    *replace = (cw_replace){.path = path, .temporary = name, .file = file};
    if (there && fchmod(file, old.st_mode & mode))
        return cw_replace_end(replace, replace_fail(path, "keep its permissions", error), error);
    return CRAWL_OK;
}

crawl_err cw_replace_write(cw_replace *replace, const void *data, size_t size, uint64_t offset, crawl_error *error)
{
    const char *bytes = data;
    while (size) {
        ssize_t n = pwrite(replace->file, bytes, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return replace_fail(replace->path, "write", error);
#ifdef SYNC_FILE_RANGE_WRITE
        /* Starts the writeback now rather than at the end. Only a hint: fsync reports any failure. */
        sync_file_range(replace->file, (off_t)offset, n, SYNC_FILE_RANGE_WRITE);
#endif
        bytes += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return CRAWL_OK;
}

static bool sync_file(int file)
{
    int failed;
    do
        failed = fsync(file);
    while (failed && errno == EINTR);
    return !failed;
}

/* Syncs a folder. A folder that cannot be read or synced (EINVAL, on some network file systems) is not a failure: there
 * the file system alone decides when a name is on disk. */
static bool sync_names(const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return errno == EACCES;
    bool good = sync_file(file) || errno == EINVAL;
    int why = errno;
    close(file);
    errno = why;
    return good;
}

crawl_err cw_sync_folder(const char *path, crawl_error *error)
{
    size_t size = folder_size(path);
    char *folder = size ? strndup(path, size) : strdup(".");
    if (!folder)
        return crawl_error_set(error, CRAWL_ENOMEM, "%s: no memory", path);
    crawl_err err = sync_names(folder) ? CRAWL_OK : replace_fail(path, "sync its folder", error);
    free(folder);
    return err;
}

static crawl_err replace_finish(const cw_replace *replace, crawl_error *error)
{
    if (!sync_file(replace->file))
        return replace_fail(replace->path, "sync it", error);
    if (rename(replace->temporary, replace->path))
        return replace_fail(replace->path, "rename the new file to it", error);
    return CRAWL_OK;
}

crawl_err cw_replace_end(cw_replace *replace, crawl_err err, crawl_error *error)
{
    if (!err)
        err = replace_finish(replace, error);
    close(replace->file); /* fsync has already reported every failure */
    if (err)
        unlink(replace->temporary);
    else
        err = cw_sync_folder(replace->path, error);
    free(replace->temporary);
    *replace = (cw_replace){.file = -1};
    return err;
}

crawl_err cw_replace_file(const char *path, crawl_slice text, mode_t mode, crawl_error *error)
{
    cw_replace replace;
    crawl_err err = cw_replace_begin(&replace, path, mode, error);
    if (err)
        return err;
    return cw_replace_end(&replace, cw_replace_write(&replace, text.data, text.size, 0, error), error);
}

static int replace_remove_one(const char *path, const struct stat *, int, struct FTW *)
{
    (void)remove(path);
    return 0;
}

void cw_remove_folder(const char *path)
{
    enum { DESCRIPTORS = 16 };
    (void)nftw(path, replace_remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

crawl_slice cw_write_all(int file, crawl_slice bytes)
{
    while (bytes.size) {
        ssize_t written = write(file, bytes.data, bytes.size);
        if (written == 0)
            errno = EIO;
        if (written > 0)
            bytes = cw_drop(bytes, (size_t)written);
        else if (errno == EAGAIN) /* others may have made a terminal or a pipe non-blocking */
            poll(&(struct pollfd){.fd = file, .events = POLLOUT}, 1, -1);
        else if (errno != EINTR)
            break;
    }
    return bytes;
}

int cw_write_whole(int file, crawl_slice bytes)
{
    if (file < 0)
        return errno;
    int reason = cw_write_all(file, bytes).size ? errno : 0;
    if (close(file) && !reason)
        reason = errno;
    return reason;
}

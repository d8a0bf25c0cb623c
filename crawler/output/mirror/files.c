#include "crawler/output/mirror/files.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/files/replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEW "new-" /* prefix of files that are not yet in place */

struct cw_mirror_files {
    char *path;
    int root;
    uint64_t run;                /* random, so that no other process gives new files the same names */
    atomic_uint_fast64_t number; /* of the next new file */
};

/* --- the folder --- */

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool files_is_empty(int root)
{
    int again = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = again < 0 ? NULL : fdopendir(again);
    if (!folder)
        return false;
    const struct dirent *entry = readdir(folder);
    while (entry && is_dots(entry->d_name))
        entry = readdir(folder);
    closedir(folder);
    return !entry;
}

static bool files_is_ours(int root)
{
    struct stat info;
    return fstatat(root, CW_MIRROR_OWN, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

static crawl_err check_root(int root, const char *path, crawl_error *error)
{
    if (files_is_ours(root) || files_is_empty(root))
        return CRAWL_OK;
    return crawl_error_set(error, CRAWL_EINVAL, "%s: the folder is not empty, and is not a copy made by --mirror",
                           path);
}

crawl_err cw_mirror_files_check(const char *folder, crawl_error *error)
{
    int root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return errno == ENOENT ? CRAWL_OK : cw_error_of_file(error, folder);
    crawl_err err = check_root(root, folder, error);
    close(root);
    return err;
}

crawl_err cw_mirror_files_open(const char *folder, cw_mirror_files **out, crawl_error *error)
{
    cw_mirror_files *files = calloc(1, sizeof *files);
    char *path = strdup(folder);
    if (!files || !path) {
        free(files);
        free(path);
        return cw_error(error, CRAWL_ENOMEM);
    }
    files->path = path;
    bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
    bool named = getrandom(&files->run, sizeof files->run, 0) == (ssize_t)sizeof files->run;
    files->root = made && named ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    crawl_err err = files->root < 0 ? cw_error_of_file(error, path) : check_root(files->root, path, error);
    if (!err && mkdirat(files->root, CW_MIRROR_OWN, 0777) && errno != EEXIST)
        err = cw_error_of_file(error, path);
    if (err)
        cw_mirror_files_free(files);
    else
        *out = files;
    return err;
}

void cw_mirror_files_free(cw_mirror_files *files)
{
    if (!files)
        return;
    if (files->root >= 0)
        close(files->root);
    free(files->path);
    free(files);
}

void cw_mirror_files_sweep(cw_mirror_files *files)
{
    int own = openat(files->root, CW_MIRROR_OWN, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = own < 0 ? NULL : fdopendir(own);
    if (!folder) {
        if (own >= 0)
            close(own);
        return;
    }
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        if (strncmp(entry->d_name, NEW, sizeof NEW - 1) == 0)
            (void)unlinkat(own, entry->d_name, 0);
    closedir(folder);
}

/* --- the folder of a file --- */

enum { NAME_SIZE = 256, FOLDER_SIZE = 2048 };

/* Takes the first name of *path. Returns false if the name must not be opened. */
static bool files_take_name(crawl_slice *path, char name[NAME_SIZE])
{
    crawl_slice text = cw_cut(path, '/');
    if (!text.size || text.size >= NAME_SIZE || memchr(text.data, '\0', text.size))
        return false;
    memcpy(name, text.data, text.size);
    name[text.size] = '\0';
    return !is_dots(name);
}

/* Opens the folder of a path, name by name. makes: create missing folders. */
static int walk_to_folder(const cw_mirror_files *files, crawl_slice path, bool makes, char name[NAME_SIZE])
{
    int folder = openat(files->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (folder >= 0) {
        if (!files_take_name(&path, name)) {
            close(folder);
            errno = EINVAL;
            return -1;
        }
        if (!path.size)
            return folder;
        if (makes)
            (void)mkdirat(folder, name, 0777); /* opening the folder then fails too, and says why */
        int next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int reason = errno;
        close(folder);
        folder = next;
        errno = reason;
    }
    return -1;
}

/* Opens the folder by one system call, which follows no symbolic link and cannot leave the copy. Returns -1 with ENOENT
 * if there is no folder. After any other errno the walk by names tries again, also on systems without this call. */
static int open_at_once(const cw_mirror_files *files, crawl_slice path, char name[NAME_SIZE])
{
    static const struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
                                        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH};
    char folder[FOLDER_SIZE];
    size_t size = 0; /* up to the last name */
    errno = EINVAL;
    for (crawl_slice rest = path; rest.size;) {
        size = path.size - rest.size;
        if (!files_take_name(&rest, name))
            return -1;
    }
    if (!size || size >= sizeof folder)
        return -1;
    memcpy(folder, path.data, size);
    folder[size] = '\0';
    return (int)syscall(SYS_openat2, files->root, folder, &how, sizeof how);
}

/* Opens the folder of a path, and gets the name in it. makes: create missing folders. -1: errno says why. */
static int files_open_folder(const cw_mirror_files *files, crawl_slice path, bool makes, char name[NAME_SIZE])
{
    int folder = open_at_once(files, path, name);
    bool is_known = folder >= 0 || (errno == ENOENT && !makes);
    return is_known ? folder : walk_to_folder(files, path, makes, name);
}

int cw_mirror_files_descriptor(cw_mirror_files *files, const char *path, int flags)
{
    char name[NAME_SIZE];
    int folder = files_open_folder(files, crawl_slice_from(path), true, name);
    if (folder < 0)
        return -1;
    int file = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
    int reason = errno;
    close(folder);
    errno = reason;
    return file;
}

/* --- writing --- */

static crawl_err files_fail(const cw_mirror_files *files, crawl_slice path, int reason, crawl_error *error)
{
    bool planted = reason == ELOOP || reason == ENOTDIR;
    return crawl_error_set(error, CRAWL_EIO, "%s/%.*s: %s", files->path, (int)path.size, path.data,
                           planted ? "a symbolic link or a file stands where a folder should be" : strerror(reason));
}

static void files_name_new(cw_mirror_files *files, char name[64])
{
    snprintf(name, 64, CW_MIRROR_OWN "/" NEW "%016llx-%llu", (unsigned long long)files->run,
             (unsigned long long)atomic_fetch_add(&files->number, 1));
}

/* Gives the new file its name. Replaces a file or symbolic link of that name. */
static int files_give_name(cw_mirror_files *files, const char *new_name, crawl_slice path)
{
    char name[NAME_SIZE];
    char own[NAME_SIZE];
    int folder = files_open_folder(files, path, true, name);
    int reason = folder < 0 ? errno : 0;
    int from = folder < 0 ? -1 : files_open_folder(files, crawl_slice_from(new_name), false, own);
    if (folder >= 0 && (from < 0 || renameat(from, own, folder, name)))
        reason = errno;
    if (from >= 0)
        close(from);
    if (folder >= 0)
        close(folder);
    return reason;
}

crawl_err cw_mirror_files_rename(cw_mirror_files *files, const char *from, crawl_slice path, crawl_error *error)
{
    int reason = files_give_name(files, from, path);
    if (!reason)
        return CRAWL_OK;
    cw_mirror_files_remove(files, crawl_slice_from(from));
    return files_fail(files, path, reason, error);
}

crawl_err cw_mirror_files_write(cw_mirror_files *files, crawl_slice path, crawl_slice body, crawl_error *error)
{
    char new_name[64];
    files_name_new(files, new_name);
    int file = cw_mirror_files_descriptor(files, new_name, O_WRONLY | O_CREAT | O_EXCL);
    int reason = cw_write_whole(file, body);
    if (!reason)
        return cw_mirror_files_rename(files, new_name, path, error);
    cw_mirror_files_remove(files, crawl_slice_from(new_name));
    return files_fail(files, path, reason, error);
}

/* Links the file at `from` under the name of a new file. Returns 0, or an errno. */
static int link_new(cw_mirror_files *files, crawl_slice from, const char *new_name)
{
    char name[NAME_SIZE];
    char own[NAME_SIZE];
    int folder = files_open_folder(files, from, false, name);
    int to = files_open_folder(files, crawl_slice_from(new_name), false, own);
    int reason = folder < 0 || to < 0 || linkat(folder, name, to, own, 0) ? errno : 0;
    if (folder >= 0)
        close(folder);
    if (to >= 0)
        close(to);
    return reason;
}

crawl_err cw_mirror_files_copy(cw_mirror_files *files, crawl_slice from, crawl_slice path, crawl_error *error)
{
    char new_name[64];
    crawl_buf body = {0};
    files_name_new(files, new_name);
    if (link_new(files, from, new_name) == 0)
        return cw_mirror_files_rename(files, new_name, path, error);
    crawl_err err = cw_mirror_files_read(files, from, &body, error);
    if (!err)
        err = cw_mirror_files_write(files, path, crawl_buf_slice(&body), error);
    crawl_buf_free(&body);
    return err;
}

/* --- reading --- */

static int open_to_read(cw_mirror_files *files, crawl_slice path, struct stat *info)
{
    char name[NAME_SIZE];
    int folder = files_open_folder(files, path, false, name);
    if (folder < 0)
        return -1;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    close(folder);
    if (file >= 0 && (fstat(file, info) || !S_ISREG(info->st_mode))) {
        close(file);
        errno = ENOENT;
        return -1;
    }
    return file;
}

/* Reads `size` bytes of the file into *out, which is empty. CRAWL_EIO: errno says why. CRAWL_ENOMEM. */
static crawl_err read_bytes(int file, size_t size, crawl_buf *out)
{
    crawl_err err = crawl_buf_reserve(out, size + 1);
    ssize_t count = 1;
    while (!err && count > 0 && out->size < size) {
        count = read(file, out->data + out->size, size - out->size);
        out->size += count > 0 ? (size_t)count : 0;
    }
    return count < 0 ? CRAWL_EIO : err;
}

crawl_err cw_mirror_files_read(cw_mirror_files *files, crawl_slice path, crawl_buf *out, crawl_error *error)
{
    struct stat info;
    crawl_buf_clear(out);
    int file = open_to_read(files, path, &info);
    if (file < 0)
        return errno == ENOENT ? CRAWL_ABSENT : files_fail(files, path, errno, error);
    crawl_err err = read_bytes(file, (size_t)info.st_size, out);
    if (err == CRAWL_EIO)
        err = files_fail(files, path, errno, error);
    close(file);
    return err == CRAWL_ENOMEM ? cw_error(error, err) : err;
}

void cw_mirror_files_remove(cw_mirror_files *files, crawl_slice path)
{
    char name[NAME_SIZE];
    int folder = files_open_folder(files, path, false, name);
    if (folder < 0)
        return;
    (void)unlinkat(folder, name, 0);
    close(folder);
}

bool cw_mirror_files_has(cw_mirror_files *files, crawl_slice path)
{
    struct stat info;
    int file = open_to_read(files, path, &info);
    if (file >= 0)
        close(file);
    return file >= 0;
}

bool cw_mirror_files_holds(cw_mirror_files *files, crawl_slice path, crawl_slice body)
{
    struct stat info;
    crawl_buf there = {0};
    int file = open_to_read(files, path, &info);
    if (file < 0)
        return false;
    bool same = (uintmax_t)info.st_size == body.size && read_bytes(file, body.size, &there) == CRAWL_OK &&
                crawl_slice_equal(crawl_buf_slice(&there), body);
    close(file);
    crawl_buf_free(&there);
    return same;
}

/* Bodies in a folder. See <crawl/output.h>. */
#include "base/error.h"
#include "base/files/replace.h"

#include <crawl/output.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

struct crawl_bodies {
    char *path;
    char suffix[6];
    int folder;
    uint64_t run;                /* random, so that no other process gives new files the same names */
    atomic_uint_fast64_t number; /* of the next new file */
    atomic_bool failed;
    pthread_mutex_t lock;
    crawl_error failure; /* of the first failure */
};

crawl_err crawl_bodies_open(const char *folder, const char *suffix, crawl_bodies **out, crawl_error *error)
{
    if (strlen(suffix) >= sizeof(((crawl_bodies *)NULL)->suffix))
        return crawl_error_set(error, CRAWL_EINVAL, "the suffix \"%s\" has more than 5 bytes", suffix);
    crawl_bodies *bodies = calloc(1, sizeof *bodies);
    char *path = strdup(folder);
    if (!bodies || !path) {
        free(bodies);
        free(path);
        return cw_error(error, CRAWL_ENOMEM);
    }
    bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
    bool named = getrandom(&bodies->run, sizeof bodies->run, 0) == (ssize_t)sizeof bodies->run;
    bodies->folder = made && named ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (bodies->folder < 0) {
        crawl_err err = cw_error_of_file(error, path);
        free(bodies);
        free(path);
        return err;
    }
    bodies->path = path;
    snprintf(bodies->suffix, sizeof bodies->suffix, "%s", suffix);
    pthread_mutex_init(&bodies->lock, NULL);
    *out = bodies;
    return CRAWL_OK;
}

static crawl_err output_bodies_note_failure(crawl_bodies *bodies, const char *name, int reason)
{
    pthread_mutex_lock(&bodies->lock);
    if (!bodies->failure.code)
        crawl_error_set(&bodies->failure, CRAWL_EIO, "%s/%s: %s", bodies->path, name, strerror(reason));
    pthread_mutex_unlock(&bodies->lock);
    atomic_store(&bodies->failed, true);
    return CRAWL_EIO;
}

static bool output_bodies_is_there(const crawl_bodies *bodies, const char *name, size_t size)
{
    struct stat info;
    return fstatat(bodies->folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
           (uintmax_t)info.st_size == size;
}

/* Gives a new file its name. Creates the folder of the first two digits if needed. Returns 0, or an errno. */
static int output_bodies_give_name(const crawl_bodies *bodies, const char *new_name, const char *name)
{
    const char folder[] = {name[0], name[1], '\0'};
    if (renameat(bodies->folder, new_name, bodies->folder, name) == 0)
        return 0;
    if (errno != ENOENT || (mkdirat(bodies->folder, folder, 0777) && errno != EEXIST))
        return errno;
    return renameat(bodies->folder, new_name, bodies->folder, name) ? errno : 0;
}

crawl_err crawl_bodies_write(crawl_bodies *bodies, const crawl_fingerprint *digest, crawl_slice body,
                             char name[CRAWL_BODY_NAME_SIZE])
{
    char hex[41];
    char new_name[64];
    crawl_fingerprint_hex(digest, hex);
    snprintf(name, CRAWL_BODY_NAME_SIZE, "%.2s/%s%s", hex, hex + 2, bodies->suffix);
    if (atomic_load(&bodies->failed))
        return CRAWL_EIO;
    if (output_bodies_is_there(bodies, name, body.size))
        return CRAWL_OK;
    unsigned long long number = atomic_fetch_add(&bodies->number, 1);
    snprintf(new_name, sizeof new_name, ".new-%016llx-%llu", (unsigned long long)bodies->run, number);
    int file = openat(bodies->folder, new_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int reason = cw_write_whole(file, body);
    if (!reason)
        reason = output_bodies_give_name(bodies, new_name, name);
    if (!reason)
        return CRAWL_OK;
    if (reason != EEXIST)
        unlinkat(bodies->folder, new_name, 0);
    return output_bodies_note_failure(bodies, name, reason);
}

crawl_err crawl_bodies_close(crawl_bodies *bodies, crawl_error *error)
{
    if (!bodies)
        return CRAWL_OK;
    crawl_err err = bodies->failure.code;
    if (err && error)
        *error = bodies->failure;
    close(bodies->folder);
    pthread_mutex_destroy(&bodies->lock);
    free(bodies->path);
    free(bodies);
    return err;
}

/* The first failure of a durable frontier, after which it refuses everything. See disk.h. */
#include "frontier/disk/disk.h"

crawl_err cw_disk_fail(cw_disk *disk, const crawl_error *error)
{
    pthread_mutex_lock(&disk->guard);
    if (!disk->failure.code)
        disk->failure = *error;
    crawl_err err = disk->failure.code;
    pthread_mutex_unlock(&disk->guard);
    return err;
}

crawl_err cw_disk_why(cw_disk *disk, crawl_error *error)
{
    pthread_mutex_lock(&disk->guard);
    crawl_err err = disk->failure.code;
    if (err && error)
        *error = disk->failure;
    pthread_mutex_unlock(&disk->guard);
    return err;
}

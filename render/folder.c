/* See folder.h. The lock is one of flock(2), so it works across process namespaces, in which a process id would name
 * another process. */
#include "render/folder.h"

#include "base/error.h"
#include "base/files/replace.h"
#include "render/fence.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_PREFIX "crawl-render-"

static const char *folder_below(void)
{
    const char *below = getenv("TMPDIR");
    return below && *below == '/' ? below : "/tmp";
}

static int folder_open(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Returns true if no process uses the folder; it is then locked. */
static bool folder_is_left(int folder)
{
    struct stat found;
    return !fstat(folder, &found) && cw_render_fence_may_own(found.st_uid) && !flock(folder, LOCK_EX | LOCK_NB);
}

static void folder_remove_if_left(const char *below, const char *name)
{
    cw_render_folder left;
    int size = snprintf(left.path, sizeof left.path, "%s/%s", below, name);
    if (size < 0 || (size_t)size >= sizeof left.path)
        return;
    left.lock = folder_open(left.path);
    if (left.lock >= 0 && folder_is_left(left.lock))
        cw_render_folder_remove(&left);
    else if (left.lock >= 0)
        close(left.lock);
}

static void folder_remove_left(const char *below)
{
    DIR *all = opendir(below);
    for (struct dirent *entry; all && (entry = readdir(all));)
        if (!strncmp(entry->d_name, FOLDER_PREFIX, strlen(FOLDER_PREFIX)))
            folder_remove_if_left(below, entry->d_name);
    if (all)
        closedir(all);
}

/* Locks a folder just made. False: another process took it for one left behind, and has removed it. On a file
 * system without locks, no folder is taken for one left behind. */
static bool folder_lock(cw_render_folder *folder)
{
    struct stat found;
    folder->lock = folder_open(folder->path);
    if (folder->lock < 0)
        return false;
    (void)flock(folder->lock, LOCK_EX);
    if (!fstat(folder->lock, &found) && found.st_nlink)
        return true;
    close(folder->lock);
    return false;
}

crawl_err cw_render_folder_make(cw_render_folder *folder, crawl_error *error)
{
    enum { TRIES = 10 };
    const char *below = folder_below();
    folder_remove_left(below);
    for (int i = 0; i < TRIES; i++) {
        int size = snprintf(folder->path, sizeof folder->path, "%s/" FOLDER_PREFIX "XXXXXX", below);
        bool is_too_long = size < 0 || (size_t)size >= sizeof folder->path;
        if (is_too_long)
            errno = ENAMETOOLONG;
        if (is_too_long || !mkdtemp(folder->path))
            break;
        if (folder_lock(folder))
            return CRAWL_OK;
    }
    folder->path[0] = '\0';
    return cw_error_of_file(error, below);
}

void cw_render_folder_remove(cw_render_folder *folder)
{
    if (!folder->path[0])
        return;
    cw_remove_folder(folder->path);
    folder->path[0] = '\0';
    close(folder->lock);
}

#include "base/files/same_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool same_file_is(const struct stat *found, const struct stat *other)
{
    return found->st_dev == other->st_dev && found->st_ino == other->st_ino;
}

/* Returns the name in the folder, whose status is stored. NULL: there is no such folder. */
static const char *same_file_split(const char *path, struct stat *status)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    int size = slash ? snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path)
                     : snprintf(folder, sizeof folder, ".");
    if (size < 0 || (size_t)size >= sizeof folder || stat(folder, status))
        return NULL;
    return slash ? slash + 1 : path;
}

bool cw_same_file(const char *path, const char *other)
{
    struct stat found, of_other;
    if (strcmp(path, other) == 0)
        return true;
    bool is_there = stat(path, &found) == 0;
    if (is_there != (stat(other, &of_other) == 0))
        return false;
    if (is_there)
        return S_ISREG(found.st_mode) && same_file_is(&found, &of_other);
    const char *name = same_file_split(path, &found);
    const char *other_name = name ? same_file_split(other, &of_other) : NULL;
    return other_name && strcmp(name, other_name) == 0 && same_file_is(&found, &of_other);
}

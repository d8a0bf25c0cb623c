#include "base/files/executable_path.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

int cw_executable_path(const char *tool, crawl_buf *path)
{
    char own[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", own, sizeof own);
    if (size < 0 || size == sizeof own)
        return size < 0 ? errno : ENAMETOOLONG;
    while (size > 0 && own[size - 1] != '/')
        size--;
    return crawl_buf_printf(path, "%.*s" CW_EXECUTABLES "/crawl-%s", (int)size, own, tool) ? ENOMEM : 0;
}

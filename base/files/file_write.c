#include "base/files/file_write.h"

#include "base/bytes.h"

#include <errno.h>
#include <unistd.h>

crawl_slice cw_write_all(int file, crawl_slice bytes)
{
    while (bytes.size) {
        ssize_t written = write(file, bytes.data, bytes.size);
        if (written == 0)
            errno = EIO;
        if (written == 0 || (written < 0 && errno != EINTR))
            break;
        if (written > 0)
            bytes = cw_drop(bytes, (size_t)written);
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

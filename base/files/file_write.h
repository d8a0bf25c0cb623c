/* Writes to a descriptor, by as many calls of the system as that takes. */
#ifndef CW_WRITE_H
#define CW_WRITE_H

#include <crawl/base.h>

/* Returns the bytes that could not be written, the end of `bytes`. Size 0: all were; otherwise errno says why. */
crawl_slice cw_write_all(int file, crawl_slice bytes);

/* Writes all bytes into a file that was opened for them, and closes it. file negative: opening failed. Returns 0, or
 * the errno of what failed; a full disk may show only when the file is closed. */
int cw_write_whole(int file, crawl_slice bytes);

#endif

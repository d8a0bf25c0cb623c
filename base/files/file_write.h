/* Writes to a descriptor, by as many calls of the system as that takes. */
#ifndef CW_WRITE_H
#define CW_WRITE_H

#include <crawl/base.h>

/* Returns the bytes that could not be written, the end of `bytes`. Size 0: all were; otherwise errno says why. */
crawl_slice cw_write_all(int file, crawl_slice bytes);

#endif

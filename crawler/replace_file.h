/* Files that are replaced as a whole or not at all. */
#ifndef CW_REPLACE_FILE_H
#define CW_REPLACE_FILE_H

#include <crawl/base.h>

#include <sys/types.h>

/* Puts text into the file of this path by way of PATH.new; mode: of a new file, less the umask. CRAWL_EIO: error names the path and the
 * file is as it was. CRAWL_ENOMEM. */
crawl_err cw_file_replace(const char *path, crawl_slice text, mode_t mode, crawl_error *error);

#endif

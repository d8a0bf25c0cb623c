/* Errors that have no more to say than their code or the system does. */
#ifndef CW_ERROR_H
#define CW_ERROR_H

#include <crawl/base.h>

/* "out of memory" and the like: crawl_strerror's words. Returns err. */
crawl_err cw_error(crawl_error *error, crawl_err err);

/* "PATH: No such file or directory" and the like, by errno. CRAWL_EIO. */
crawl_err cw_error_of_file(crawl_error *error, const char *path);

#endif

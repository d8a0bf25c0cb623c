/* Fills crawl_error for errors whose message is that of their code, or of the system's errno. */
#pragma once

#include <crawl/base.h>

/* Fills error with crawl_strerror's words, such as "out of memory". Returns err. */
crawl_err cw_error(crawl_error *error, crawl_err err);

/* Fills error by errno, such as "PATH: No such file or directory". Returns CRAWL_EIO. */
crawl_err cw_error_of_file(crawl_error *error, const char *path);

/* Messages about an option of a command line, to follow its name. */
#define CW_NEEDS_VALUE "needs a value"
#define CW_TAKES_NO_VALUE "takes no value"

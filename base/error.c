/* The names of the error codes, and the functions that fill a crawl_error. See <crawl/base.h> and error.h. */
#include "base/error.h"

#include <errno.h>
#include <stdio.h>

static const char *const names[CRAWL_ERR_COUNT] = {
    [CRAWL_OK] = "ok",
    [CRAWL_EXISTS] = "exists",
    [CRAWL_ABSENT] = "absent",
    [CRAWL_AGAIN] = "not now",
    [CRAWL_DRAINED] = "drained",
    [CRAWL_FULL] = "full",
    [CRAWL_REFUSED] = "refused",
    [CRAWL_EINVAL] = "invalid argument",
    [CRAWL_ENOMEM] = "out of memory",
    [CRAWL_EPARSE] = "cannot be parsed",
    [CRAWL_EIO] = "input/output error",
    [CRAWL_ENET] = "network error",
    [CRAWL_ECORRUPT] = "corrupt file",
    [CRAWL_ESTATE] = "wrong state",
};

const char *crawl_strerror(crawl_err err)
{
    return (unsigned)err < CRAWL_ERR_COUNT ? names[err] : "unknown error";
}

const char *crawl_version(void)
{
    return CW_VERSION;
}

crawl_err crawl_error_set(crawl_error *error, crawl_err code, const char *format, ...)
{
    if (!error)
        return code;
    error->code = code;
    error->line = 0;
    error->column = 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return code;
}

crawl_err cw_error(crawl_error *error, crawl_err err)
{
    return crawl_error_set(error, err, "%s", crawl_strerror(err));
}

crawl_err cw_error_of_file(crawl_error *error, const char *path)
{
    return crawl_error_set(error, CRAWL_EIO, "%s: %s", path, strerror(errno));
}

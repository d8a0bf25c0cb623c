#include "crawler/program/output/spool.h"

#include "base/bytes.h"
#include "base/error.h"
#include "config/config_values.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static crawl_err open_nameless(cw_spool *spool, const char *beside, crawl_error *error)
{
    crawl_buf name = {0};
    if (crawl_buf_printf(&name, "%s.XXXXXX", beside))
        return cw_error(error, CRAWL_ENOMEM);
    spool->file = mkostemp(name.data, O_CLOEXEC);
    crawl_err err = spool->file < 0 ? cw_error_of_file(error, beside) : CRAWL_OK;
    if (!err)
        unlink(name.data);
    crawl_buf_free(&name);
    if (!err && crawl_buf_printf(&spool->path, "/proc/self/fd/%d", spool->file))
        err = cw_error(error, CRAWL_ENOMEM);
    return err;
}

crawl_err cw_spool_open(cw_spool *spool, const crawl_config *config, const char *name, const char *beside, bool resumed,
                        crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    if (!config->state)
        err = open_nameless(spool, beside, error);
    else if (crawl_buf_printf(&spool->path, "%s/%s", config->state, name))
        err = cw_error(error, CRAWL_ENOMEM);
    return err ? err : crawl_lines_open(spool->path.data, resumed ? CRAWL_LINES_APPEND : 0, NULL, &spool->lines, error);
}

crawl_err cw_spool_close(cw_spool *spool, crawl_error *error)
{
    crawl_error own = {0};
    crawl_err err = crawl_lines_close(spool->lines, &own);
    bool is_unnamed = spool->file >= 0 && cw_starts_with(crawl_slice_from(own.message), spool->path.data);
    spool->lines = NULL;
    if (err) /* nobody knows the path of an unnamed file */
        crawl_error_set(error, err, "%s%s", is_unnamed ? "lines kept beside it" : "",
                        own.message + (is_unnamed ? spool->path.size : 0));
    return err;
}

void cw_spool_free(cw_spool *spool)
{
    crawl_lines_close(spool->lines, NULL);
    crawl_buf_free(&spool->path);
    if (spool->file >= 0)
        close(spool->file);
}

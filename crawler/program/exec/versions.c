#include "crawler/program/exec/versions.h"

#include "base/error.h"
#include "base/files/file_read.h"
#include "base/files/replace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { AHEAD = 10000 }; /* so many are reserved at once: the file is written every ten seconds at most */

static crawl_err versions_read(cw_exec_versions *versions, crawl_error *error)
{
    enum { SIZE_MAX_BYTES = 64 };
    crawl_buf text = {0};
    char *end = NULL;
    if (access(versions->path.data, F_OK))
        return CRAWL_OK;
    crawl_err err = cw_read_file(versions->path.data, SIZE_MAX_BYTES, &text, error);
    if (!err)
        versions->last = strtoll(text.size ? text.data : "", &end, 10);
    bool is_number = end && *end == '\n' && versions->last > 0 && versions->last < INT64_MAX / 2;
    crawl_buf_free(&text);
    if (err == CRAWL_FULL || (!err && !is_number))
        return crawl_error_set(error, CRAWL_ECORRUPT,
                               "%s: damaged: expected a number, greater than all versions that were given so far",
                               versions->path.data);
    return err;
}

crawl_err cw_exec_versions_open(const char *state, cw_exec_versions *out, crawl_error *error)
{
    *out = (cw_exec_versions){0};
    if (!state)
        return CRAWL_OK;
    if (crawl_buf_printf(&out->path, "%s/exec.version", state))
        return cw_error(error, CRAWL_ENOMEM);
    return versions_read(out, error);
}

void cw_exec_versions_free(cw_exec_versions *versions)
{
    crawl_buf_free(&versions->path);
}

crawl_err cw_exec_versions_next(cw_exec_versions *versions, int64_t now_ms, int64_t *out, crawl_error *error)
{
    int64_t next = now_ms > versions->last ? now_ms : versions->last + 1;
    if (versions->path.size && next >= versions->end) {
        char text[32];
        snprintf(text, sizeof text, "%" PRId64 "\n", next + AHEAD);
        crawl_err err = cw_replace_file(versions->path.data, crawl_slice_from(text), 0666, error);
        if (err)
            return err;
        versions->end = next + AHEAD;
    }
    *out = versions->last = next;
    return CRAWL_OK;
}

#include "crawler/program/commands/seen/import.h"

#include "base/error.h"
#include "crawler/program/stop_file.h"

#include <crawl/fingerprint.h>
#include <stdio.h>

/* Lines between two looks at whether to stop. */
enum { A_LOOK = 65536 };

typedef struct import {
    crawl_bloom *filter;
    int stop;
    cw_seen_imported counts;
} import;

static crawl_err import_take(void *user, const crawl_fingerprint *fingerprint)
{
    import *in = user;
    if (in->counts.read % A_LOOK == 0 && cw_program_stop_told(in->stop))
        return CRAWL_DRAINED;
    crawl_err err = crawl_bloom_add(in->filter, fingerprint->bytes, sizeof fingerprint->bytes, NULL);
    if (err && err != CRAWL_EXISTS)
        return err;
    in->counts.read++;
    in->counts.fresh += !err;
    return CRAWL_OK;
}

crawl_err cw_seen_import(const char *path, crawl_bloom *filter, int stop, cw_seen_imported *counts, crawl_error *error)
{
import in = {.filter = filter, .stop = stop };
    FILE *file = fopen(path, "re");
    if (!file)
        return cw_error_of_file(error, path);
    crawl_err err = crawl_fingerprint_import(file, path, import_take, &in, NULL, error);
    if (err == CRAWL_DRAINED)
        crawl_error_set(error, err, "%s: stopped before its end", path);
    fclose(file);
    *counts = in.counts;
    return err;
}

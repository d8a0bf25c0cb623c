#include "tools/audit/practices/practices.h"

#include "base/clock.h"
#include "tools/audit/practices/practice.h"
#include "tools/audit/practices/practice_log.h"
#include "tools/common/io.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <stdlib.h>

static const char practices_tool[] = "audit";

struct cw_practices {
    cw_practices_options options;
    cw_practice_findings findings;
    cw_practice_log *log;
};

static int practices_read_ranges(cw_practices *practices)
{
    enum { LONGEST = 4 << 20 }; /* the lists of large clouds have half a MiB */
    crawl_buf text = {0};
    const cw_practices_options *options = &practices->options;
    crawl_err err = cw_tool_read(practices_tool, options->ranges, LONGEST, &text);
    int status = err ? CW_EXIT_LOCAL : CW_EXIT_OK;
    if (err == CRAWL_FULL)
        cw_tool_say(practices_tool, "%s: longer than 4 MiB", options->ranges);
    if (!err)
        err = cw_practice_ranges_check(crawl_buf_slice(&text), options->address, cw_wall_ms() / 1000,
                                       &practices->findings);
    if (!status && err == CRAWL_EINVAL) {
        cw_tool_say(practices_tool, "--address %s: expected an IP address", options->address);
        status = CW_EXIT_USAGE;
    }
    crawl_buf_free(&text);
    return status;
}

int cw_practices_create(const cw_practices_options *options, cw_practices **out)
{
    cw_practices *practices = cw_tool_memory_granted(calloc(1, sizeof *practices));
    practices->options = *options;
    practices->log = cw_tool_memory_granted(cw_practice_log_create(&practices->findings));
    int status = options->ranges ? practices_read_ranges(practices) : CW_EXIT_OK;
    if (status)
        cw_practices_free(practices);
    else
        *out = practices;
    return status;
}

void cw_practices_free(cw_practices *practices)
{
    if (!practices)
        return;
    cw_practice_log_free(practices->log);
    free(practices);
}

crawl_err cw_practices_row(cw_practices *practices, cw_audit_event event, const json_t *row, uint64_t line)
{
    return cw_practice_log_row(practices->log, event, row, line);
}

void cw_practices_violation(cw_practices *practices, const cw_audit_violation *violation)
{
    cw_practice_log_violation(practices->log, violation);
}

int cw_practices_end(cw_practices *practices)
{
    const char *records = practices->options.records;
    int status =
        records ? cw_practice_records_read(practices_tool, records, &practices->findings, practices->log) : CW_EXIT_OK;
    if (!status)
        cw_practice_log_end(practices->log);
    return status;
}

int cw_practices_print(const cw_practices *practices, bool jsonl)
{
    cw_practice_print(&practices->findings, jsonl);
    return cw_practice_broken(&practices->findings) ? CW_EXIT_NOTHING : CW_EXIT_OK;
}

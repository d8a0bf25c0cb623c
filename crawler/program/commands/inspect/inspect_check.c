/* `crawl inspect --check`: what does not hold, a line each. */
#include "crawler/program/commands/inspect/inspect.h"
#include "tools/common/resume.h"
#include "tools/common/status.h"

#include <inttypes.h>

void cw_inspect_print_violation(const char *violation, void *user)
{
    const cw_inspect *inspect = user;
    if (inspect->jsonl)
        cw_inspect_print(json_pack("{s:o}", "violation", cw_tool_json_text(crawl_slice_from(violation))));
    else
        puts(violation);
}

crawl_err cw_inspect_print_violations(cw_inspect *inspect, const char *where, uint64_t violations)
{
    inspect->status = violations ? CW_EXIT_NOTHING : CW_EXIT_OK;
    if (inspect->jsonl)
        return cw_inspect_print(json_pack("{s:I}", "violations", (json_int_t)violations));
    return printf("%s: %" PRIu64 " violation%s\n", where, violations, violations == 1 ? "" : "s") < 0 ? CRAWL_EIO
                                                                                                      : CRAWL_OK;
}

crawl_err cw_inspect_check(cw_inspect *inspect, crawl_error *error)
{
    uint64_t violations = 0;
    crawl_error why = {0};
    crawl_err err = crawl_frontier_view_check(inspect->view, cw_inspect_print_violation, inspect, &violations, error);
    if (err)
        return err;
    if (!cw_tool_resume_check(inspect->directory, &why)) {
        cw_inspect_print_violation(why.message, inspect);
        violations++;
    }
    return cw_inspect_print_violations(inspect, inspect->directory, violations);
}

#include "crawler/program/exec/operation.h"

#include "base/bytes.h"
#include "crawler/program/output/canonical_page.h"

#include <crawl/wall.h>

static bool operation_says_nothing(const crawl_record *record, bool is_soft_404)
{
    bool is_asked_in_full = cw_is(record->method, "GET") || cw_is(record->method, "POST");
    return record->external || record->requisite || !record->status || (record->verdict && !is_soft_404) ||
           !is_asked_in_full;
}

static bool operation_is_delete(const crawl_record *record)
{
    int status = record->status;
    bool leads_on = record->redirect.size && !crawl_slice_equal(record->redirect, record->url);
    return status == 404 || status == 410 || ((status == 301 || status == 308) && leads_on) ||
           (status / 100 == 2 && !record->error &&
            (record->robots & CRAWL_ROBOTS_NOINDEX || record->withheld || !cw_outputs_is_canonical(record)));
}

const char *cw_exec_operation(const crawl_record *record)
{
    bool is_soft_404 = record->verdict && strcmp(record->verdict, crawl_verdict_name(CRAWL_VERDICT_SOFT_404)) == 0;
    if (operation_says_nothing(record, is_soft_404))
        return "keep";
    if (is_soft_404 || operation_is_delete(record))
        return "delete";
    return record->status / 100 == 2 && !record->error && record->change != CRAWL_CHANGE_NO ? "index" : "keep";
}

/* What all engines share: what an answer means as a whole, and how a document is written. */
#include "tools/index/engines.h"

#include <inttypes.h>
#include <stdio.h>

cw_index_outcome cw_index_judge_answer(cw_index_target *target, const cw_index_answer *answer)
{
    enum { SAID_MAX = 200 };
    int status = answer->status;
    size_t said = answer->body.size < SAID_MAX ? answer->body.size : SAID_MAX;
    target->retry_s = answer->retry_s;
    if (status / 100 == 2)
        return CW_INDEX_JUDGED;
    if (!status)
        snprintf(target->words, sizeof target->words, "%s", answer->words);
    else
        snprintf(target->words, sizeof target->words, "status %d: %.*s", status, (int)said,
                 said ? answer->body.data : "");
    if (!status || status == 408 || status == 429 || status >= 500)
        return CW_INDEX_AGAIN;
    return status == 413 || status == 400 || status == 422 ? CW_INDEX_HALVE : CW_INDEX_FAILED;
}

void cw_index_refuse(cw_index_item *item, const char *reason)
{
    item->fate = CW_INDEX_REFUSED;
    snprintf(item->reason, sizeof item->reason, "%s", reason ? reason : "");
}

crawl_err cw_index_put_document(const cw_index_item *item, crawl_buf *out)
{
    crawl_err err = crawl_buf_printf(out, "{\"id\":\"%.*s\",\"crawl_version\":%" PRId64 ",", (int)item->id.size,
                                     item->id.data, item->version);
    if (!err)
        err = crawl_buf_append(out, item->record.data + 1, item->record.size - 1);
    return err ? err : crawl_buf_append_char(out, '\n');
}

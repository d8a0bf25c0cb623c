#include "crawler/program/output/at_end.h"

#include "crawler/program/summary/report.h"
#include "tools/common/messages/message.h"
#include "tools/common/signals.h"
#include "tools/common/status.h"

/* Prints a line of what was made, and empties it. */
static void at_end_say(crawl_buf *line)
{
    cw_message_lines(CW_MESSAGE_INFO, line->size ? line->data : NULL);
    crawl_buf_clear(line);
}

static int at_end_make_wacz(cw_outputs *outputs, crawl_buf *line)
{
    return outputs->config->program.wacz ? cw_site_wacz_make(outputs->config, line) : CW_EXIT_OK;
}

static int at_end_make_site_map(cw_outputs *outputs, crawl_buf *line)
{
    return outputs->site_map ? cw_site_map_make(outputs->site_map, line) : CW_EXIT_OK;
}

static int at_end_make_report(cw_outputs *outputs, crawl_end end, crawl_buf *line)
{
    const char *ended_by = end == CRAWL_END_DRAINED ? NULL : cw_report_end(end);
    return outputs->report ? cw_site_report_make(outputs->report, ended_by, line) : CW_EXIT_OK;
}

int cw_outputs_at_end(cw_outputs *outputs, const crawl_engine_stats *stats, int status)
{
    enum { WACZ, SITE_MAP, REPORT, STEPS };
    crawl_buf line = {0};
    for (int step = 0; step < STEPS && status != CW_EXIT_LOCAL; step++) {
        int failed = step == WACZ       ? at_end_make_wacz(outputs, &line)
                     : step == SITE_MAP ? at_end_make_site_map(outputs, &line)
                                        : at_end_make_report(outputs, stats->end, &line);
        at_end_say(&line);
        status = failed ? failed : status;
    }
    int failed = outputs->upload ? cw_site_upload_finish(outputs->upload, &line) : CW_EXIT_OK;
    at_end_say(&line);
    status = failed ? failed : status;
    if (outputs->webhooks)
        cw_webhooks_finish(outputs->webhooks, stats, status, cw_tool_signals_event(), &line);
    at_end_say(&line);
    crawl_buf_free(&line);
    return status;
}

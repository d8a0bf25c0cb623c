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

static int at_end_make_wacz(const cw_outputs *outputs, const crawl_engine_stats *stats, crawl_buf *line)
{
    (void)stats;
    return outputs->config->program.wacz ? cw_site_wacz_make(outputs->config, line) : CW_EXIT_OK;
}

static int at_end_make_site_map(const cw_outputs *outputs, const crawl_engine_stats *stats, crawl_buf *line)
{
    (void)stats;
    return outputs->site_map ? cw_site_map_make(outputs->site_map, line) : CW_EXIT_OK;
}

static int at_end_make_report(const cw_outputs *outputs, const crawl_engine_stats *stats, crawl_buf *line)
{
    const char *ended_by = stats->end == CRAWL_END_DRAINED ? NULL : cw_report_end(stats->end);
    return outputs->report ? cw_site_report_make(outputs->report, ended_by, line) : CW_EXIT_OK;
}

int cw_outputs_at_end(cw_outputs *outputs, const crawl_engine_stats *stats, int status)
{
    static int (*const makers[])(const cw_outputs *, const crawl_engine_stats *,
                                 crawl_buf *) = {at_end_make_wacz, at_end_make_site_map, at_end_make_report};
    crawl_buf line = {0};
    for (size_t i = 0; i < sizeof makers / sizeof *makers && status != CW_EXIT_LOCAL; i++) {
        int failed = makers[i](outputs, stats, &line);
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

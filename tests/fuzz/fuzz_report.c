/* Any bytes as the files that `crawl report` reads, with records, links and requests in any order. The rows of all
 * tables are read in both forms. */
#include "base/bytes.h"
#include "tools/report/survey/survey_settle.h"
#include "tools/report/tables/tables.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_row(void *user, const cw_survey_cell *cells)
{
    size_t *bytes = user;
    *bytes += cells[0].text.size + cells[0].item_count;
}

static void ask_all(cw_survey_report *report)
{
    size_t bytes = 0;
    for (const cw_survey_table *table = cw_survey_tables; table->id; table++)
        for (int is_flat = 0; is_flat < 2 && !cw_survey_unknown(table, report); is_flat++)
            if (cw_survey_rows(table, report, &(cw_survey_out){.is_flat = is_flat, .row = read_row, .user = &bytes}))
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crawl_slice lines = crawl_slice_of(data, size);
    cw_survey_report report = {.survey = cw_survey_create(NULL), .slow_ms = 100, .large_bytes = 100, .deep = 2};
    while (report.survey && lines.size)
        (void)cw_results_line(report.survey->results, cw_cut_line(&lines), NULL);
    if (report.survey && !cw_results_settle(report.survey->results, NULL) && !cw_survey_settle_records(report.survey)) {
        report.survey->has_links = report.survey->has_near = report.survey->has_sitemap_file = true;
        if (!cw_survey_settle_links(report.survey, NULL))
            ask_all(&report);
    }
    cw_survey_free(report.survey);
    return 0;
}

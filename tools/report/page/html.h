/* Writes the pieces of a report's page: tables, bars, the treemap, and numbers and addresses in a readable form. */
#pragma once

#include "base/writer.h"
#include "tools/report/tables/tables.h"

/* Maximum number of rows and of bytes of a table in the page. Broken links and the list of all pages have larger
 * limits. So a page stays below 4 MiB, however long the names of its pages. */
#define CW_SURVEY_HTML_ROWS 100u
#define CW_SURVEY_HTML_BYTES ((size_t)90 << 10)
#define CW_SURVEY_HTML_ROWS_LARGE 500u
#define CW_SURVEY_HTML_BYTES_LARGE ((size_t)400 << 10)

/* Writes a table with its rows, and how much of it was omitted. CRAWL_ENOMEM. */
crawl_err cw_survey_html_table(cw_writer *out, const cw_survey_report *report, const cw_survey_table *table);

/* Writes a table of two columns, a name and a number, as bars. Screen readers skip them, since the table below says the
 * same. CRAWL_ENOMEM. */
crawl_err cw_survey_html_bars(cw_writer *out, const cw_survey_report *report, const cw_survey_table *table);

/* Writes the folders as a treemap, once for wide screens and once for narrow ones. CRAWL_ENOMEM. */
crawl_err cw_survey_html_treemap(cw_writer *out, const cw_survey_report *report);

/* "12,345"; "1.2 MiB"; "1.2 s". */
typedef struct cw_survey_amount {
    char text[40];
} cw_survey_amount;
cw_survey_amount cw_survey_count_text(uint64_t count);
cw_survey_amount cw_survey_bytes_text(uint64_t bytes);
cw_survey_amount cw_survey_ms_text(uint64_t ms);

/* Returns what a noun ends with. */
static inline const char *cw_survey_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

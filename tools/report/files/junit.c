#include "tools/report/files/junit.h"

#include "base/text/escape_forms.h"
#include "tools/report/files/report_file.h"

#include <inttypes.h>

typedef struct junit {
    cw_survey_file file;
    const cw_survey_table *table;
    crawl_buf group; /* what the rows have in common */
} junit;

static void junit_start_group(void *user, crawl_slice title, uint64_t rows)
{
    junit *j = user;
    (void)rows;
    crawl_buf_clear(&j->group);
    crawl_err err = crawl_buf_append(&j->group, title.data, title.size);
    j->file.to.err = j->file.to.err ? j->file.to.err : err;
}

static void junit_put_value(cw_writer *out, const cw_survey_cell *cell)
{
    if (cell->kind == CW_CELL_TEXT || cell->kind == CW_CELL_URL)
        cw_escape_html(out, cell->text);
    else if (cell->kind != CW_CELL_LIST)
        cw_put_format(out, "%" PRIu64, cell->number);
    for (size_t i = 0; cell->kind == CW_CELL_LIST && i < cell->item_count; i++) {
        cw_put_format(out, "\n  ");
        junit_put_value(out, &cell->items[i]);
        cw_put_format(out, cell->items[i].note.size ? " " : "");
        cw_escape_html(out, cell->items[i].note);
    }
}

/* The name of a row: its first cell, or the first of that cell's list. */
static crawl_slice junit_name_of(const cw_survey_cell *cell)
{
    return cell->kind != CW_CELL_LIST ? cell->text : cell->item_count ? cell->items[0].text : (crawl_slice){0};
}

static void junit_put_row(void *user, const cw_survey_cell *cells)
{
    junit *j = user;
    cw_writer *out = &j->file.to;
    crawl_slice message = j->group.size ? crawl_buf_slice(&j->group) : crawl_slice_from(j->table->title);
    cw_put_format(out, "<testcase classname=\"%s\" name=\"", j->table->id);
    cw_escape_html(out, junit_name_of(cells));
    cw_put_format(out, "\"><failure message=\"");
    cw_escape_html(out, message);
    cw_put_format(out, "\">");
    for (size_t i = 0; j->table->columns[i].name; i++) {
        if (cells[i].is_none)
            continue;
        cw_put_format(out, "%s: ", j->table->columns[i].name);
        junit_put_value(out, &cells[i]);
        cw_put_format(out, "\n");
    }
    cw_put_format(out, "</failure></testcase>\n");
    cw_survey_file_row(&j->file);
}

static crawl_err put_suite(junit *j, const cw_survey_report *report, const cw_survey_table *table)
{
    cw_writer *out = &j->file.to;
    const char *unknown = cw_survey_unknown(table, report);
    const cw_survey_out rows = {.group = junit_start_group, .row = junit_put_row, .user = j};
    crawl_err err = CRAWL_OK;
    uint64_t count = cw_survey_count_of(table, report);
    j->table = table;
    crawl_buf_clear(&j->group);
    cw_put_format(out, "<testsuite name=\"%s\" tests=\"%" PRIu64 "\" failures=\"%" PRIu64 "\" skipped=\"%d\">\n",
                  table->id, count ? count : 1, count, unknown != NULL);
    if (unknown)
        cw_put_format(out, "<testcase classname=\"%s\" name=\"%s\"><skipped message=\"%s\"/></testcase>\n", table->id,
                      table->title, unknown);
    else if (!count)
        cw_put_format(out, "<testcase classname=\"%s\" name=\"%s: none\"/>\n", table->id, table->title);
    else
        err = cw_survey_rows(table, report, &rows);
    cw_put_format(out, "</testsuite>\n");
    return err;
}

crawl_err cw_survey_write_junit(const cw_survey_report *report, const cw_survey_table *const *chosen, const char *path,
                                crawl_error *error)
{
    junit j = {0};
    crawl_err err = cw_survey_file_begin(&j.file, path, error);
    if (err)
        return err;
    cw_put_format(&j.file.to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"crawl report\">\n");
    for (; *chosen && !err; chosen++)
        err = put_suite(&j, report, *chosen);
    cw_put_format(&j.file.to, "</testsuites>\n");
    crawl_buf_free(&j.group);
    return cw_survey_file_end(&j.file, err);
}

#include "tools/report/files/report_csv.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/text/escape.h"
#include "base/text/escape_forms.h"
#include "tools/report/files/report_file.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

/* How rows are written: as CSV, or for a terminal and for tools that cut lines at tabs. */
typedef struct row_form {
    char separator;
    const char *end;
    void (*put_text)(cw_writer *out, crawl_slice text);
} row_form;

static void report_csv_put_escaped(cw_writer *out, crawl_slice text)
{
    if (!out->err)
        out->err = cw_escape(text, out->out);
}

static const row_form csv_form = {.separator = ',', .end = "\r\n", .put_text = cw_escape_csv};
static const row_form plain_form = {.separator = '\t', .end = "\n", .put_text = report_csv_put_escaped};

typedef struct csv {
    cw_survey_file file;
    const row_form *form;
    size_t columns;
} csv;

/* Writes a column's name, such as "Found on" as "found_on", with its unit after it. */
static void report_csv_put_name(cw_writer *out, const cw_survey_column *column)
{
    static const char *const units[] = {[CW_CELL_BYTES] = "_bytes", [CW_CELL_MS] = "_ms"};
    for (const char *c = column->name; *c; c++)
        cw_put_format(out, "%c", *c == ' ' ? '_' : cw_lower((unsigned char)*c));
    if (column->kind == CW_CELL_BYTES || column->kind == CW_CELL_MS)
        cw_put_format(out, "%s", units[column->kind]);
}

static void report_csv_put_cell(csv *c, const cw_survey_cell *cell)
{
    if (cell->is_none)
        return;
    if (cell->kind == CW_CELL_TEXT || cell->kind == CW_CELL_URL)
        c->form->put_text(&c->file.to, cell->text);
    else
        cw_put_format(&c->file.to, "%" PRIu64, cell->number);
}

static void put_separator(csv *c, size_t column)
{
    if (column)
        cw_put_char(&c->file.to, c->form->separator);
}

static void report_csv_put_row(void *user, const cw_survey_cell *cells)
{
    csv *c = user;
    for (size_t i = 0; i < c->columns; i++) {
        put_separator(c, i);
        report_csv_put_cell(c, &cells[i]);
    }
    cw_put_text(&c->file.to, c->form->end);
    cw_survey_file_row(&c->file);
}

static void report_csv_put_head(csv *c, const cw_survey_column *columns)
{
    for (; columns[c->columns].name; c->columns++) {
        put_separator(c, c->columns);
        report_csv_put_name(&c->file.to, &columns[c->columns]);
    }
    cw_put_text(&c->file.to, c->form->end);
}

static crawl_err report_csv_write_table(const cw_survey_report *report, const cw_survey_table *table,
                                        const row_form *form, const char *path, crawl_error *error)
{
    csv c = {.form = form};
    const cw_survey_out out = {.is_flat = true, .row = report_csv_put_row, .user = &c};
    crawl_err err = cw_survey_file_begin(&c.file, path, error);
    if (err)
        return err;
    report_csv_put_head(&c, table->flat[0].name ? table->flat : table->columns);
    return cw_survey_file_end(&c.file, cw_survey_rows(table, report, &out));
}

crawl_err cw_survey_write_csv(const cw_survey_report *report, const char *folder, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_err err = CRAWL_OK;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return cw_error_of_file(error, folder);
    for (const cw_survey_table *table = cw_survey_tables; table->id && !err; table++) {
        crawl_buf_clear(&path);
        err = crawl_buf_printf(&path, "%s/%s.csv", folder, table->id);
        if (!err && cw_survey_unknown(table, report))
            unlink(path.data); /* of a report before, which would be taken for this one's */
        else if (!err)
            err = report_csv_write_table(report, table, &csv_form, path.data, error);
    }
    crawl_buf_free(&path);
    return err;
}

crawl_err cw_survey_print(const cw_survey_report *report, const cw_survey_table *table, crawl_error *error)
{
    return report_csv_write_table(report, table, &plain_form, "-", error);
}

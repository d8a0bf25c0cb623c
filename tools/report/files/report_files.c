#include "tools/report/files/report_files.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/text/escape.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

crawl_err cw_survey_file_begin(cw_survey_file *file, const char *path, crawl_error *error)
{
    *file = (cw_survey_file){.to.out = &file->text, .is_stdout = strcmp(path, "-") == 0, .error = error};
    return file->is_stdout ? CRAWL_OK : cw_replace_begin(&file->replace, path, 0666, error);
}

static void report_file_flush(cw_survey_file *file)
{
    crawl_slice text = crawl_buf_slice(&file->text);
    if (file->to.err)
        return;
    if (file->is_stdout)
        fwrite(text.data, 1, text.size, stdout); /* main() reports its failure */
    else
        file->to.err = cw_replace_write(&file->replace, text.data, text.size, file->offset, file->error);
    file->offset += text.size;
    crawl_buf_clear(&file->text);
}

/* Writes the buffered text if there is much of it. Call after each row. Failures show at the end. */
static void report_files_end_row(cw_survey_file *file)
{
    enum { MUCH = 256 * 1024 };
    if (file->text.size >= MUCH)
        report_file_flush(file);
}

crawl_err cw_survey_file_end(cw_survey_file *file, crawl_err err)
{
    if (!err && file->text.size)
        report_file_flush(file);
    if (!err)
        err = file->to.err;
    crawl_buf_free(&file->text);
    return file->is_stdout ? err : cw_replace_end(&file->replace, err, file->error);
}

/* ---- CSV, and lines for a terminal ---- */

/* The form of rows: CSV, or tab-separated lines for terminals and tools. */
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

/* Writes a column's name with its unit: "Found on" as "found_on". */
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
    report_files_end_row(&c->file);
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
            unlink(path.data); /* a previous report may have left it */
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

/* ---- JUnit ---- */

typedef struct junit {
    cw_survey_file file;
    const cw_survey_table *table;
    crawl_buf group; /* the title of the rows' group */
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

/* Returns the name of a row: its first cell, or the first item if that cell is a list. */
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
    report_files_end_row(&j->file);
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

/* See csv.h. */
#include "crawler/program/tools/report/files/csv.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/text/escape_forms.h"
#include "crawler/program/tools/report/files/file.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

typedef struct csv {
    cw_survey_file file;
    size_t columns;
} csv;

/* Writes a column's name, such as "Found on" as "found_on", with its unit after it. */
static void put_name(cw_writer *out, const cw_survey_column *column)
{
    static const char *const units[] = {[CW_CELL_BYTES] = "_bytes", [CW_CELL_MS] = "_ms"};
    for (const char *c = column->name; *c; c++)
        cw_put_format(out, "%c", *c == ' ' ? '_' : cw_lower((unsigned char)*c));
    if (column->kind == CW_CELL_BYTES || column->kind == CW_CELL_MS)
        cw_put_format(out, "%s", units[column->kind]);
}

static void put_cell(cw_writer *out, const cw_survey_cell *cell)
{
    if (cell->is_none)
        return;
    if (cell->kind == CW_CELL_TEXT || cell->kind == CW_CELL_URL)
        cw_escape_csv(out, cell->text);
    else
        cw_put_format(out, "%" PRIu64, cell->number);
}

static void put_row(void *user, const cw_survey_cell *cells)
{
    csv *c = user;
    for (size_t i = 0; i < c->columns; i++) {
        cw_put_format(&c->file.to, "%s", i ? "," : "");
        put_cell(&c->file.to, &cells[i]);
    }
    cw_put_format(&c->file.to, "\r\n");
    cw_survey_file_row(&c->file);
}

static void put_head(csv *c, const cw_survey_column *columns)
{
    for (; columns[c->columns].name; c->columns++) {
        cw_put_format(&c->file.to, "%s", c->columns ? "," : "");
        put_name(&c->file.to, &columns[c->columns]);
    }
    cw_put_format(&c->file.to, "\r\n");
}

static crawl_err write_table(const cw_survey_report *report, const cw_survey_table *table, const char *path,
                             crawl_error *error)
{
    csv c = {0};
    const cw_survey_out out = {.is_flat = true, .row = put_row, .user = &c};
    crawl_err err = cw_survey_file_begin(&c.file, path, error);
    if (err)
        return err;
    put_head(&c, table->flat[0].name ? table->flat : table->columns);
    return cw_survey_file_end(&c.file, cw_survey_rows(table, report, &out));
}

crawl_err cw_survey_write_csv(const cw_survey_report *report, const char *folder, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_err err = CRAWL_OK;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return cw_error_of_file(error, folder);
    for (const cw_survey_table *table = cw_survey_tables; table->id && !err; table++) {
        if (cw_survey_unknown(table, report))
            continue;
        crawl_buf_clear(&path);
        err = crawl_buf_printf(&path, "%s/%s.csv", folder, table->id);
        if (!err)
            err = write_table(report, table, path.data, error);
    }
    crawl_buf_free(&path);
    return err;
}

/* See tables.h: the list of all tables. Each row of a table's query becomes cells. */
#include "tools/report/tables/tables.h"

#include "base/bytes.h"
#include "base/json/pick.h"
#include "tools/report/tables/needs.h"
#include "tools/report/tables/table_columns.h"

const char cw_survey_pages_id[] = "pages";

const cw_survey_table cw_survey_tables[] = {
#include "tools/report/tables/fault_tables.inc"
#include "tools/report/tables/site_tables.inc"
    {0},
};

const cw_survey_table *cw_survey_table_of(crawl_slice id)
{
    for (const cw_survey_table *table = cw_survey_tables; table->id; table++)
        if (cw_is(id, table->id))
            return table;
    return NULL;
}

_Static_assert(sizeof cw_survey_tables / sizeof *cw_survey_tables <= CW_SURVEY_TABLES_MAX, "room for all counts");

/* Maximum number of items in a list, for the hops of a chain. SQL limits links and copies to 10. */
enum { ITEMS_MAX = CW_SURVEY_HOPS_MAX + 2 };

/* A row, and the buffers that hold its texts. */
typedef struct row_cells {
    const cw_survey_report *report;
    const cw_survey_out *out;
    const cw_survey_column *columns;
    size_t count;
    cw_survey_cell cells[CW_SURVEY_COLUMNS_MAX];
    cw_survey_cell items[ITEMS_MAX];
    crawl_buf decoded; /* texts of lists */
    crawl_buf group;   /* of the last row */
} row_cells;

/* ---- the query ---- */

static crawl_err rows_ask(const cw_survey_table *table, const cw_survey_out *out, row_cells *row, crawl_buf *sql)
{
    bool is_flat = out->is_flat;
    const char *from = is_flat && table->flat_from ? table->flat_from : table->from;
    const char *order = is_flat && table->flat_order ? table->flat_order : table->order;
    bool has_group = out->group && table->by_rank;
    row->columns = is_flat && table->flat[0].name ? table->flat : table->columns;
    crawl_err err = crawl_buf_append_text(sql, "SELECT ");
    for (row->count = 0; row->columns[row->count].name && !err; row->count++)
        err = crawl_buf_printf(sql, "%s%s", row->count ? ", " : "", row->columns[row->count].sql);
    if (!err && has_group)
        err = crawl_buf_append_text(sql, ", answer(p.rank), count(*) OVER (PARTITION BY p.rank)");
    if (!err)
        err = crawl_buf_printf(sql, " FROM %s ORDER BY %s", from, order);
    return err || !out->most ? err : crawl_buf_printf(sql, " LIMIT %llu", (unsigned long long)out->most);
}

static void bind_number(sqlite3_stmt *question, const char *name, uint64_t number)
{
    int at = sqlite3_bind_parameter_index(question, name);
    if (at)
        sqlite3_bind_int64(question, at, (int64_t)number);
}

static crawl_err rows_prepare(const cw_survey_report *report, const crawl_buf *sql, sqlite3_stmt **question)
{
    cw_survey *survey = report->survey;
    crawl_err err =
        cw_survey_checked(survey, sqlite3_prepare_v2(survey->db, sql->data, (int)sql->size, question, NULL));
    if (err)
        return err;
    bind_number(*question, ":slow", report->slow_ms);
    bind_number(*question, ":large", report->large_bytes);
    bind_number(*question, ":heavy", report->heavy_bytes);
    bind_number(*question, ":deep", report->deep);
    bind_number(*question, ":has_links", survey->has_links);
    bind_number(*question, ":has_requests", survey->has_requests);
    return CRAWL_OK;
}

/* ---- cells ---- */

static crawl_slice rows_text(sqlite3_stmt *question, int at)
{
    const void *text = sqlite3_column_text(question, at);
    return crawl_slice_of(text, text ? (size_t)sqlite3_column_bytes(question, at) : 0);
}

/* Returns an item of a list: [URL, note, 1 if the note is a quote, number]. */
static cw_survey_cell rows_item(row_cells *row, const cw_json_value *item)
{
    enum { URL, NOTE, IS_QUOTE, NUMBER, FIELDS };
    cw_json_value of[FIELDS] = {0};
    crawl_slice rest = item->bytes;
    for (size_t i = 0; i < FIELDS && cw_json_next_element(&rest, &of[i]); i++)
        ;
    return (cw_survey_cell){
        .kind = CW_CELL_URL,
        .text = cw_json_decoded(&of[URL], &row->decoded),
        .note = of[NOTE].kind == CW_JSON_NUMBER ? of[NOTE].bytes : cw_json_decoded(&of[NOTE], &row->decoded),
        .is_quote = of[IS_QUOTE].kind == CW_JSON_NUMBER && cw_json_number(&of[IS_QUOTE]) > 0,
        .number = of[NUMBER].kind == CW_JSON_NUMBER ? (uint64_t)cw_json_number(&of[NUMBER]) : 0,
    };
}

static crawl_err rows_list(row_cells *row, crawl_slice json, cw_survey_cell *cell)
{
    cw_json_value item;
    const char *things = row->columns[cell - row->cells].things;
    *cell = (cw_survey_cell){.kind = CW_CELL_LIST, .items = row->items, .what = things ? things : "URLs"};
    crawl_buf_clear(&row->decoded);
    if (crawl_buf_reserve(&row->decoded, json.size))
        return CRAWL_ENOMEM;
    while (cw_json_next_element(&json, &item))
        if (item.kind == CW_JSON_NUMBER)
            cell->number = (uint64_t)cw_json_number(&item);
        else if (cell->item_count < ITEMS_MAX)
            row->items[cell->item_count++] = rows_item(row, &item);
    return CRAWL_OK;
}

static crawl_err rows_cell(row_cells *row, sqlite3_stmt *question, int at)
{
    cw_survey_cell *cell = &row->cells[at];
    bool is_none = sqlite3_column_type(question, at) == SQLITE_NULL;
    bool is_bytes = sqlite3_column_type(question, at) == SQLITE_BLOB;
    *cell = (cw_survey_cell){.kind = is_bytes ? CW_CELL_TEXT : row->columns[at].kind, .is_none = is_none};
    if (cell->kind == CW_CELL_LIST)
        return rows_list(row, rows_text(question, at), cell);
    if (cell->kind == CW_CELL_TEXT || cell->kind == CW_CELL_URL) {
        cell->text = rows_text(question, at);
        cell->is_none = !cell->text.size;
    } else {
        cell->number = (uint64_t)sqlite3_column_int64(question, at);
    }
    return CRAWL_OK;
}

static crawl_err rows_group(row_cells *row, sqlite3_stmt *question)
{
    crawl_slice title = rows_text(question, (int)row->count);
    if (!title.size || crawl_slice_equal(title, crawl_buf_slice(&row->group)))
        return CRAWL_OK;
    row->out->group(row->out->user, title, (uint64_t)sqlite3_column_int64(question, (int)row->count + 1));
    crawl_buf_clear(&row->group);
    return crawl_buf_append(&row->group, title.data, title.size);
}

static crawl_err rows_put(row_cells *row, sqlite3_stmt *question, bool has_group)
{
    crawl_err err = has_group ? rows_group(row, question) : CRAWL_OK;
    for (size_t i = 0; i < row->count && !err; i++)
        err = rows_cell(row, question, (int)i);
    if (!err)
        row->out->row(row->out->user, row->cells);
    return err;
}

crawl_err cw_survey_rows(const cw_survey_table *table, const cw_survey_report *report, const cw_survey_out *out)
{
    int result = SQLITE_DONE;
    crawl_buf sql = {0};
    sqlite3_stmt *question = NULL;
    row_cells row = {.report = report, .out = out};
    crawl_err err = rows_ask(table, out, &row, &sql);
    if (!err)
        err = rows_prepare(report, &sql, &question);
    for (result = err ? SQLITE_DONE : sqlite3_step(question); !err && result == SQLITE_ROW;
         result = sqlite3_step(question))
        err = rows_put(&row, question, out->group && table->by_rank);
    if (!err)
        err = cw_survey_checked(report->survey, result);
    sqlite3_finalize(question);
    crawl_buf_free(&sql);
    crawl_buf_free(&row.decoded);
    crawl_buf_free(&row.group);
    return err;
}

/* ---- counts ---- */

/* Tables that one query counts. */
typedef struct rows_counted {
    const cw_survey_table *tables[CW_SURVEY_TABLES_MAX];
    size_t count;
    crawl_buf sql;
} rows_counted;

static crawl_err rows_count(cw_survey_report *report, rows_counted *counted)
{
    sqlite3_stmt *question = NULL;
    crawl_err err = counted->count ? rows_prepare(report, &counted->sql, &question) : CRAWL_OK;
    if (!err && counted->count)
        err = cw_survey_checked(report->survey, sqlite3_step(question));
    for (size_t i = 0; i < counted->count && !err; i++)
        report->counts[counted->tables[i] - cw_survey_tables] = (uint64_t)sqlite3_column_int64(question, (int)i);
    sqlite3_finalize(question);
    crawl_buf_free(&counted->sql);
    return err;
}

static crawl_err rows_count_alone(cw_survey_report *report, const cw_survey_table *table)
{
    rows_counted alone = {.tables = {table}, .count = 1};
    crawl_err err = crawl_buf_printf(&alone.sql, "SELECT count(*) FROM %s", table->from);
    return err ? err : rows_count(report, &alone);
}

/* Tables of selected pages are counted in a single pass over the pages. */
crawl_err cw_survey_count(cw_survey_report *report)
{
    static const char of_pages[] = "p WHERE ";
    rows_counted pages = {0};
    crawl_err err = CRAWL_OK;
    for (const cw_survey_table *table = cw_survey_tables; table->id && !err; table++) {
        if (cw_survey_unknown(table, report))
            continue;
        if (!cw_starts_with(crawl_slice_from(table->from), of_pages)) {
            err = rows_count_alone(report, table);
            continue;
        }
        err = crawl_buf_printf(&pages.sql, "%s count(*) FILTER (WHERE %s)", pages.count ? "," : "SELECT",
                               table->from + strlen(of_pages));
        pages.tables[pages.count++] = table;
    }
    if (!err && pages.count)
        err = crawl_buf_append_text(&pages.sql, " FROM p");
    if (!err)
        return rows_count(report, &pages);
    crawl_buf_free(&pages.sql);
    return err;
}

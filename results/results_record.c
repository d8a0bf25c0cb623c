/* Records as rows. See results_store.h. */
#include "base/bytes.h"
#include "base/error.h"
#include "results/results_store.h"

typedef enum record_kind {
    RECORD_TEXT,
    RECORD_INTEGER, /* true is 1; false and null are NULL */
    RECORD_FLAG,    /* false is 0 */
    RECORD_REAL,
    RECORD_URL,
    RECORD_WORDS, /* of an array */
    RECORD_JSON,
} record_kind;

/* A column, called as its field. content: of an unchanged page a record may lack it, and the one before counts. */
typedef struct record_column {
    crawl_slice name;
    record_kind kind;
    bool is_content;
} record_column;

#define RECORD_COLUMN(name, kind, content)    \
    {                                         \
        CW_JSON_NAME(name), (kind), (content) \
    }

static const record_column record_columns[] = {
    RECORD_COLUMN("url", RECORD_URL, false), /* the column id */
    RECORD_COLUMN("canonical", RECORD_URL, false),
    RECORD_COLUMN("fingerprint", RECORD_TEXT, false),
    RECORD_COLUMN("method", RECORD_TEXT, false),
    RECORD_COLUMN("status", RECORD_INTEGER, false),
    RECORD_COLUMN("depth", RECORD_INTEGER, false),
    RECORD_COLUMN("external", RECORD_INTEGER, false),
    RECORD_COLUMN("requisite", RECORD_INTEGER, false),
    RECORD_COLUMN("parent", RECORD_URL, false),
    RECORD_COLUMN("fetched_at", RECORD_TEXT, false),
    RECORD_COLUMN("elapsed_ms", RECORD_REAL, false),
    RECORD_COLUMN("ip", RECORD_TEXT, false),
    RECORD_COLUMN("content_type", RECORD_TEXT, true),
    RECORD_COLUMN("content_type_header", RECORD_TEXT, true),
    RECORD_COLUMN("charset", RECORD_TEXT, true),
    RECORD_COLUMN("bytes", RECORD_INTEGER, false),
    RECORD_COLUMN("digest", RECORD_TEXT, true),
    RECORD_COLUMN("title", RECORD_TEXT, true),
    RECORD_COLUMN("links", RECORD_INTEGER, false),
    RECORD_COLUMN("links_cut", RECORD_INTEGER, false),
    RECORD_COLUMN("signed", RECORD_INTEGER, false),
    RECORD_COLUMN("signed_by", RECORD_TEXT, false),
    RECORD_COLUMN("new", RECORD_INTEGER, false),
    RECORD_COLUMN("redirect", RECORD_URL, false),
    RECORD_COLUMN("error", RECORD_TEXT, false),
    RECORD_COLUMN("detail", RECORD_TEXT, false),
    RECORD_COLUMN("attempt", RECORD_INTEGER, false),
    RECORD_COLUMN("robots", RECORD_WORDS, false),
    RECORD_COLUMN("visit", RECORD_INTEGER, false),
    RECORD_COLUMN("verdict", RECORD_TEXT, false),
    RECORD_COLUMN("wall", RECORD_TEXT, false),
    RECORD_COLUMN("changed", RECORD_FLAG, false),
    RECORD_COLUMN("ids_cut", RECORD_INTEGER, true),
    RECORD_COLUMN("body", RECORD_TEXT, true),
    RECORD_COLUMN("duplicate_of", RECORD_URL, true),
    RECORD_COLUMN("near_duplicate_of", RECORD_URL, true),
    RECORD_COLUMN("distance", RECORD_INTEGER, true),
    RECORD_COLUMN("simhash", RECORD_TEXT, true),
    RECORD_COLUMN("missing", RECORD_WORDS, true),
    RECORD_COLUMN("text_cut", RECORD_INTEGER, true),
    RECORD_COLUMN("preferences", RECORD_JSON, true),
    RECORD_COLUMN("may", RECORD_JSON, true),
    RECORD_COLUMN("withheld", RECORD_TEXT, false),
    RECORD_COLUMN("withheld_by", RECORD_TEXT, false),
    RECORD_COLUMN("guessed", RECORD_INTEGER, false),
    RECORD_COLUMN("rendered", RECORD_TEXT, true),
    RECORD_COLUMN("render", RECORD_JSON, true),
    RECORD_COLUMN("fields", RECORD_JSON, true),
    RECORD_COLUMN("data", RECORD_JSON, true),
    RECORD_COLUMN("text", RECORD_TEXT, true),
};

enum {
    RECORD_COLUMNS = sizeof record_columns / sizeof *record_columns,
    RECORD_IDS = RECORD_COLUMNS, /* behind the columns: what has tables of its own */
    RECORD_HEADERS,
    RECORD_FIELDS
};

static const char *record_column_name(size_t i)
{
    return i ? record_columns[i].name.data : "id";
}

static crawl_err record_make_sql(crawl_buf *out)
{
    crawl_err err = crawl_buf_append_text(out, "INSERT INTO pages(");
    for (size_t i = 0; i < RECORD_COLUMNS && !err; i++)
        err = crawl_buf_printf(out, "%s%s", i ? ", " : "", record_column_name(i));
    if (!err)
        err = crawl_buf_append_text(out, ") VALUES (");
    for (size_t i = 0; i < RECORD_COLUMNS && !err; i++)
        err = crawl_buf_append_text(out, i ? ", ?" : "?");
    if (!err)
        err = crawl_buf_append_text(out, ") ON CONFLICT DO UPDATE SET ");
    for (size_t i = 1; i < RECORD_COLUMNS && !err; i++) {
        const char *name = record_column_name(i);
        const char *form =
            record_columns[i].is_content
                ? "%s%s = CASE excluded.changed WHEN 0 THEN coalesce(excluded.%s, %s) ELSE excluded.%s END"
                : "%s%s = excluded.%s";
        err = crawl_buf_printf(out, form, i > 1 ? ", " : "", name, name, name, name);
    }
    return err ? err : crawl_buf_append_text(out, " WHERE excluded.visit >= visit");
}

static sqlite3_stmt *record_statement(cw_results *results)
{
    crawl_buf sql = {0};
    if (!results->statements[CW_RESULTS_PAGE] && !record_make_sql(&sql))
        (void)cw_results_prepare(results, CW_RESULTS_PAGE, sql.data);
    crawl_buf_free(&sql);
    return results->statements[CW_RESULTS_PAGE];
}

/* ---- values ---- */

static int64_t record_whole(const cw_json_value *value)
{
    const double most = 9e18;
    double number = cw_json_number(value);
    return (int64_t)(number > most ? most : number < -most ? -most : number);
}

/* Puts the elements of an array into results->words. */
static crawl_err record_join(cw_results *results, const cw_json_value *value)
{
    crawl_slice rest = value->bytes;
    cw_json_value element;
    crawl_err err = CRAWL_OK;
    crawl_buf_clear(&results->words);
    while (!err && cw_json_next_element(&rest, &element)) {
        crawl_slice word = cw_json_text(&element, &results->decoded);
        if (results->words.size)
            err = crawl_buf_append_char(&results->words, ' ');
        if (!err && word.size)
            err = crawl_buf_append(&results->words, word.data, word.size);
    }
    return err;
}

static crawl_err record_bind_words(cw_results *results, sqlite3_stmt *page, int at, const cw_json_value *value,
                                   crawl_error *error)
{
    if (value->kind != CW_JSON_ARRAY)
        return CRAWL_OK;
    if (record_join(results, value))
        return cw_error(error, CRAWL_ENOMEM);
    sqlite3_bind_text64(page, at, results->words.size ? results->words.data : "", results->words.size, SQLITE_TRANSIENT,
                        SQLITE_UTF8);
    return CRAWL_OK;
}

static crawl_err record_bind_url(cw_results *results, sqlite3_stmt *page, int at, const cw_json_value *value,
                                 crawl_error *error)
{
    int64_t id = 0;
    if (value->kind != CW_JSON_STRING)
        return CRAWL_OK;
    crawl_err err = cw_results_url_id(results, cw_json_text(value, &results->decoded), false, &id, error);
    if (!err)
        sqlite3_bind_int64(page, at, id);
    return err;
}

static crawl_err record_bind(cw_results *results, sqlite3_stmt *page, int at, const cw_json_value *value,
                             crawl_error *error)
{
    record_kind kind = record_columns[at - 1].kind;
    if (kind == RECORD_URL)
        return record_bind_url(results, page, at, value, error);
    if (kind == RECORD_WORDS)
        return record_bind_words(results, page, at, value, error);
    if (kind == RECORD_TEXT && value->kind == CW_JSON_STRING)
        cw_results_bind(page, at, cw_json_text(value, &results->decoded));
    else if (kind == RECORD_JSON && value->kind >= CW_JSON_ARRAY)
        cw_results_bind(page, at, value->bytes);
    else if (kind == RECORD_REAL && value->kind == CW_JSON_NUMBER)
        sqlite3_bind_double(page, at, cw_json_number(value));
    else if (kind == RECORD_INTEGER && value->kind == CW_JSON_NUMBER)
        sqlite3_bind_int64(page, at, record_whole(value));
    else if (value->kind == CW_JSON_TRUE || (kind == RECORD_FLAG && value->kind == CW_JSON_FALSE))
        sqlite3_bind_int(page, at, value->kind == CW_JSON_TRUE);
    else if (cw_is(record_columns[at - 1].name, "visit")) /* of the first versions */
        sqlite3_bind_int(page, at, 1);
    return CRAWL_OK;
}

static crawl_err record_put_page(cw_results *results, const cw_json_value *values, int64_t *id, crawl_error *error)
{
    sqlite3_stmt *page = record_statement(results);
    if (!page)
        return cw_results_failed(results, error);
    sqlite3_clear_bindings(page);
    crawl_err err = CRAWL_OK;
    for (int i = 0; i < RECORD_COLUMNS && !err; i++)
        err = record_bind(results, page, i + 1, &values[i], error);
    if (!err)
        err = cw_results_url_id(results, cw_json_text(&values[0], &results->decoded), false, id, error);
    return err ? err : cw_results_run(results, page, error);
}

/* ---- rows of other tables ---- */

/* Runs a statement whose first value is the page. */
static crawl_err record_run(cw_results *results, cw_results_sql sql, int64_t page, const crawl_slice *texts,
                            size_t count, crawl_error *error)
{
    sqlite3_stmt *statement = cw_results_statement(results, sql);
    if (!statement)
        return cw_results_failed(results, error);
    sqlite3_bind_int64(statement, 1, page);
    for (size_t i = 0; i < count; i++)
        cw_results_bind(statement, (int)i + 2, texts[i]);
    return cw_results_run(results, statement, error);
}

static crawl_err record_put_ids(cw_results *results, int64_t page, const cw_json_value *ids, crawl_error *error)
{
    crawl_slice rest = ids->kind == CW_JSON_ARRAY ? ids->bytes : (crawl_slice){0};
    cw_json_value element;
    crawl_err err = record_run(results, CW_RESULTS_IDS_CLEAR, page, NULL, 0, error);
    while (!err && rest.size && cw_json_next_element(&rest, &element)) {
        crawl_slice id = cw_json_text(&element, &results->decoded);
        if (id.data)
            err = record_run(results, CW_RESULTS_ID, page, &id, 1, error);
    }
    return err;
}

/* Fields of headers are called by any name, so that the walk over them is SQLite's. */
static crawl_err record_put_headers(cw_results *results, int64_t page, const cw_json_value *headers, crawl_error *error)
{
    crawl_err err = record_run(results, CW_RESULTS_HEADERS_CLEAR, page, NULL, 0, error);
    if (err || headers->kind != CW_JSON_OBJECT)
        return err;
    return record_run(results, CW_RESULTS_HEADER, page, &headers->bytes, 1, error);
}

static crawl_err record_put_hreflang(cw_results *results, int64_t page, const cw_json_value *data, crawl_error *error)
{
    static const crawl_slice list_name = CW_JSON_NAME("hreflang");
    static const crawl_slice names[] = {CW_JSON_NAME("lang"), CW_JSON_NAME("url")};
    cw_json_value list = {0}, element, parts[2];
    crawl_err err = record_run(results, CW_RESULTS_HREFLANG_CLEAR, page, NULL, 0, error);
    if (err || data->kind != CW_JSON_OBJECT || !cw_json_pick(data->bytes, &list_name, 1, &list) ||
        list.kind != CW_JSON_ARRAY)
        return err;
    crawl_slice rest = list.bytes;
    while (!err && cw_json_next_element(&rest, &element)) {
        int64_t target = 0;
        if (element.kind != CW_JSON_OBJECT || !cw_json_pick(element.bytes, names, 2, parts) ||
            parts[0].kind != CW_JSON_STRING || parts[1].kind != CW_JSON_STRING)
            continue;
        crawl_slice lang = cw_json_text(&parts[0], &results->decoded);
        crawl_slice url = cw_json_text(&parts[1], &results->decoded);
        err = cw_results_url_id(results, crawl_slice_of(url.data, cw_find_char(url, '#')), true, &target, error);
        sqlite3_stmt *add = err ? NULL : cw_results_statement(results, CW_RESULTS_HREFLANG);
        if (!add)
            return err ? err : cw_results_failed(results, error);
        sqlite3_bind_int64(add, 3, target);
        err = record_run(results, CW_RESULTS_HREFLANG, page, &lang, 1, error);
    }
    return err;
}

crawl_err cw_results_record(cw_results *results, crawl_slice line, crawl_error *error)
{
    crawl_slice names[RECORD_FIELDS] = {[RECORD_IDS] = CW_JSON_NAME("ids"), [RECORD_HEADERS] = CW_JSON_NAME("headers")};
    cw_json_value values[RECORD_FIELDS];
    int64_t id = 0;
    for (size_t i = 0; i < RECORD_COLUMNS; i++)
        names[i] = record_columns[i].name;
    if (!cw_json_pick(line, names, RECORD_FIELDS, values))
        return crawl_error_set(error, CRAWL_EPARSE, "no JSON object");
    const cw_json_value *status = NULL;
    bool is_unchanged = false;
    for (size_t i = 0; i < RECORD_COLUMNS; i++) {
        if (cw_is(names[i], "status"))
            status = &values[i];
        is_unchanged = is_unchanged || (cw_is(names[i], "changed") && values[i].kind == CW_JSON_FALSE);
    }
    if (status->kind != CW_JSON_NUMBER)
        return crawl_error_set(error, CRAWL_EPARSE, "no record: it has no status");
    crawl_err err = record_put_page(results, values, &id, error);
    if (err || !sqlite3_changes(results->db)) /* a later visit is there already */
        return err;
    err = record_run(results, CW_RESULTS_VISIT, id, NULL, 0, error);
    if (!err && (values[RECORD_IDS].kind || !is_unchanged))
        err = record_put_ids(results, id, &values[RECORD_IDS], error);
    if (!err)
        err = record_put_headers(results, id, &values[RECORD_HEADERS], error);
    const cw_json_value *data = &values[RECORD_COLUMNS - 2]; /* text is the last */
    if (!err && (data->kind || !is_unchanged))
        err = record_put_hreflang(results, id, data, error);
    return err;
}

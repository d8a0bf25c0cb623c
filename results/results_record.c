/* Records as rows. See results_store.h. */
#include "base/bytes.h"
#include "base/error.h"
#include "base/failed_visit.h"
#include "results/results_store.h"

typedef enum record_kind {
    RECORD_TEXT,
    RECORD_INTEGER, /* true is 1; false and null are NULL */
    RECORD_FLAG,    /* false is 0 */
    RECORD_REAL,
    RECORD_URL,
    RECORD_WORDS, /* an array of words */
    RECORD_JSON,
} record_kind;

typedef enum record_life {
    RECORD_VISIT,   /* changes with each visit */
    RECORD_ANSWER,  /* a 304 keeps the value of the previous visit, unless that failed; so does an unchanged soft 404 */
    RECORD_STATUS,  /* likewise, but after a failure a 304 confirms the 200 before it */
    RECORD_CONTENT, /* an unchanged page keeps it too, if the record lacks it, and a failed visit leaves it alone */
    RECORD_READ     /* likewise; 0 and "" are also the values of a page that was not read */
} record_life;

/* A column, named like its field: X(place, name, kind, life). The column of "url" is named id. */
#define RECORD_COLUMNS_ALL(X)                                    \
    X(URL, "url", URL, VISIT)                                    \
    X(CANONICAL, "canonical", URL, ANSWER)                       \
    X(FINGERPRINT, "fingerprint", TEXT, ANSWER)                  \
    X(METHOD, "method", TEXT, ANSWER)                            \
    X(STATUS, "status", INTEGER, STATUS)                         \
    X(DEPTH, "depth", INTEGER, ANSWER)                           \
    X(EXTERNAL, "external", INTEGER, ANSWER)                     \
    X(REQUISITE, "requisite", INTEGER, ANSWER)                   \
    X(PARENT, "parent", URL, ANSWER)                             \
    X(FETCHED_AT, "fetched_at", TEXT, VISIT)                     \
    X(ELAPSED_MS, "elapsed_ms", REAL, ANSWER)                    \
    X(IP, "ip", TEXT, VISIT)                                     \
    X(CONTENT_TYPE, "content_type", TEXT, CONTENT)               \
    X(CONTENT_TYPE_HEADER, "content_type_header", TEXT, CONTENT) \
    X(CHARSET, "charset", TEXT, CONTENT)                         \
    X(BYTES, "bytes", INTEGER, READ)                             \
    X(DIGEST, "digest", TEXT, CONTENT)                           \
    X(TITLE, "title", TEXT, CONTENT)                             \
    X(LINKS, "links", INTEGER, READ)                             \
    X(LINKS_CUT, "links_cut", INTEGER, READ)                     \
    X(SIGNED, "signed", INTEGER, ANSWER)                         \
    X(SIGNED_BY, "signed_by", TEXT, ANSWER)                      \
    X(NEW, "new", INTEGER, ANSWER)                               \
    X(REDIRECT, "redirect", URL, ANSWER)                         \
    X(ERROR, "error", TEXT, ANSWER)                              \
    X(DETAIL, "detail", TEXT, ANSWER)                            \
    X(ATTEMPT, "attempt", INTEGER, VISIT)                        \
    X(ROBOTS, "robots", WORDS, READ)                             \
    X(VISIT, "visit", INTEGER, VISIT)                            \
    X(VERDICT, "verdict", TEXT, ANSWER)                          \
    X(WALL, "wall", TEXT, ANSWER)                                \
    X(CHANGED, "changed", FLAG, VISIT)                           \
    X(IDS_CUT, "ids_cut", INTEGER, CONTENT)                      \
    X(BODY, "body", TEXT, CONTENT)                               \
    X(DUPLICATE_OF, "duplicate_of", URL, CONTENT)                \
    X(NEAR_DUPLICATE_OF, "near_duplicate_of", URL, CONTENT)      \
    X(DISTANCE, "distance", INTEGER, CONTENT)                    \
    X(SIMHASH, "simhash", TEXT, CONTENT)                         \
    X(MISSING, "missing", WORDS, CONTENT)                        \
    X(TEXT_CUT, "text_cut", INTEGER, CONTENT)                    \
    X(PREFERENCES, "preferences", JSON, CONTENT)                 \
    X(MAY, "may", JSON, CONTENT)                                 \
    X(WITHHELD, "withheld", TEXT, READ)                          \
    X(WITHHELD_BY, "withheld_by", TEXT, READ)                    \
    X(GUESSED, "guessed", INTEGER, ANSWER)                       \
    X(RENDERED, "rendered", TEXT, CONTENT)                       \
    X(RENDER, "render", JSON, CONTENT)                           \
    X(PREPROCESSED, "preprocessed", TEXT, CONTENT)               \
    X(FIELDS, "fields", JSON, CONTENT)                           \
    X(DATA, "data", JSON, CONTENT)                               \
    X(TEXT, "text", TEXT, CONTENT)

#define RECORD_PLACE(place, name, kind, life) RECORD_AT_##place,
#define RECORD_COLUMN(place, name, kind, life) {CW_JSON_NAME(name), RECORD_##kind, RECORD_##life},

enum {
    RECORD_COLUMNS_ALL(RECORD_PLACE) RECORD_COLUMNS,
    RECORD_IDS = RECORD_COLUMNS, /* after the columns: fields of other tables */
    RECORD_HEADERS,
    RECORD_EVENT, /* no record has it */
    RECORD_FIELDS
};

typedef struct record_column {
    crawl_slice name;
    record_kind kind;
    record_life life;
} record_column;

static const record_column record_columns[] = {RECORD_COLUMNS_ALL(RECORD_COLUMN)};

static const char *record_column_name(size_t i)
{
    return i ? record_columns[i].name.data : "id";
}

#define RECORD_NOT_MODIFIED "excluded.status = 304"
#define RECORD_UNREAD "excluded.changed = 0 AND excluded.simhash IS NULL" /* see record_is_read */
#define RECORD_UNCHANGED "(" RECORD_NOT_MODIFIED " OR " RECORD_UNREAD ")"
#define RECORD_STILL_SOFT \
    RECORD_UNREAD " AND verdict = 'soft-404' AND coalesce(excluded.verdict, excluded.error) IS NULL"
#define RECORD_STANDS "status BETWEEN 200 AND 399 AND coalesce(error, 'soft-404') = 'soft-404'" /* the row's answer */

/* How a later record changes a column of each life: texts for printf. */
static const char *const record_updates[] = {
    [RECORD_VISIT] = "%s%s = excluded.%s",
    [RECORD_ANSWER] =
        "%s%s = iif((" RECORD_NOT_MODIFIED " OR " RECORD_STILL_SOFT ") AND " RECORD_STANDS ", %s, excluded.%s)",
    [RECORD_STATUS] =
        "%s%s = CASE WHEN NOT " RECORD_NOT_MODIFIED " THEN excluded.%s WHEN " RECORD_STANDS " THEN %s ELSE 200 END",
    [RECORD_CONTENT] = "%s%s = CASE WHEN :failed THEN coalesce(%s, excluded.%s) WHEN " RECORD_UNCHANGED
                       " THEN coalesce(excluded.%s, %s) ELSE excluded.%s END",
    [RECORD_READ] =
        "%s%s = CASE WHEN :failed THEN coalesce(nullif(nullif(%s, 0), ''), excluded.%s) WHEN " RECORD_UNCHANGED
        " THEN coalesce(nullif(nullif(excluded.%s, 0), ''), %s) ELSE excluded.%s END",
};

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
        err = crawl_buf_printf(out, record_updates[record_columns[i].life], i > 1 ? ", " : "", name, name, name, name,
                               name, name);
    }
    /* A link to another site that redirects to a page of the crawl does not make that page external. */
    return err ? err
               : crawl_buf_append_text(out, " WHERE CASE coalesce(external, 0) - coalesce(excluded.external, 0) "
                                            "WHEN 1 THEN 1 WHEN -1 THEN 0 ELSE "
                                            "coalesce(excluded.fetched_at, '') > coalesce(fetched_at, '') OR "
                                            "coalesce(excluded.fetched_at, '') = coalesce(fetched_at, '') "
                                            "AND excluded.visit >= visit END");
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

/* Joins the elements of an array in results->words. */
static crawl_err record_join(cw_results *results, const cw_json_value *value)
{
    crawl_slice rest = value->bytes;
    cw_json_value element;
    crawl_err err = CRAWL_OK;
    crawl_buf_clear(&results->words);
    while (!err && cw_json_next_element(&rest, &element)) {
        crawl_slice word = cw_json_decoded(&element, &results->decoded);
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

/* A redirect leads to the page of its target, whatever the spelling and fragment. */
static crawl_err record_bind_url(cw_results *results, sqlite3_stmt *page, int at, size_t column,
                                 const cw_json_value *value, crawl_error *error)
{
    int64_t id = 0;
    bool is_target = column == RECORD_AT_REDIRECT;
    if (value->kind != CW_JSON_STRING)
        return CRAWL_OK;
    crawl_slice url = cw_json_decoded(value, &results->decoded);
    if (is_target)
        url = crawl_slice_of(url.data, cw_find_char(url, '#'));
    crawl_err err = cw_results_url_id(results, url, is_target, &id, error);
    if (!err)
        sqlite3_bind_int64(page, at, id);
    return err;
}

/* Returns false if a value is nested deeper than SQLite reads, whose functions would refuse the whole record. */
static bool record_is_readable(const cw_json_value *value)
{
    enum { DEPTH_MOST = 1000 }; /* JSON_MAX_DEPTH; 2000 in older versions */
    size_t depth = 0, deepest = 0;
    crawl_slice rest = value->bytes;
    for (bool is_text = false; rest.size; rest = cw_drop(rest, 1)) {
        char c = *rest.data;
        if (is_text && c == '\\')
            rest = cw_drop(rest, 1);
        else if (c == '"')
            is_text = !is_text;
        else if (!is_text && (c == '[' || c == '{'))
            deepest = cw_most(deepest, ++depth);
        else if (!is_text && (c == ']' || c == '}'))
            depth--;
    }
    return deepest < DEPTH_MOST;
}

/* Binds the value of a column; a value of another type stays NULL. */
static crawl_err record_bind(cw_results *results, sqlite3_stmt *page, int at, size_t column, const cw_json_value *value,
                             crawl_error *error)
{
    record_kind kind = record_columns[column].kind;
    if (kind == RECORD_URL)
        return record_bind_url(results, page, at, column, value, error);
    if (kind == RECORD_WORDS)
        return record_bind_words(results, page, at, value, error);
    if (kind == RECORD_TEXT && value->kind == CW_JSON_STRING)
        cw_results_bind(page, at, cw_json_decoded(value, &results->decoded));
    else if (kind == RECORD_JSON && value->kind >= CW_JSON_ARRAY && record_is_readable(value))
        cw_results_bind(page, at, value->bytes);
    else if (kind == RECORD_REAL && value->kind == CW_JSON_NUMBER)
        sqlite3_bind_double(page, at, cw_json_number(value));
    else if (kind == RECORD_INTEGER && value->kind == CW_JSON_NUMBER)
        sqlite3_bind_int64(page, at, record_whole(value));
    else if (value->kind == CW_JSON_TRUE || (kind == RECORD_FLAG && value->kind == CW_JSON_FALSE))
        sqlite3_bind_int(page, at, value->kind == CW_JSON_TRUE);
    else if (column == RECORD_AT_VISIT || column == RECORD_AT_STATUS) /* in records of the first versions, and without
                                                                         an answer */
        sqlite3_bind_int(page, at, column == RECORD_AT_VISIT);
    return CRAWL_OK;
}

/* Finds the id of the page: its URL for GET, preceded by the method for others. */
static crawl_err record_page_id(cw_results *results, const cw_json_value *values, int64_t *id, crawl_error *error)
{
    crawl_slice url = cw_json_decoded(&values[RECORD_AT_URL], &results->decoded);
    crawl_slice method = cw_json_decoded(&values[RECORD_AT_METHOD], &results->decoded);
    if (!method.size || cw_is(method, "GET") || values[RECORD_AT_EXTERNAL].kind == CW_JSON_TRUE)
        return cw_results_url_id(results, url, false, id, error);
    crawl_buf_clear(&results->words);
    if (crawl_buf_append(&results->words, method.data, method.size) || crawl_buf_append_char(&results->words, ' ') ||
        crawl_buf_append(&results->words, url.data, url.size))
        return cw_error(error, CRAWL_ENOMEM);
    return cw_results_url_id(results, crawl_buf_slice(&results->words), false, id, error);
}

static bool record_is_failure(const cw_json_value *values)
{
    const cw_json_value *error = &values[RECORD_AT_ERROR];
    return cw_is_failed_visit(record_whole(&values[RECORD_AT_STATUS]),
                              error->kind == CW_JSON_STRING ? error->bytes : (crawl_slice){0});
}

static crawl_err record_put_page(cw_results *results, const cw_json_value *values, int64_t id, bool is_failure,
                                 crawl_error *error)
{
    sqlite3_stmt *page = record_statement(results);
    if (!page)
        return cw_results_failed(results, error);
    sqlite3_clear_bindings(page);
    crawl_err err = CRAWL_OK;
    for (size_t i = 1; i < RECORD_COLUMNS && !err; i++)
        err = record_bind(results, page, (int)i + 1, i, &values[i], error);
    sqlite3_bind_int64(page, RECORD_AT_URL + 1, id);
    sqlite3_bind_int(page, RECORD_COLUMNS + 1, is_failure); /* :failed */
    sqlite3_set_last_insert_rowid(results->db, 0);          /* an update does not set it */
    if (values[RECORD_IDS].kind == CW_JSON_ARRAY && values[RECORD_AT_IDS_CUT].kind != CW_JSON_TRUE)
        sqlite3_bind_int(page, RECORD_AT_IDS_CUT + 1, 0); /* complete, even if there are none */
    return err ? err : cw_results_run(results, page, error);
}

/* ---- rows of other tables ---- */

static crawl_err record_put_visit(cw_results *results, int64_t page, const cw_json_value *values, crawl_error *error)
{
    static const size_t columns[] = {RECORD_AT_VISIT, RECORD_AT_FETCHED_AT, RECORD_AT_STATUS,
                                     RECORD_AT_ERROR, RECORD_AT_DIGEST,     RECORD_AT_CHANGED};
    sqlite3_stmt *visit = cw_results_statement(results, CW_RESULTS_VISIT);
    if (!visit)
        return cw_results_failed(results, error);
    sqlite3_clear_bindings(visit);
    sqlite3_bind_int64(visit, 1, page);
    cw_results_bind(visit, 3, crawl_slice_from("")); /* if it has no time */
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < sizeof columns / sizeof *columns && !err; i++)
        err = record_bind(results, visit, (int)i + 2, columns[i], &values[columns[i]], error);
    return err ? err : cw_results_run(results, visit, error);
}

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

/* Returns true if the record has the content of its page. A page with the same body is not read; one that is only
 * nearly as before is, and has a SimHash. */
static bool record_is_read(const cw_json_value *values)
{
    return values[RECORD_AT_CHANGED].kind != CW_JSON_FALSE || values[RECORD_AT_SIMHASH].kind == CW_JSON_STRING;
}

/* Drops the links that the page had when it was fetched before, if those of each visit come before its record and after
 * the one before. Only crawls that fetch a page again pay for the index. */
static crawl_err record_drop_links(cw_results *results, int64_t page, const cw_json_value *values, crawl_error *error)
{
    static const char index[] = "CREATE INDEX IF NOT EXISTS links_page ON links(page)";
    int64_t status = record_whole(&values[RECORD_AT_STATUS]);
    bool has_redirect = status / 100 == 3 && status != 304; /* a link that the record does not count */
    int64_t count = record_whole(&values[RECORD_AT_LINKS]) + has_redirect;
    bool is_known = count || record_is_read(values);
    if (!results->has_ordered_links || !is_known)
        return CRAWL_OK;
    if (!results->statements[CW_RESULTS_LINKS_DROP] && sqlite3_exec(results->db, index, NULL, NULL, NULL))
        return cw_results_failed(results, error);
    sqlite3_stmt *drop = cw_results_statement(results, CW_RESULTS_LINKS_DROP);
    if (!drop)
        return cw_results_failed(results, error);
    sqlite3_bind_int64(drop, 2, count);
    return record_run(results, CW_RESULTS_LINKS_DROP, page, NULL, 0, error);
}

/* Removes the rows of an earlier record of the page; the record of an unchanged page keeps what it does not contain. */
static crawl_err record_clear(cw_results *results, int64_t page, const cw_json_value *values, crawl_error *error)
{
    bool is_read = record_is_read(values);
    bool has_all_headers = record_whole(&values[RECORD_AT_STATUS]) != 304; /* RFC 9110, 15.4.5 */
    crawl_err err = has_all_headers ? record_run(results, CW_RESULTS_HEADERS_CLEAR, page, NULL, 0, error) : CRAWL_OK;
    if (!err && (is_read || values[RECORD_IDS].kind))
        err = record_run(results, CW_RESULTS_IDS_CLEAR, page, NULL, 0, error);
    if (!err && (is_read || values[RECORD_AT_DATA].kind))
        err = record_run(results, CW_RESULTS_HREFLANG_CLEAR, page, NULL, 0, error);
    return err ? err : record_drop_links(results, page, values, error);
}

static crawl_err record_put_ids(cw_results *results, int64_t page, const cw_json_value *ids, crawl_error *error)
{
    crawl_slice rest = ids->kind == CW_JSON_ARRAY ? ids->bytes : (crawl_slice){0};
    cw_json_value element;
    crawl_err err = CRAWL_OK;
    while (!err && rest.size && cw_json_next_element(&rest, &element)) {
        crawl_slice id = cw_json_decoded(&element, &results->decoded);
        if (id.data)
            err = record_run(results, CW_RESULTS_ID, page, &id, 1, error);
    }
    return err;
}

/* Header fields may have any name, so SQLite walks over them. */
static crawl_err record_put_headers(cw_results *results, int64_t page, const cw_json_value *headers, crawl_error *error)
{
    if (headers->kind != CW_JSON_OBJECT || !record_is_readable(headers))
        return CRAWL_OK;
    return record_run(results, CW_RESULTS_HEADER, page, &headers->bytes, 1, error);
}

static crawl_err record_put_hreflang(cw_results *results, int64_t page, const cw_json_value *data, crawl_error *error)
{
    static const crawl_slice list_name = CW_JSON_NAME("hreflang");
    static const crawl_slice names[] = {CW_JSON_NAME("lang"), CW_JSON_NAME("url")};
    cw_json_value list = {0}, element, parts[2];
    crawl_err err = CRAWL_OK;
    if (data->kind != CW_JSON_OBJECT || !cw_json_pick(data->bytes, &list_name, 1, &list) || list.kind != CW_JSON_ARRAY)
        return err;
    crawl_slice rest = list.bytes;
    while (!err && cw_json_next_element(&rest, &element)) {
        int64_t target = 0;
        if (element.kind != CW_JSON_OBJECT || !cw_json_pick(element.bytes, names, 2, parts) ||
            parts[0].kind != CW_JSON_STRING || parts[1].kind != CW_JSON_STRING)
            continue;
        crawl_slice lang = cw_json_decoded(&parts[0], &results->decoded);
        crawl_slice url = cw_json_decoded(&parts[1], &results->decoded);
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
    crawl_slice names[RECORD_FIELDS] = {[RECORD_IDS] = CW_JSON_NAME("ids"),
                                        [RECORD_HEADERS] = CW_JSON_NAME("headers"),
                                        [RECORD_EVENT] = CW_JSON_NAME("event")};
    cw_json_value values[RECORD_FIELDS];
    int64_t id = 0;
    for (size_t i = 0; i < RECORD_COLUMNS; i++)
        names[i] = record_columns[i].name;
    if (!cw_json_pick(line, names, RECORD_FIELDS, values))
        return CRAWL_EPARSE;
    if (!cw_json_decoded(&values[RECORD_AT_URL], &results->decoded).size || values[RECORD_EVENT].kind)
        return CRAWL_ABSENT;
    if (cw_json_number(&values[RECORD_AT_STATUS]) == 304)
        values[RECORD_AT_DIGEST] = (cw_json_value){0}; /* of the empty body, in records of 0.1.0 */
    bool is_failure = record_is_failure(values);
    crawl_err err = record_page_id(results, values, &id, error);
    if (!err)
        err = record_put_visit(results, id, values, error);
    if (!err)
        err = record_put_page(results, values, id, is_failure, error);
    if (err || !sqlite3_changes(results->db)) /* it is not the latest */
        return err;
    bool is_known = sqlite3_last_insert_rowid(results->db) != id;
    if (is_known && is_failure)
        return CRAWL_OK;
    if (is_known)
        err = record_clear(results, id, values, error);
    if (!err)
        err = record_put_ids(results, id, &values[RECORD_IDS], error);
    if (!err)
        err = record_put_headers(results, id, &values[RECORD_HEADERS], error);
    return err ? err : record_put_hreflang(results, id, &values[RECORD_AT_DATA], error);
}

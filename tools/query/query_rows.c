#include "tools/query/query_rows.h"

#include "base/error.h"
#include "base/text/escape.h"
#include "base/utf8.h"
#include "tools/common/io.h"
#include "tools/common/say.h"
#include "tools/common/tool_output.h"
#include "tools/query/query_number.h"
#include "tools/query/query_table.h"

#include <math.h>

static bool query_needs_quotes(const char *text, char separator)
{
    return strchr(text, separator) || text[strcspn(text, "\"\r\n")] != '\0';
}

static void query_print_csv(const char *text, char separator, bool is_number)
{
    bool is_quoted = query_needs_quotes(text, separator);
    if (is_quoted)
        putchar('"');
    if (!is_number && cw_escape_is_formula(crawl_slice_from(text)))
        putchar('\'');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    if (is_quoted)
        putchar('"');
}

/* Returns the value of a column as JSON. NULL: out of memory. */
static json_t *query_json_value(sqlite3_stmt *statement, int column)
{
    const char *text;
    double real;
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
        real = sqlite3_column_double(statement, column);
        return isfinite(real) ? json_real(real) : json_null(); /* JSON has no infinity */
    case SQLITE_NULL:
        return json_null();
    default:
        text = (const char *)sqlite3_column_text(statement, column);
        return cw_tool_json_text(crawl_slice_of(text, (size_t)sqlite3_column_bytes(statement, column)));
    }
}

/* Makes the name of a column in JSON, which is not among those of earlier columns. */
static crawl_err query_json_name(const json_t *names, const char *column, crawl_buf *name)
{
    crawl_buf_clear(name);
    crawl_err err = column ? crawl_buf_append_text(name, "") : CRAWL_ENOMEM; /* its NUL, for a column without a name */
    if (!err)
        err = cw_utf8_repair_bytes(crawl_slice_from(column), name);
    size_t size = name->size;
    for (int n = 1; !err && json_object_get(names, name->data); n++) {
        name->size = size;
        err = crawl_buf_printf(name, ":%d", n); /* as SQLite calls it in a table made of the query */
    }
    return err;
}

/* Returns an object with the names of the columns in their order, which are its values too. NULL: out of memory. */
static json_t *query_json_names(sqlite3_stmt *statement)
{
    crawl_buf name = {0};
    json_t *names = json_object();
    bool failed = !names;
    for (int i = 0; i < sqlite3_column_count(statement) && !failed; i++)
        failed = query_json_name(names, sqlite3_column_name(statement, i), &name) ||
                 json_object_set_new(names, name.data, json_string(name.data));
    crawl_buf_free(&name);
    if (!failed)
        return names;
    json_decref(names);
    return NULL;
}

/* Prints a row, each number with the digits that it needs: jansson takes one precision for all. */
static crawl_err query_print_json(sqlite3_stmt *statement, json_t *names)
{
    const char *unused;
    json_t *name;
    int i = 0;
    json_object_foreach(names, unused, name)
    {
        json_t *value = query_json_value(statement, i);
        if (!value)
            return CRAWL_ENOMEM;
        size_t digits = (size_t)cw_query_digits(json_number_value(value));
        putchar(i++ ? ',' : '{');
        (void)json_dumpf(name, stdout, JSON_ENCODE_ANY); /* its failure is that of the output */
        putchar(':');
        (void)json_dumpf(value, stdout, JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits));
        json_decref(value);
    }
    puts("}");
    return CRAWL_OK;
}

static bool query_is_number(sqlite3_stmt *statement, int column)
{
    int type = sqlite3_column_type(statement, column);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* Prints the columns of a row. names: prints the head instead. */
static void query_print_columns(cw_query_form form, char separator, sqlite3_stmt *statement, bool names)
{
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        bool is_number = !names && query_is_number(statement, i); /* before the conversion to text hides it */
        char number[CW_QUERY_NUMBER_MAX];
        const char *text = names ? sqlite3_column_name(statement, i) : cw_query_text(statement, i, number);
        if (i)
            putchar(form == CW_QUERY_CSV ? separator : '\t');
        if (form == CW_QUERY_CSV)
            query_print_csv(text ? text : "", separator, is_number);
        else
            cw_tool_escape_print(crawl_slice_from(text ? text : ""), stdout);
    }
    fputs(form == CW_QUERY_CSV ? "\r\n" : "\n", stdout);
}

/* Prints rows of any form but a table. Returns SQLite's code at the end; SQLITE_NOMEM: also if a row lacks memory. */
static int query_print_rows(const cw_query_rows *rows, cw_query_form form, char separator)
{
    sqlite3_stmt *statement = rows->statement;
    json_t *names = form == CW_QUERY_JSON ? query_json_names(statement) : NULL;
    int code = form == CW_QUERY_JSON && !names ? SQLITE_NOMEM : rows->next(rows->user);
    while (code == SQLITE_ROW && !cw_tool_output_failed()) {
        crawl_err err = names ? query_print_json(statement, names) : CRAWL_OK;
        if (!names)
            query_print_columns(form, separator, statement, false);
        bool lacks_memory = err || sqlite3_errcode(sqlite3_db_handle(statement)) == SQLITE_NOMEM; /* for a text */
        code = lacks_memory ? SQLITE_NOMEM : rows->next(rows->user);
    }
    json_decref(names);
    return code;
}

crawl_err cw_query_print(const cw_query_rows *rows, cw_query_form form, char separator, crawl_error *error)
{
    sqlite3_stmt *statement = rows->statement;
    if (form == CW_QUERY_CSV)
        query_print_columns(form, separator, statement, true);
    int code = SQLITE_DONE;
    if (form == CW_QUERY_TABLE && cw_query_table(rows, &code))
        return cw_error(error, CRAWL_ENOMEM);
    if (form != CW_QUERY_TABLE)
        code = query_print_rows(rows, form, separator);
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        return CRAWL_OK;
    return code == SQLITE_NOMEM
               ? cw_error(error, CRAWL_ENOMEM)
               : crawl_error_set(error, CRAWL_EINVAL, "%s", sqlite3_errmsg(sqlite3_db_handle(statement)));
}

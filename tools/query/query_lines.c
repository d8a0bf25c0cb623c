#include "tools/query/query_lines.h"

#include "base/bytes.h"
#include "base/json/pick.h"
#include "base/utf8.h"
#include "tools/common/io.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static const char tool[] = "query";

typedef struct lines_run {
    const cw_query_lines *asked;
    sqlite3_stmt *statement;
    int at;           /* index of the next path */
    const char *path; /* being read */
    cw_tool_line_reader reader;
    unsigned long wrong; /* bad lines in it */
    crawl_slice line;
    cw_json_value members[CW_QUERY_FIELDS_MAX]; /* of the line, by indexes of first names */
    bool were_there[CW_QUERY_FIELDS_MAX];       /* fields found in any line */
    bool has_read, has_rows;
    crawl_buf decoded, words; /* decoded texts of the line; an array */
    int status;
} lines_run;

/* ---- a line ---- */

/* Follows the rest of a path from a member to its value. */
static cw_json_value lines_follow(cw_json_value value, crawl_slice path)
{
    cw_cut(&path, '.');
    while (path.size) {
        crawl_slice name = cw_cut(&path, '.');
        cw_json_value inner = {0};
        if (value.kind != CW_JSON_OBJECT || !cw_json_pick(value.bytes, &name, 1, &inner))
            return (cw_json_value){0};
        value = inner;
    }
    return value;
}

static int lines_bind_text(lines_run *run, int at, crawl_slice text, sqlite3_destructor_type owner)
{
    return sqlite3_bind_text64(run->statement, at, text.size ? text.data : "", text.size, owner, SQLITE_UTF8);
}

/* Binds the elements of an array, separated by blanks. */
static int lines_bind_array(lines_run *run, int at, crawl_slice rest)
{
    cw_json_value element;
    crawl_err err = CRAWL_OK;
    crawl_buf_clear(&run->words);
    for (bool is_first = true; !err && cw_json_next_element(&rest, &element); is_first = false) {
        crawl_slice text = element.kind == CW_JSON_STRING ? cw_json_decoded(&element, &run->decoded)
                           : element.kind == CW_JSON_NULL ? (crawl_slice){0}
                                                          : element.bytes;
        err = is_first ? CRAWL_OK : crawl_buf_append_char(&run->words, ' ');
        if (!err && text.size)
            err = crawl_buf_append(&run->words, text.data, text.size);
    }
    return err ? SQLITE_NOMEM : lines_bind_text(run, at, crawl_buf_slice(&run->words), SQLITE_TRANSIENT);
}

static int lines_bind_number(lines_run *run, int at, const cw_json_value *value)
{
    char *end;
    errno = 0;
    long long whole = strtoll(value->bytes.data, &end, 10); /* ends within the line: its object ends later */
    if (!errno && end == value->bytes.data + value->bytes.size)
        return sqlite3_bind_int64(run->statement, at, whole);
    return sqlite3_bind_double(run->statement, at, cw_json_number(value));
}

static int lines_bind_value(lines_run *run, int at, const cw_json_value *value)
{
    switch (value->kind) {
    case CW_JSON_FALSE:
    case CW_JSON_TRUE:
        return sqlite3_bind_int(run->statement, at, value->kind == CW_JSON_TRUE);
    case CW_JSON_NUMBER:
        return lines_bind_number(run, at, value);
    case CW_JSON_STRING:
        return lines_bind_text(run, at, cw_json_decoded(value, &run->decoded), SQLITE_STATIC);
    case CW_JSON_ARRAY:
        return lines_bind_array(run, at, value->bytes);
    case CW_JSON_OBJECT:
        return lines_bind_text(run, at, value->bytes, SQLITE_STATIC);
    default:
        return sqlite3_bind_null(run->statement, at);
    }
}

/* Binds the fields of the line. CRAWL_EPARSE: not a JSON object. CRAWL_ENOMEM. */
static crawl_err lines_bind(lines_run *run)
{
    const cw_query_fields *fields = &run->asked->fields;
    if (cw_utf8_valid_prefix(run->line) < run->line.size ||
        !cw_json_pick(run->line, fields->names, fields->top_count, run->members))
        return CRAWL_EPARSE;
    run->has_read = true;
    sqlite3_reset(run->statement);
    crawl_buf_clear(&run->decoded);
    int code = crawl_buf_reserve(&run->decoded, run->line.size + 1) ? SQLITE_NOMEM : SQLITE_OK;
    for (size_t i = 0; i < fields->count && !code; i++) {
        cw_json_value value = lines_follow(run->members[fields->tops[i]], fields->paths[i]);
        run->were_there[i] |= value.kind != CW_JSON_MISSING;
        code = lines_bind_value(run, (int)i + 1, &value);
    }
    return code ? CRAWL_ENOMEM : CRAWL_OK;
}

/* ---- files ---- */

static void lines_set_status(lines_run *run, int status)
{
    run->status = run->status > status ? run->status : status;
}

static void lines_close(lines_run *run, cw_tool_line how)
{
    lines_set_status(run, cw_tool_end_of_lines(tool, cw_tool_name(run->path), how));
    if (run->wrong > CW_TOOL_BAD_LINES_NAMED)
        cw_tool_say(tool, "%s: %lu lines are not JSON objects", cw_tool_name(run->path), run->wrong);
    run->wrong = 0;
    cw_tool_close(run->reader.in);
    cw_tool_line_free(&run->reader);
    run->reader = (cw_tool_line_reader){0};
}

/* Opens the next readable file. Returns false if there is none. */
static bool lines_open(lines_run *run)
{
    int count = run->asked->path_count ? run->asked->path_count : 1;
    while (!run->reader.in && run->at < count) {
        run->path = run->asked->path_count ? run->asked->paths[run->at] : NULL;
        run->at++;
        run->reader = (cw_tool_line_reader){.in = cw_tool_open_text(tool, run->path), .longest = CW_TOOL_LINE_ROW_MAX};
        lines_set_status(run, run->reader.in ? CW_EXIT_OK : CW_EXIT_LOCAL);
    }
    return run->reader.in;
}

static void lines_refuse(lines_run *run, const char *words)
{
    lines_set_status(run, CW_EXIT_NOTHING);
    if (run->wrong++ < CW_TOOL_BAD_LINES_NAMED)
        cw_tool_say(tool, "%s: line %lu %s", cw_tool_name(run->path), run->reader.number, words);
}

/* ---- Ctrl-C ---- */

static volatile sig_atomic_t lines_has_table, lines_stopped;

/* A table shows the rows that it has. Of other forms all rows are printed. */
static void lines_interrupt(int)
{
    if (!lines_has_table)
        _exit(CW_EXIT_STOPPED);
    lines_stopped = 1;
}

static void lines_catch_interrupt(const cw_query_lines *asked)
{
    const struct sigaction interrupt = {.sa_handler = lines_interrupt, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    struct sigaction before;
    lines_has_table = asked->shown && asked->form == CW_QUERY_TABLE;
    sigaction(SIGINT, NULL, &before);
    if (before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &interrupt, NULL);
}

/* ---- rows ---- */

/* Reads up to the next line that gives a row. For cw_query_print. */
static int lines_next(void *user)
{
    lines_run *run = user;
    while (!lines_stopped && lines_open(run) && !fflush(stdout)) { /* readers get a row before the next line arrives */
        cw_tool_line how = cw_tool_line_next(&run->reader, &run->line);
        if (how == CW_LINE_TOO_LONG) {
            lines_refuse(run, "is longer than 64 MiB");
            continue;
        }
        if (how != CW_LINE_READ)
            lines_close(run, how);
        if (how != CW_LINE_READ || !cw_trim(run->line).size)
            continue;
        crawl_err err = lines_bind(run);
        if (err == CRAWL_EPARSE)
            lines_refuse(run, "is not a JSON object");
        if (err == CRAWL_ENOMEM)
            return SQLITE_NOMEM;
        int code = err ? SQLITE_DONE : sqlite3_step(run->statement);
        run->has_rows |= code == SQLITE_ROW;
        if (code != SQLITE_DONE)
            return code;
    }
    lines_set_status(run, lines_stopped ? CW_EXIT_STOPPED : CW_EXIT_OK);
    return SQLITE_DONE;
}

/* ---- the whole ---- */

/* Ends the run. A wrong name must not look like a site without faults: reports the first compared field that no line
 * had, or shown fields if no line had any. A field that is tested for presence, "error", "!error" or "error IS NULL",
 * may be absent everywhere. */
static int lines_end(const lines_run *run)
{
    const cw_query_fields *fields = &run->asked->fields;
    crawl_slice unknown = {0};
    bool is_shown = false, was_there = false;
    for (size_t i = 0; i < fields->count && run->has_read && !unknown.size; i++) {
        if (fields->is_compared[i] && !run->were_there[i])
            unknown = fields->paths[i];
        is_shown |= fields->is_shown[i];
        was_there |= fields->is_shown[i] && run->were_there[i];
    }
    if (!run->status && unknown.size)
        cw_tool_say(tool, "no line has %.*s, which --where compares (a text stands in quotes: '%.*s')",
                    (int)unknown.size, unknown.data, (int)unknown.size, unknown.data);
    else if (!run->status && run->has_rows && is_shown && !was_there)
        cw_tool_say(tool, "no line has %s: --columns names the fields to print", run->asked->shown);
    else
        return run->status;
    return CW_EXIT_NOTHING;
}

static void lines_print(lines_run *run, sqlite3 *db)
{
    crawl_error error = {0};
    cw_query_rows rows = {.statement = run->statement, .next = lines_next, .user = run};
    crawl_err err = CRAWL_OK;
    int code = run->asked->shown ? SQLITE_DONE : lines_next(run);
    if (run->asked->shown)
        err = cw_query_print(&rows, run->asked->form, run->asked->separator, &error);
    for (; code == SQLITE_ROW; code = lines_next(run)) {
        fwrite(run->line.data, 1, run->line.size, stdout);
        putchar('\n');
    }
    if (!err && code != SQLITE_DONE)
        err = crawl_error_set(&error, code == SQLITE_NOMEM ? CRAWL_ENOMEM : CRAWL_EINVAL, "%s", sqlite3_errmsg(db));
    if (!err)
        return;
    cw_tool_say(tool, "%s: line %lu: %s", cw_tool_name(run->path), run->reader.number,
                err == CRAWL_ENOMEM ? crawl_strerror(err) : error.message);
    lines_set_status(run, err == CRAWL_ENOMEM ? CW_EXIT_LOCAL : CW_EXIT_NOTHING);
}

static int lines_ask(lines_run *run, sqlite3 *db, const char *sql)
{
    const char *rest = "";
    int code = sqlite3_prepare_v2(db, sql, -1, &run->statement, &rest);
    if (code == SQLITE_NOMEM)
        cw_tool_say(tool, "%s", crawl_strerror(CRAWL_ENOMEM));
    else if (code || *rest)
        cw_tool_say(tool, "--where, --columns: %s; `crawl help query` explains them",
                    code ? sqlite3_errmsg(db) : "more than one statement");
    if (code || *rest)
        return code == SQLITE_NOMEM ? CW_EXIT_LOCAL : CW_EXIT_USAGE;
    if (run->asked->bom)
        fputs("\xef\xbb\xbf", stdout);
    lines_catch_interrupt(run->asked);
    lines_print(run, db);
    if (run->reader.in)
        lines_close(run, CW_LINES_END);
    return lines_end(run);
}

int cw_query_lines_run(const cw_query_lines *lines)
{
    lines_run *run = calloc(1, sizeof *run);
    sqlite3 *db = NULL;
    crawl_buf sql = {0};
    crawl_err err = run && !sqlite3_open(":memory:", &db) ? CRAWL_OK : CRAWL_ENOMEM;
    if (!err)
        err = crawl_buf_printf(&sql, "SELECT %s WHERE %s", lines->columns.size ? lines->columns.data : "1",
                               lines->where.size ? lines->where.data : "1");
    int status = CW_EXIT_LOCAL;
    if (err)
        cw_tool_say(tool, "%s", crawl_strerror(err));
    else {
        run->asked = lines;
        status = lines_ask(run, db, sql.data);
        sqlite3_finalize(run->statement);
    }
    if (run) {
        crawl_buf_free(&run->decoded);
        crawl_buf_free(&run->words);
    }
    free(run);
    sqlite3_close(db);
    crawl_buf_free(&sql);
    return status;
}

/* `crawl query`: SQL over the records, links and requests of a crawl. */
#include "results/results.h"

#include "base/bytes.h"
#include "base/text/nearest.h"
#include "tools/common/io.h"
#include "tools/common/say.h"
#include "tools/common/sitemap_feed.h"
#include "tools/common/status.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"
#include "tools/query/query_datasette.h"
#include "tools/query/query_lines.h"
#include "tools/query/query_sink.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static const char tool[] = "query";

enum { QUERY_SITEMAPS_MAX = 100 };

typedef struct query_job {
    bool csv, bom, json, tables, datasette;
    const char *sink;      /* NULL: not a sink of a crawl */
    const char *separator; /* NULL: a comma */
    const char *save;      /* NULL: a temporary database */
    const char *sitemaps[QUERY_SITEMAPS_MAX];
    int sitemap_count;
    cw_results *results;
    const char *path;        /* being read */
    unsigned long bad_lines; /* in it */
    cw_query_lines lines;    /* --where and --columns */
} query_job;

static int query_fail(const char *name, const char *words, int status)
{
    cw_tool_say(tool, "%s: %s", name, words);
    return status;
}

static int query_take_line(void *user, crawl_slice line, unsigned long number, FILE *)
{
    query_job *job = user;
    crawl_error error = {0};
    if (!cw_trim(line).size)
        return CW_EXIT_OK;
    crawl_err err = cw_results_line(job->results, line, &error);
    if (err && (err != CRAWL_EPARSE || job->bad_lines++ < CW_TOOL_BAD_LINES_NAMED))
        cw_tool_say(tool, "%s: line %lu: %s", cw_tool_name(job->path), number, error.message);
    return err == CRAWL_EPARSE ? CW_EXIT_NOTHING : err ? CW_EXIT_LOCAL : CW_EXIT_OK;
}

/* ---- sitemaps ---- */

static crawl_err query_take_sitemap_url(void *user, crawl_slice url)
{
    const query_job *job = user;
    crawl_error error = {0};
    crawl_err err = cw_results_sitemap(job->results, url, crawl_slice_from(cw_tool_name(job->path)), &error);
    if (err)
        query_fail("results", error.message, CW_EXIT_LOCAL);
    return err;
}

/* ---- the question ---- */

/* Denies statements that write, open a file, or change settings. FTS5 reads data_version. A table made by a function,
 * as json_each and that of FTS5, asks to update the schema when it is first used; SQLite lets no statement do so. */
static int query_allow(void *, int action, const char *a, const char *, const char *, const char *)
{
    bool reads = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION ||
                 action == SQLITE_RECURSIVE || (action == SQLITE_PRAGMA && a && strcmp(a, "data_version") == 0) ||
                 (action == SQLITE_UPDATE && a && strcmp(a, "sqlite_master") == 0);
    return reads ? SQLITE_OK : SQLITE_DENY;
}

/* Returns the status for a failed statement: the statement, the machine or a signal was the cause. */
static int query_status_of(sqlite3 *db)
{
    int code = sqlite3_errcode(db);
    if (code == SQLITE_INTERRUPT)
        return CW_EXIT_STOPPED;
    bool is_machine = code == SQLITE_NOMEM || code == SQLITE_IOERR || code == SQLITE_FULL || code == SQLITE_CORRUPT ||
                      code == SQLITE_BUSY || code == SQLITE_LOCKED;
    return is_machine ? CW_EXIT_LOCAL : CW_EXIT_NOTHING;
}

static cw_query_form query_form(const query_job *job)
{
    return job->csv                ? CW_QUERY_CSV
           : job->json             ? CW_QUERY_JSON
           : isatty(STDOUT_FILENO) ? CW_QUERY_TABLE
                                   : CW_QUERY_PLAIN;
}

static int query_step(void *statement)
{
    return sqlite3_step(statement);
}

static crawl_err query_print(const query_job *job, sqlite3_stmt *statement, crawl_error *error)
{
    const cw_query_rows rows = {.statement = statement, .next = query_step, .user = statement};
    if (job->bom)
        fputs("\xef\xbb\xbf", stdout);
    return cw_query_print(&rows, query_form(job), job->separator ? *job->separator : ',', error);
}

static sqlite3 *query_asked; /* being queried; NULL: none */

static void query_interrupt(int)
{
    sqlite3_interrupt(query_asked);
}

/* Prints the result. The first Ctrl-C meanwhile ends it, another one the program. Returns the exit status. */
static int query_answer(const query_job *job, sqlite3 *db, sqlite3_stmt *statement)
{
    crawl_error error = {0};
    const struct sigaction interrupt = {.sa_handler = query_interrupt, .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;
    query_asked = db;
    sigaction(SIGINT, NULL, &before);
    if (before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &interrupt, NULL);
    crawl_err err = query_print(job, statement, &error);
    sigaction(SIGINT, &before, NULL);
    if (!err)
        return CW_EXIT_OK;
    return query_fail("SQL", error.message, err == CRAWL_ENOMEM ? CW_EXIT_LOCAL : query_status_of(db));
}

/* Stores the view or table whose name is nearest to a wrong one. Empty: none is near. */
static void query_suggest(sqlite3 *db, const char *wrong, char name[CW_NEAREST_MAX + 1])
{
    sqlite3_stmt *names = NULL;
    cw_nearest nearest = {.text = crawl_slice_from(wrong)};
    *name = '\0';
    int code =
        sqlite3_prepare_v2(db, "SELECT name FROM sqlite_schema WHERE type IN ('view', 'table')", -1, &names, NULL);
    while (!code && sqlite3_step(names) == SQLITE_ROW) {
        const char *candidate = (const char *)sqlite3_column_text(names, 0);
        size_t before = nearest.best ? nearest.distance : SIZE_MAX;
        cw_nearest_offer(&nearest, candidate ? candidate : "");
        if (!nearest.best || nearest.distance >= before)
            continue;
        snprintf(name, CW_NEAREST_MAX + 1, "%s", candidate);
        nearest.best = name; /* the candidate goes with its row */
    }
    sqlite3_finalize(names);
}

/* Reports SQL that SQLite refuses. Returns the exit status. */
static int query_refuse(sqlite3 *db, const char *question, bool is_view)
{
    char near[CW_NEAREST_MAX + 1] = "", why[300];
    int status = query_status_of(db);
    snprintf(why, sizeof why, "%s", sqlite3_errmsg(db));
    if (is_view)
        query_suggest(db, question, near);
    if (*near)
        cw_tool_say(tool, "SQL: %s; did you mean %s?", why, near);
    else if (strncmp(why, "no such ", strlen("no such ")) != 0)
        query_fail("SQL", why, status);
    else
        cw_tool_say(tool, "SQL: %s; %s", why,
                    strchr(question, '"') ? "a text stands in 'single quotes'"
                                          : "`crawl query --tables` lists the views, which have URLs as text");
    return status;
}

static bool query_is_name(const char *question)
{
    while (cw_is_alnum((unsigned char)*question) || *question == '_' || *question == '-')
        question++;
    return !*question;
}

static int query_ask(const query_job *job, sqlite3 *db, const char *question)
{
    sqlite3_stmt *statement = NULL;
    const char *rest = "";
    bool is_view = query_is_name(question);
    char *sql = sqlite3_mprintf(is_view ? "SELECT * FROM \"%w\"" : "%s", question);
    if (!sql)
        return query_fail("SQL", crawl_strerror(CRAWL_ENOMEM), CW_EXIT_LOCAL);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL); /* or "from" would be a text where it is no column */
    sqlite3_set_authorizer(db, query_allow, NULL);
    int status = CW_EXIT_OK;
    const char *lack = is_view ? cw_query_lacks(db, question) : NULL;
    if (lack)
        status = query_fail(question, lack, CW_EXIT_NOTHING);
    else if (sqlite3_prepare_v2(db, sql, -1, &statement, &rest))
        status = query_refuse(db, question, is_view);
    else if (!statement || cw_trim(crawl_slice_from(rest)).size)
        status = query_fail("SQL", "expected one SELECT", CW_EXIT_NOTHING);
    else
        status = query_answer(job, db, statement);
    sqlite3_finalize(statement);
    sqlite3_set_authorizer(db, NULL, NULL);
    sqlite3_free(sql);
    return status;
}

/* Prints the names of the views with their comments from views.sql. */
static int query_list_views(void)
{
    crawl_slice rest = crawl_slice_from(cw_results_views), name, comment;
    while (cw_query_next_made(&rest, &name, &comment))
        printf("%-22.*s %.*s\n", (int)name.size, name.data, (int)comment.size, comment.data);
    return CW_EXIT_OK;
}

/* Reads the files into job->results. */
static int query_read(query_job *job, int count, char **paths)
{
    crawl_error error = {0};
    int status = CW_EXIT_OK;
    for (int i = 0; i < count && status != CW_EXIT_LOCAL; i++) {
        job->path = paths[i];
        job->bad_lines = 0;
        cw_results_next_file(job->results);
        const cw_tool_input lines = {
            .tool = tool, .path = paths[i], .longest = CW_TOOL_LINE_ROW_MAX, .line = query_take_line, .user = job};
        int own = cw_tool_lines(&lines, stdout);
        if (job->bad_lines > CW_TOOL_BAD_LINES_NAMED)
            cw_tool_say(tool, "%s: %lu lines are not from a crawl", cw_tool_name(paths[i]), job->bad_lines);
        status = own > status ? own : status;
    }
    for (int i = 0; i < job->sitemap_count && status != CW_EXIT_LOCAL; i++) {
        job->path = job->sitemaps[i];
        int own = cw_tool_read_sitemap(tool, job->path, query_take_sitemap_url, job);
        status = own > status ? own : status;
    }
    if (status != CW_EXIT_LOCAL && cw_results_finish(job->results, &error))
        status = query_fail("results", error.message, CW_EXIT_LOCAL);
    return status;
}

/* question NULL: only makes the database. */
static int query_make(query_job *job, int count, char **paths, const char *question)
{
    for (int i = 0; i < count; i++)
        if (cw_results_is_file(paths[i]))
            return query_fail(paths[i], "a database is FILE alone; --save adds lines to it", CW_EXIT_USAGE);
    crawl_error error = {0};
    crawl_err err = cw_results_open(job->save, &job->results, &error);
    if (err)
        return query_fail("results", error.message, err == CRAWL_EINVAL ? CW_EXIT_USAGE : CW_EXIT_LOCAL);
    int status = query_read(job, count, paths);
    if (status != CW_EXIT_LOCAL && question) {
        int own = query_ask(job, cw_results_database(job->results), question);
        status = own > status ? own : status;
    }
    err = cw_results_close(job->results, &error);
    return err && status != CW_EXIT_LOCAL ? query_fail("results", error.message, CW_EXIT_LOCAL) : status;
}

static int query_ask_database(const query_job *job, const char *path, const char *question)
{
    sqlite3 *db = NULL;
    crawl_error error = {0};
    crawl_err err = cw_results_read(path, &db, &error);
    if (err)
        return query_fail("results", error.message, err == CRAWL_EINVAL ? CW_EXIT_USAGE : CW_EXIT_LOCAL);
    int status = query_ask(job, db, question);
    sqlite3_close(db);
    return status;
}

static bool query_take_sitemap(void *user, const char *name, const char *value)
{
    query_job *job = user;
    if (job->sitemap_count == QUERY_SITEMAPS_MAX) {
        cw_tool_say(tool, "--%s: more than %d files", name, QUERY_SITEMAPS_MAX);
        return false;
    }
    job->sitemaps[job->sitemap_count++] = value;
    return true;
}

/* ---- lines ---- */

static bool query_take_expression(void *user, const char *name, const char *value)
{
    cw_query_lines *lines = &((query_job *)user)->lines;
    bool is_column = strcmp(name, "columns") == 0;
    crawl_buf *sql = is_column ? &lines->columns : &lines->where;
    crawl_err err = !sql->size ? CRAWL_OK : crawl_buf_append_text(sql, is_column ? ", " : " AND ");
    if (is_column)
        lines->shown = value;
    if (!err)
        err = is_column ? cw_query_columns(value, &lines->fields, sql) : crawl_buf_append_char(sql, '(');
    if (!err && !is_column)
        err = cw_query_condition(value, &lines->fields, sql);
    if (!err && !is_column)
        err = crawl_buf_append_char(sql, ')');
    lines->lacks_memory |= err == CRAWL_ENOMEM; /* not a mistake in the command line */
    if (err && err != CRAWL_ENOMEM)
        cw_tool_say(tool, "--%s %s: %s", name, value,
                    err == CRAWL_FULL ? "too many fields" : "an unterminated quote, an empty name, or a comment");
    return !err || err == CRAWL_ENOMEM;
}

static bool query_is_regular(const char *path)
{
    struct stat found;
    bool is_input = strcmp(path, "-") == 0;
    return (is_input ? fstat(STDIN_FILENO, &found) : stat(path, &found)) == 0 && S_ISREG(found.st_mode);
}

/* Returns the form for lines. A table keeps rows back to measure them, and a pipe may give the next one in an hour. */
static cw_query_form query_lines_form(const query_job *job, int count, char **paths)
{
    cw_query_form form = query_form(job);
    bool are_regular = count || query_is_regular("-");
    for (int i = 0; i < count && are_regular; i++)
        are_regular = query_is_regular(paths[i]);
    return form == CW_QUERY_TABLE && !are_regular ? CW_QUERY_PLAIN : form;
}

static int query_lines(const query_job *job, const cw_tool_syntax *syntax, int count, char **paths)
{
    cw_query_lines lines = job->lines;
    lines.form = query_lines_form(job, count, paths);
    lines.bom = job->bom;
    lines.separator = job->separator ? *job->separator : ',';
    lines.paths = paths;
    lines.path_count = count;
    if (job->save || job->sitemap_count)
        return cw_tool_refuse(syntax, "--save and --sitemap make a database, and exclude --where and --columns");
    if (job->csv && !lines.shown)
        return cw_tool_refuse(syntax, "--csv: expected --columns");
    for (int i = 0; i < count; i++)
        if (cw_results_is_file(paths[i]))
            return query_fail(paths[i], "a database, which needs SQL: --where and --columns take only lines",
                              CW_EXIT_USAGE);
    return cw_query_lines_run(&lines);
}

/* Returns true if the word is SQL or the name of a view, rather than a file. */
static bool query_is_question(const char *word)
{
    crawl_slice rest = crawl_slice_from(cw_results_views), name, comment;
    while (cw_query_next_made(&rest, &name, &comment))
        if (cw_equal_nocase(name, crawl_slice_from(word)))
            return true;
    return strpbrk(word, " \t\r\n") != NULL;
}

/* words: after the options; count: their number. */
static int query_begin(query_job *job, const cw_tool_syntax *syntax, int count, char **words)
{
    if (job->tables)
        return query_list_views();
    if (job->sink)
        return cw_query_sink(job->sink);
    if (job->datasette)
        return count == 1 ? cw_query_datasette(words[0])
                          : cw_tool_refuse(syntax, "--datasette: expected a DATABASE, alone");
    if (job->csv && job->json)
        return cw_tool_refuse(syntax, "--csv and --json exclude each other");
    if ((job->bom || job->separator) && !job->csv)
        return cw_tool_refuse(syntax, "--bom and --separator need --csv");
    if (job->separator &&
        (strlen(job->separator) != 1 || (unsigned char)*job->separator > 0x7f || strchr("\"\r\n", *job->separator)))
        return cw_tool_refuse(syntax, "--separator: expected one ASCII character other than a quote or line end");
    if (job->lines.lacks_memory)
        return query_fail("SQL", crawl_strerror(CRAWL_ENOMEM), CW_EXIT_LOCAL);
    if (job->lines.where.size || job->lines.shown)
        return query_lines(job, syntax, count, words);
    if (job->save)
        return count || cw_results_is_file(job->save) ? query_make(job, count, words, NULL)
                                                      : cw_tool_refuse(syntax, "expected FILE");
    if (count < 2)
        return cw_tool_refuse(syntax, "expected FILE and SQL, or the name of a view");
    if (access(words[count - 1], F_OK) == 0 && access(words[0], F_OK) && query_is_question(words[0]))
        return cw_tool_refuse(syntax, "the SQL, or the name of a view, comes last");
    bool is_database = count == 2 && cw_results_is_file(words[0]);
    if (is_database && job->sitemap_count)
        return cw_tool_refuse(syntax, "--sitemap needs --save, or files of lines");
    if (is_database)
        return query_ask_database(job, words[0], words[1]);
    return query_make(job, count - 1, words, words[count - 1]);
}

static int query_main(int argc, char **argv)
{
    query_job job = {0};
    const cw_tool_option known[] = {{"csv", .flag = &job.csv},
                                    {"bom", .flag = &job.bom},
                                    {"separator", .text = &job.separator},
                                    {"json", .flag = &job.json},
                                    {"save", .text = &job.save},
                                    {"sitemap", .takes_value = true, .take = query_take_sitemap},
                                    {"tables", .flag = &job.tables},
                                    {"datasette", .flag = &job.datasette},
                                    {"sink", .text = &job.sink},
                                    {"where", .takes_value = true, .take = query_take_expression},
                                    {"columns", .takes_value = true, .take = query_take_expression},
                                    {0}};
    const cw_tool_syntax syntax = {.tool = tool, .options = known, .user = &job, .help = cw_tool_help};
    int status;
    if (cw_tool_options(&syntax, argc, argv, &status))
        status = query_begin(&job, &syntax, argc - optind, argv + optind);
    crawl_buf_free(&job.lines.columns);
    crawl_buf_free(&job.lines.where);
    return status;
}

int main(int argc, char **argv)
{
    return cw_tool_main(argc, argv, query_main);
}

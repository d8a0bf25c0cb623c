/* `crawl query`: SQL over the records and links of a crawl. */
#include "results/results.h"

#include "base/bytes.h"
#include "tools/common/io.h"
#include "tools/common/say.h"
#include "tools/common/sitemap_feed.h"
#include "tools/common/status.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"
#include "tools/query/query_needs.h"
#include "tools/query/query_rows.h"

#include <string.h>
#include <unistd.h>

static const char help[] = "usage: crawl query [--csv | --json] FILE... SQL|VIEW\n"
                           "       crawl query --save DATABASE FILE...\n"
                           "       crawl query --tables\n"
                           "\n"
                           "Reads the records and links of a crawl (JSON Lines of --output and --links; `-`\n"
                           "is standard input) into a temporary database of SQLite, and prints what SQL\n"
                           "answers, or all rows of a view. --save keeps the database: it is a FILE then,\n"
                           "alone, and others such as sqlite3 and Datasette open it. Questions only read.\n"
                           "\n"
                           "  --csv     CSV (RFC 4180), with the names of columns; otherwise columns are\n"
                           "            between tabs, with bytes that would move the cursor as \\x1b\n"
                           "  --separator CHARACTER\n"
                           "            between columns of --csv, as ';' for Excel in much of Europe; ','\n"
                           "  --bom     begin --csv with the mark by which Excel knows UTF-8\n"
                           "  --json    an object a line\n"
                           "  --save DATABASE\n"
                           "            put the lines into this file, besides those it has; of a URL the\n"
                           "            latest visit stays\n"
                           "  --sitemap FILE\n"
                           "            take the URLs of a sitemap, for orphans and sitemap_faults\n"
                           "  --tables  list the views\n"
                           "  --help    this text\n"
                           "\n"
                           "Exit status: 0; 1 a line is no record and no link, SQL is wrong, or what a view\n"
                           "needs was not read; 2 usage; 4 a file or memory.\n"
                           "\n"
                           "  crawl query pages.jsonl links.jsonl broken_links\n"
                           "  crawl query pages.jsonl 'SELECT url FROM page WHERE bytes > 1e6'\n";

static const char tool[] = "query";

enum { QUERY_SITEMAPS_MAX = 100 };

typedef struct query_job {
    bool csv, bom, json, tables;
    const char *separator; /* NULL: a comma */
    const char *save;      /* NULL: a temporary database */
    const char *sitemaps[QUERY_SITEMAPS_MAX];
    int sitemap_count;
    cw_results *results;
    const char *path;
} query_job;

static int query_fail(const char *name, const char *words, int status)
{
    cw_tool_say(tool, "%s: %s", name, words);
    return status;
}

static int query_take_line(void *user, crawl_slice line, unsigned long number, FILE *out)
{
    (void)out;
    query_job *job = user;
    crawl_error error = {0};
    if (!cw_trim(line).size)
        return CW_EXIT_OK;
    crawl_err err = cw_results_line(job->results, line, &error);
    if (err)
        cw_tool_say(tool, "%s: line %lu: %s", cw_tool_name(job->path), number, error.message);
    return err == CRAWL_EPARSE ? CW_EXIT_NOTHING : err ? CW_EXIT_LOCAL : CW_EXIT_OK;
}

/* ---- sitemaps ---- */

static crawl_err query_take_entry(void *user, const crawl_sitemap_entry *entry)
{
    const query_job *job = user;
    crawl_error error = {0};
    crawl_slice name = crawl_slice_from(cw_tool_name(job->path));
    return entry->is_sitemap ? CRAWL_OK : cw_results_sitemap(job->results, crawl_url_request(entry->url), name, &error);
}

/* Of one that is broken or too large the URLs before that count. */
static int query_read_sitemap(query_job *job)
{
    crawl_sitemap *sitemap = NULL;
    const crawl_sitemap_options options = {.size = sizeof options, .on_entry = query_take_entry, .user = job};
    crawl_sitemap_stats stats = {0};
    FILE *in = cw_tool_open(tool, job->path);
    if (!in)
        return CW_EXIT_LOCAL;
    crawl_err err = crawl_sitemap_create(&options, &sitemap);
    if (!err) {
        err = cw_tool_feed_sitemap(tool, sitemap, in);
        crawl_sitemap_stats_get(sitemap, &stats);
    }
    crawl_sitemap_free(sitemap);
    cw_tool_close(in);
    if (!err && !stats.broken)
        return CW_EXIT_OK;
    bool is_local = err == CRAWL_ENOMEM || err == CRAWL_EIO;
    return query_fail(cw_tool_name(job->path),
                      err && err != CRAWL_EPARSE ? crawl_strerror(err) : "no sitemap, or a broken one",
                      is_local ? CW_EXIT_LOCAL : CW_EXIT_NOTHING);
}

/* ---- the question ---- */

/* No statement writes, opens a file, or sets what holds beyond it. */
static int query_allow(void *user, int action, const char *a, const char *b, const char *c, const char *d)
{
    (void)user;
    (void)b;
    (void)c;
    (void)d;
    bool reads = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION ||
                 action == SQLITE_RECURSIVE ||
                 (action == SQLITE_PRAGMA && a && strcmp(a, "data_version") == 0); /* of the full text search */
    return reads ? SQLITE_OK : SQLITE_DENY;
}

/* Of a statement that cannot be prepared: is it the statement, or the machine? */
static int query_status_of(sqlite3 *db)
{
    int code = sqlite3_errcode(db);
    bool is_machine = code == SQLITE_NOMEM || code == SQLITE_IOERR || code == SQLITE_FULL || code == SQLITE_CORRUPT;
    return is_machine ? CW_EXIT_LOCAL : CW_EXIT_NOTHING;
}

static crawl_err query_print(const query_job *job, sqlite3_stmt *statement, crawl_error *error)
{
    if (job->bom)
        fputs("\xef\xbb\xbf", stdout);
    return cw_query_print(statement,
                          job->csv    ? CW_QUERY_CSV
                          : job->json ? CW_QUERY_JSON
                                      : CW_QUERY_PLAIN,
                          job->separator ? *job->separator : ',', error);
}

static int query_ask(const query_job *job, sqlite3 *db, const char *question)
{
    crawl_error error = {0};
    sqlite3_stmt *statement = NULL;
    const char *rest = "";
    bool is_view = strspn(question, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(question);
    char *sql = sqlite3_mprintf(is_view ? "SELECT * FROM \"%w\"" : "%s", question);
    if (!sql)
        return query_fail("SQL", crawl_strerror(CRAWL_ENOMEM), CW_EXIT_LOCAL);
    sqlite3_set_authorizer(db, query_allow, NULL);
    int status = CW_EXIT_OK;
    const char *lack = is_view ? cw_query_lacks(db, question) : NULL;
    if (lack)
        status = query_fail(question, lack, CW_EXIT_NOTHING);
    else if (sqlite3_prepare_v2(db, sql, -1, &statement, &rest))
        status = query_fail("SQL", sqlite3_errmsg(db), query_status_of(db));
    else if (!statement || cw_trim(crawl_slice_from(rest)).size)
        status = query_fail("SQL", "expected one SELECT", CW_EXIT_NOTHING);
    else if (query_print(job, statement, &error))
        status = query_fail("SQL", error.message, error.code == CRAWL_ENOMEM ? CW_EXIT_LOCAL : query_status_of(db));
    sqlite3_finalize(statement);
    sqlite3_set_authorizer(db, NULL, NULL);
    sqlite3_free(sql);
    return status;
}

/* Prints the comments of views.sql beside the names. */
static int query_list_views(void)
{
    crawl_slice rest = crawl_slice_from(cw_results_views), comment = {0};
    while (rest.size) {
        crawl_slice line = cw_cut(&rest, '\n');
        if (cw_take_text(&line, "-- "))
            comment = line;
        else if (cw_take_text(&line, "CREATE VIEW "))
            printf("%-22.*s %.*s\n", (int)cw_find_char(line, ' '), line.data, (int)comment.size, comment.data);
    }
    return CW_EXIT_OK;
}

/* Reads the files into job->results. */
static int query_read(query_job *job, int count, char **paths)
{
    crawl_error error = {0};
    int status = CW_EXIT_OK;
    for (int i = 0; i < count && status != CW_EXIT_LOCAL; i++) {
        job->path = paths[i];
        const cw_tool_input lines = {
            .tool = tool, .path = paths[i], .longest = CW_TOOL_LINE_ROW_MAX, .line = query_take_line, .user = job};
        int own = cw_tool_lines(&lines, stdout);
        status = own > status ? own : status;
    }
    for (int i = 0; i < job->sitemap_count && status != CW_EXIT_LOCAL; i++) {
        job->path = job->sitemaps[i];
        int own = query_read_sitemap(job);
        status = own > status ? own : status;
    }
    if (status != CW_EXIT_LOCAL && cw_results_finish(job->results, &error))
        status = query_fail("results", error.message, CW_EXIT_LOCAL);
    return status;
}

/* question: NULL: the database is only made. */
static int query_make(query_job *job, int count, char **paths, const char *question)
{
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

static bool query_is_database(const char *path)
{
    static const char magic[] = "SQLite format 3"; /* with its NUL */
    char head[sizeof magic] = "";
    FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");
    bool is_database = file && fread(head, 1, sizeof head, file) == sizeof head && !memcmp(head, magic, sizeof head);
    if (file)
        fclose(file);
    return is_database;
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
                                    {0}};
    const cw_tool_syntax syntax = {.tool = tool, .options = known, .user = &job, .help = help};
    int status;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    if (job.tables)
        return query_list_views();
    if (job.csv && job.json)
        return cw_tool_refuse(&syntax, "--csv and --json exclude each other");
    if ((job.bom || job.separator) && !job.csv)
        return cw_tool_refuse(&syntax, "--bom and --separator belong to --csv");
    if (job.separator &&
        (strlen(job.separator) != 1 || (unsigned char)*job.separator > 0x7f || strchr("\"\r\n", *job.separator)))
        return cw_tool_refuse(&syntax, "--separator: expected one character of ASCII, no quote and no line end");
    char **words = argv + optind;
    int count = argc - optind;
    if (job.save)
        return count ? query_make(&job, count, words, NULL) : cw_tool_refuse(&syntax, "expected FILE");
    if (count < 2)
        return cw_tool_refuse(&syntax, "expected FILE and SQL, or the name of a view");
    bool is_database = count == 2 && query_is_database(words[0]);
    if (is_database && job.sitemap_count)
        return cw_tool_refuse(&syntax, "--sitemap belongs to --save, or to files of lines");
    if (is_database)
        return query_ask_database(&job, words[0], words[1]);
    return query_make(&job, count - 1, words, words[count - 1]);
}

int main(int argc, char **argv)
{
    return cw_tool_main(argc, argv, query_main);
}

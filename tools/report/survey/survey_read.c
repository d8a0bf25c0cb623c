#include "tools/report/survey/survey_read.h"

#include "base/bytes.h"
#include "tools/common/io.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/sitemap_feed.h"
#include "tools/common/status.h"
#include "tools/report/survey/survey_settle.h"

#include <crawl/frontier.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static const char tool[] = "report";

/* ---- files ---- */

static void survey_read_refuse_line(cw_survey *survey, const char *path, unsigned long number, const char *why)
{
    if (survey->bad_lines++ < CW_TOOL_BAD_LINES_NAMED)
        cw_tool_say(tool, "%s: line %lu: %s", cw_tool_name(path), number, why);
    else if (survey->bad_lines == CW_TOOL_BAD_LINES_NAMED + 1)
        cw_tool_say(tool, "further bad lines are counted");
}

static crawl_err survey_read_lines(cw_survey *survey, const char *path, cw_tool_line_reader *lines, cw_tool_line *how,
                                   crawl_error *error)
{
    crawl_slice line;
    crawl_err err = CRAWL_OK;
    while (!err || err == CRAWL_EPARSE) {
        *error = (crawl_error){0};
        *how = cw_tool_line_next(lines, &line);
        if (*how != CW_LINE_READ && *how != CW_LINE_TOO_LONG)
            return CRAWL_OK;
        if (*how == CW_LINE_READ && !line.size)
            continue;
        err = *how == CW_LINE_READ ? cw_results_line(survey->results, line, error) : CRAWL_EPARSE;
        if (err == CRAWL_EPARSE)
            survey_read_refuse_line(survey, path, lines->number,
                                    *error->message ? error->message : "longer than 16 MiB");
    }
    return err;
}

static int local_failure(const char *name, const char *why)
{
    cw_tool_say(tool, "%s: %s", name, why);
    return CW_EXIT_LOCAL;
}

static int survey_read_database_failure(const crawl_error *error)
{
    return local_failure("the database of the report", error->message);
}

int cw_survey_read(cw_survey *survey, const char *path)
{
    cw_tool_line how = CW_LINES_END;
    cw_tool_line_reader lines = {.in = cw_tool_open_text(tool, path), .longest = CW_SURVEY_LINE_MAX};
    if (!lines.in)
        return CW_EXIT_LOCAL;
    cw_results_next_file(survey->results);
    crawl_error error = {0};
    crawl_err err = survey_read_lines(survey, path, &lines, &how, &error);
    int status = err ? survey_read_database_failure(&error) : cw_tool_end_of_lines(tool, cw_tool_name(path), how);
    cw_tool_close(lines.in);
    cw_tool_line_free(&lines);
    return status;
}

/* ---- sitemaps ---- */

static crawl_err survey_read_take_url(void *user, crawl_slice url)
{
    cw_survey *survey = user;
    survey->has_sitemap_file = true;
    crawl_error error = {0};
    crawl_err err = cw_results_sitemap(survey->results, url, crawl_slice_from("--sitemap"), &error);
    if (err)
        survey_read_database_failure(&error);
    return err;
}

int cw_survey_read_sitemap(cw_survey *survey, const char *path)
{
    int status = cw_tool_read_sitemap(tool, path, survey_read_take_url, survey);
    survey->has_sitemap_file |= status == CW_EXIT_OK; /* even if it names no page */
    survey->bad_lines += status == CW_EXIT_NOTHING;
    return status == CW_EXIT_NOTHING ? CW_EXIT_OK : status;
}

/* ---- the earlier crawl ---- */

/* Reads lines into a file of results. */
static int survey_read_into(cw_survey *old, const char *lines, const char *path)
{
    crawl_error error = {0};
    crawl_err err = cw_results_open(path, &old->results, &error);
    int status = err ? local_failure(path, error.message) : cw_survey_read(old, lines);
    err = cw_results_close(old->results, &error);
    old->results = NULL;
    return err && !status ? local_failure(path, error.message) : status;
}

static int survey_read_attach(cw_survey *old, const char *path)
{
    crawl_err err = cw_survey_attach(old, path);
    if (!err)
        err = cw_survey_settle_pages(old);
    if (err == CRAWL_ENOMEM)
        return local_failure(path, crawl_strerror(err));
    return err ? CW_EXIT_LOCAL : CW_EXIT_OK;
}

static int survey_read_database(cw_survey *old, const char *path)
{
    sqlite3 *looked_at = NULL;
    crawl_error error = {0};
    crawl_err err = cw_results_read(path, &looked_at, &error); /* its error says so if another program wrote the file */
    sqlite3_close(looked_at);
    if (err)
        cw_tool_say(tool, "%s", error.message);
    return err ? CW_EXIT_LOCAL : survey_read_attach(old, path);
}

int cw_survey_read_old(cw_survey *old, const char *path)
{
    crawl_buf name = {0};
    if (cw_results_is_file(path))
        return survey_read_database(old, path);
    const char *folder = getenv("TMPDIR");
    if (crawl_buf_printf(&name, "%s/crawl-report-XXXXXX", folder ? folder : "/var/tmp"))
        return local_failure(path, crawl_strerror(CRAWL_ENOMEM));
    int file = mkstemp(name.data);
    int status = file < 0 ? local_failure(name.data, strerror(errno)) : survey_read_into(old, path, name.data);
    if (!status)
        status = survey_read_attach(old, name.data);
    if (file >= 0) {
        close(file);
        unlink(name.data);
    }
    crawl_buf_free(&name);
    return status;
}

/* ---- the directory of --state ---- */

static bool count_queued(const crawl_frontier_host *host, void *user)
{
    cw_survey *survey = user;
    survey->queued += host->ready + host->delayed;
    return true;
}

int cw_survey_read_state(cw_survey *survey, const char *directory)
{
    crawl_error error = {0};
    crawl_frontier_view *view = NULL;
    cw_tool_memory_begin_disk();
    crawl_err err = crawl_frontier_view_open(directory, &view, &error);
    if (!err)
        err = crawl_frontier_view_hosts(view, count_queued, survey, &error);
    if (!err) {
        uint64_t revisits = crawl_frontier_view_summary(view)->revisits;
        survey->queued -= revisits < survey->queued ? revisits : survey->queued;
    }
    crawl_frontier_view_free(view);
    survey->has_state = !err;
    return err ? local_failure(directory, *error.message ? error.message : crawl_strerror(err)) : CW_EXIT_OK;
}

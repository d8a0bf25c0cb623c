#include "tools/report/survey/survey_read.h"

#include "base/bytes.h"
#include "tools/common/io.h"
#include "tools/common/say.h"
#include "tools/common/sitemap_feed.h"
#include "tools/common/status.h"
#include "tools/report/survey/survey_links.h"

#include <crawl/frontier.h>

static const char tool[] = "report";

/* ---- files ---- */

static void survey_read_refuse_line(cw_survey *survey, const char *path, unsigned long number, const char *why)
{
    enum { NAMED = 10 }; /* in a file that is not one of ours each line is bad */
    if (survey->bad_lines++ < NAMED)
        cw_tool_say(tool, "%s: line %lu: %s", cw_tool_name(path), number, why);
    else if (survey->bad_lines == NAMED + 1)
        cw_tool_say(tool, "further bad lines are counted");
}

static crawl_err survey_read_lines(cw_survey *survey, const char *path, cw_survey_take *take,
                                   cw_tool_line_reader *lines, cw_tool_line *how)
{
    crawl_slice line;
    crawl_err err = CRAWL_OK;
    while (err != CRAWL_ENOMEM && err != CRAWL_EIO) {
        crawl_error error = {0};
        *how = cw_tool_line_next(lines, &line);
        if (*how != CW_LINE_READ && *how != CW_LINE_TOO_LONG)
            return CRAWL_OK;
        if (*how == CW_LINE_READ && !line.size)
            continue;
        err = *how == CW_LINE_READ ? take(survey, line, &error) : CRAWL_EPARSE;
        if (err == CRAWL_EPARSE)
            survey_read_refuse_line(survey, path, lines->number, *error.message ? error.message : "longer than 16 MiB");
    }
    return err;
}

static int local_failure(const char *name, const char *why)
{
    cw_tool_say(tool, "%s: %s", name, why);
    return CW_EXIT_LOCAL;
}

int cw_survey_read(cw_survey *survey, const char *path, cw_survey_take *take)
{
    cw_tool_line how = CW_LINES_END;
    cw_tool_line_reader lines = {.in = cw_tool_open_text(tool, path), .longest = CW_SURVEY_LINE_MAX};
    if (!lines.in)
        return CW_EXIT_LOCAL;
    crawl_err err = survey_read_lines(survey, path, take, &lines, &how);
    int status = err ? local_failure(cw_tool_name(path), crawl_strerror(err))
                     : cw_tool_end_of_lines(tool, cw_tool_name(path), how);
    cw_tool_close(lines.in);
    cw_tool_line_free(&lines);
    return status;
}

/* ---- sitemaps ---- */

static crawl_err survey_read_take_entry(void *user, const crawl_sitemap_entry *entry)
{
    return entry->is_sitemap ? CRAWL_OK : cw_survey_add_sitemap_url(user, crawl_url_request(entry->url));
}

/* Ends a sitemap. If it is broken or too large, what came before that counts. */
static int end_sitemap(cw_survey *survey, const char *name, crawl_err err, const crawl_sitemap_stats *stats)
{
    if (err == CRAWL_ENOMEM || err == CRAWL_EIO)
        return local_failure(name, crawl_strerror(err));
    if (!err && !stats->broken)
        return CW_EXIT_OK;
    survey->bad_lines++;
    cw_tool_say(tool, "%s: %s; %llu URLs could be read", name,
                err == CRAWL_FULL ? "too large for a sitemap" : "no sitemap, or a broken one",
                (unsigned long long)stats->entries);
    return CW_EXIT_OK;
}

int cw_survey_read_sitemap(cw_survey *survey, const char *path)
{
    crawl_sitemap *sitemap = NULL;
    crawl_sitemap_stats stats = {0};
    const crawl_sitemap_options options = {.size = sizeof options, .on_entry = survey_read_take_entry, .user = survey};
    FILE *in = cw_tool_open(tool, path);
    if (!in)
        return CW_EXIT_LOCAL;
    survey->has_sitemap = survey->has_sitemap_file = true;
    crawl_err err = crawl_sitemap_create(&options, &sitemap);
    if (!err) {
        err = cw_tool_feed_sitemap(tool, sitemap, in);
        crawl_sitemap_stats_get(sitemap, &stats);
    }
    int status = end_sitemap(survey, cw_tool_name(path), err, &stats);
    crawl_sitemap_free(sitemap);
    cw_tool_close(in);
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
    crawl_err err = crawl_frontier_view_open(directory, &view, &error);
    if (!err)
        err = crawl_frontier_view_hosts(view, count_queued, survey, &error);
    crawl_frontier_view_free(view);
    survey->has_state = !err;
    return err ? local_failure(directory, *error.message ? error.message : crawl_strerror(err)) : CW_EXIT_OK;
}

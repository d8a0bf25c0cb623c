/* See read.h. */
#include "crawler/program/tools/report/survey/read.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "crawler/program/tools/io.h"
#include "crawler/program/tools/say.h"
#include "crawler/program/tools/sitemap_feed.h"
#include "crawler/program/tools/tools.h"

#include <crawl/frontier.h>

static const char tool[] = "report";

/* ---- fields ---- */

static crawl_slice text_of(const json_t *row, const char *field)
{
    const json_t *value = json_object_get(row, field);
    return crawl_slice_of(json_string_value(value), json_string_length(value));
}

/* Reads a number, limited to the range from 0 to most. */
static uint64_t number_of(const json_t *row, const char *field, double most)
{
    double value = json_number_value(json_object_get(row, field));
    return value > 0 ? (uint64_t)(value < most ? value : most) : 0;
}

/* "2026-11-22T19:24:10.123Z" as 20261122192410123: in the order of time. 0: it is no such date. */
static uint64_t date_of(crawl_slice text)
{
    enum { DIGITS = 17 };
    uint64_t date = 0;
    unsigned digits = 0;
    for (size_t i = 0; i < text.size && digits < DIGITS; i++)
        if (cw_is_digit((unsigned char)text.data[i])) {
            date = date * 10 + (uint64_t)(text.data[i] - '0');
            digits++;
        }
    return digits == DIGITS ? date : 0;
}

static bool asks_for(const json_t *row, const char *word)
{
    size_t i;
    const json_t *value;
    json_array_foreach(json_object_get(row, "robots"), i, value)
    {
        if (json_is_string(value) && strcmp(json_string_value(value), word) == 0)
            return true;
    }
    return false;
}

/* Reads an object from a line whose bytes need not be UTF-8. NULL: it is none; *err says why. */
static json_t *object_of(crawl_slice line, crawl_err *err, crawl_error *error)
{
    json_error_t why = {.text = "not an object"};
    crawl_buf repaired = {0};
    if (cw_utf8_valid_prefix(line) != line.size) {
        *err = cw_utf8_repair(line, &repaired);
        line = crawl_buf_slice(&repaired);
    }
    json_t *row = *err ? NULL : cw_json_read(line, &why);
    crawl_buf_free(&repaired);
    if (json_is_object(row) || *err)
        return row;
    *err = crawl_error_set(error, CRAWL_EPARSE, "%s", row ? "not an object" : why.text);
    json_decref(row);
    return NULL;
}

static crawl_err want(crawl_error *error, const char *field)
{
    return crawl_error_set(error, CRAWL_EPARSE, "no \"%s\"", field);
}

/* ---- lines ---- */

static cw_survey_record record_of(const json_t *row)
{
    const double most = 1e15;
    json_t *ids = json_object_get(row, "ids");
    const json_t *data = json_object_get(row, "data");
    return (cw_survey_record){
        .url = text_of(row, "url"),
        .canonical = text_of(row, "canonical"),
        .method = text_of(row, "method"),
        .title = cw_trim(text_of(row, "title")),
        .type = text_of(row, "content_type"),
        .error = text_of(row, "error"),
        .detail = text_of(row, "detail"),
        .redirect = text_of(row, "redirect"),
        .parent = text_of(row, "parent"),
        .digest = text_of(row, "digest"),
        .near_to = text_of(row, "near_duplicate_of"),
        .names = text_of(data, "canonical"),
        .bytes = number_of(row, "bytes", most),
        .elapsed_ms = number_of(row, "elapsed_ms", most),
        .when = date_of(text_of(row, "fetched_at")),
        .depth = (uint32_t)number_of(row, "depth", UINT32_MAX),
        .status = (int)number_of(row, "status", 999),
        .is_unchanged = json_is_false(json_object_get(row, "changed")),
        .ids = json_is_array(ids) ? ids : NULL,
        .ids_cut = json_is_true(json_object_get(row, "ids_cut")),
        .is_external = json_is_true(json_object_get(row, "external")),
        .is_read = text_of(row, "charset").size > 0,
        .has_text_hash = text_of(row, "simhash").size > 0,
        .has_data = json_is_object(data),
        .has_description = text_of(data, "description").size > 0,
        .has_heading = json_array_size(json_object_get(data, "h1")) > 0,
        .noindex = asks_for(row, "noindex"),
        .nofollow = asks_for(row, "nofollow"),
    };
}

crawl_err cw_survey_take_record(cw_survey *survey, crawl_slice line, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    json_t *row = object_of(line, &err, error);
    if (!row)
        return err;
    cw_survey_record record = record_of(row);
    err = record.url.size ? cw_survey_add(survey, &record) : want(error, "url");
    json_decref(row);
    return err;
}

crawl_err cw_survey_take_link(cw_survey *survey, crawl_slice line, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    json_t *row = object_of(line, &err, error);
    if (!row)
        return err;
    const cw_survey_link link = {
        .from = text_of(row, "from"),
        .to = text_of(row, "to"),
        .text = cw_trim(text_of(row, "text")),
        .tag = text_of(row, "tag"),
        .is_invalid = cw_is(text_of(row, "verdict"), "no-url"),
        .leads_out = cw_is(text_of(row, "verdict"), "scope"),
    };
    err = link.from.size && text_of(row, "verdict").size ? cw_survey_add_link(survey, &link) : want(error, "from");
    json_decref(row);
    return err;
}

static crawl_err count_request(cw_survey *survey, const json_t *row)
{
    crawl_slice kind = text_of(row, "kind");
    cw_survey_host *host = cw_survey_host_at(survey, cw_survey_host_of(text_of(row, "host")));
    if (cw_is(kind, "sitemap") && text_of(row, "url").size)
        return cw_survey_add_sitemap(survey, text_of(row, "url"));
    if (!host)
        return CRAWL_OK;
    host->requests++;
    host->retries += number_of(row, "attempt", 1e9) > 1;
    if (cw_is(kind, "robots")) {
        host->asked_robots = true;
        host->robots = (int)number_of(row, "status", 999);
    }
    return CRAWL_OK;
}

crawl_err cw_survey_take_request(cw_survey *survey, crawl_slice line, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    json_t *row = object_of(line, &err, error);
    if (!row)
        return err;
    if (!text_of(row, "event").size)
        err = want(error, "event");
    else if (cw_is(text_of(row, "event"), "end"))
        err = count_request(survey, row);
    json_decref(row);
    return err;
}

/* ---- files ---- */

static void refuse_line(cw_survey *survey, const char *path, unsigned long number, const char *why)
{
    enum { NAMED = 10 }; /* in a file that is not one of ours each line is bad */
    if (survey->bad_lines++ < NAMED)
        cw_tool_say(tool, "%s: line %lu: %s", cw_tool_name(path), number, why);
    else if (survey->bad_lines == NAMED + 1)
        cw_tool_say(tool, "further bad lines are counted");
}

static crawl_err read_lines(cw_survey *survey, const char *path, cw_survey_take *take, cw_tool_line_reader *lines,
                            cw_tool_line *how)
{
    crawl_slice line;
    crawl_err err = CRAWL_OK;
    while (err != CRAWL_ENOMEM) {
        crawl_error error = {0};
        *how = cw_tool_line_next(lines, &line);
        if (*how != CW_LINE_READ && *how != CW_LINE_TOO_LONG)
            return CRAWL_OK;
        if (*how == CW_LINE_READ && !line.size)
            continue;
        err = *how == CW_LINE_READ ? take(survey, line, &error) : CRAWL_EPARSE;
        if (err == CRAWL_EPARSE)
            refuse_line(survey, path, lines->number, *error.message ? error.message : "longer than 16 MiB");
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
    cw_tool_line_reader lines = {.in = cw_tool_open(tool, path), .longest = CW_SURVEY_LINE_MAX};
    if (!lines.in)
        return CW_EXIT_LOCAL;
    crawl_err err = read_lines(survey, path, take, &lines, &how);
    int status = err ? local_failure(cw_tool_name(path), crawl_strerror(err))
                     : cw_tool_end_of_lines(tool, cw_tool_name(path), how);
    cw_tool_close(lines.in);
    cw_tool_line_free(&lines);
    return status;
}

/* ---- sitemaps ---- */

static crawl_err take_entry(void *user, const crawl_sitemap_entry *entry)
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
    const crawl_sitemap_options options = {.on_entry = take_entry, .user = survey};
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

static bool has_name_of_sitemap(crawl_slice url)
{
    crawl_slice path = crawl_slice_of(url.data, cw_find_any(url, "?#"));
    crawl_slice last = cw_drop(path, cw_find_last(path, '/') < path.size ? cw_find_last(path, '/') : 0);
    return cw_ends_with(last, ".xml") || cw_ends_with(last, ".xml.gz") ||
           (last.size && memmem(last.data, last.size, "sitemap", strlen("sitemap")));
}

void cw_survey_find_sitemap_pages(cw_survey *survey)
{
    for (size_t i = 0; i < survey->pages.count; i++) {
        cw_survey_page *page = survey->pages.items[i];
        crawl_slice parent = page->says.parent;
        if (!parent.size ||
            (!cw_map_get(survey->sitemaps, parent) && (cw_survey_find(survey, parent) || !has_name_of_sitemap(parent))))
            continue;
        page->in_sitemap = survey->has_sitemap = true;
    }
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

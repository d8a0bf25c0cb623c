/* See command_explain.h. Finds facts about a URL in the files of a crawl: its last record in a file of --output, and
 * the last link to it in one of --links. Each URL reads a file from beginning to end. A line is parsed as JSON only if
 * it contains the URL's fingerprint, or its host's name. A line that is not JSON, such as the last one of a killed
 * crawl, is ignored. */
#include "config/config_values.h"
#include "crawler/program/commands/explain/command_explain.h"
#include "tools/common/compressed.h"
#include "tools/common/io.h"

#include <errno.h>
#include <inttypes.h>

static bool records_contains(crawl_slice line, crawl_slice words)
{
    return words.size && memmem(line.data, line.size, words.data, words.size);
}

/* Returns true if the link leads to this URL, comparing keys. */
static bool leads_to(cw_explain_world *world, const cw_explain_url *url, const char *to)
{
    crawl_buf_clear(&world->canonical);
    return to && crawl_url_parse(world->url, crawl_slice_from(to), NULL, NULL) == CRAWL_OK &&
           crawl_url_canonical_by(world->url, crawl_judge_canonical(world->judge), &world->canonical) == CRAWL_OK &&
           crawl_slice_equal(crawl_buf_slice(&world->canonical), url->rules.canonical);
}

static void records_keep(json_t **kept, json_t *row)
{
    json_decref(*kept);
    *kept = json_incref(row);
}

static void records_take_line(cw_explain_world *world, cw_explain_url *url, crawl_slice line, crawl_slice fingerprint)
{
    bool is_record = records_contains(line, fingerprint);
    if (!is_record && (!records_contains(line, crawl_slice_from("\"verdict\"")) ||
                       !records_contains(line, crawl_url_hostname(url->url))))
        return;
    json_t *row = cw_json_read(line, NULL);
    const char *key = cw_tool_json_field(row, "fingerprint");
    if (key && crawl_slice_equal(crawl_slice_from(key), fingerprint))
        records_keep(&url->record, row);
    else if (!key && cw_tool_json_field(row, "verdict") && leads_to(world, url, cw_tool_json_field(row, "to")))
        records_keep(&url->edge, row);
    json_decref(row);
}

/* Reads a file. Lines longer than CW_TOOL_LINE_ROW_MAX are ignored too, and take no memory. */
static crawl_err scan(cw_explain_world *world, cw_explain_url *url, FILE *file)
{
    char hex[41];
    crawl_slice line;
    cw_tool_line_reader lines = {.in = file, .longest = CW_TOOL_LINE_ROW_MAX};
    crawl_fingerprint_hex(&url->rules.fingerprint, hex);
    cw_tool_line how = cw_tool_line_next(&lines, &line);
    for (; how == CW_LINE_READ || how == CW_LINE_TOO_LONG; how = cw_tool_line_next(&lines, &line))
        if (how == CW_LINE_READ)
            records_take_line(world, url, line, crawl_slice_from(hex));
    cw_tool_line_free(&lines);
    return how == CW_LINES_FAILED ? CRAWL_EIO : how == CW_LINES_NO_MEMORY ? CRAWL_ENOMEM : CRAWL_OK;
}

crawl_err cw_explain_read_records(cw_explain_world *world, cw_explain_url *url)
{
    cw_explain_drop_records(url);
    for (size_t i = 0; i < world->record_count; i++) {
        const char *path = world->records[i];
        errno = 0;
        FILE *file = cw_tool_compressed(fopen(path, "rb"));
        crawl_err err = file ? scan(world, url, file) : CRAWL_EIO;
        int why = errno;
        if (file)
            fclose(file);
        if (err)
            return crawl_error_set(&world->error, err, "%s: %s", path,
                                   err == CRAWL_EIO && why ? cw_tool_compressed_error(why) : crawl_strerror(err));
    }
    return CRAWL_OK;
}

void cw_explain_drop_records(cw_explain_url *url)
{
    json_decref(url->record);
    json_decref(url->edge);
    url->record = url->edge = NULL;
}

/* --- the checks --- */

static const char *records_field(const json_t *row, const char *name)
{
    const char *text = cw_tool_json_field(row, name);
    return text ? text : "";
}

static json_int_t number(const json_t *row, const char *name)
{
    return json_integer_value(json_object_get(row, name));
}

/* Writes "status 200, 5 links" or "timeout: words"; the verdict on an answer in place of the page; then the time, the
 * attempt and the parent. */
static void explain_say_record(const json_t *row, cw_writer *rule)
{
    const char *error = records_field(row, "error");
    if (*error)
        cw_put_format(rule, "%s: %s", error, records_field(row, "detail"));
    else
        cw_put_format(rule, "status %" JSON_INTEGER_FORMAT ", %" JSON_INTEGER_FORMAT " links", number(row, "status"),
                      number(row, "links"));
    if (*error && number(row, "status"))
        cw_put_format(rule, ", status %" JSON_INTEGER_FORMAT, number(row, "status"));
    if (!*error && *records_field(row, "verdict"))
        cw_put_format(rule, ", %s", records_field(row, *records_field(row, "detail") ? "detail" : "verdict"));
    if (*records_field(row, "rendered"))
        cw_put_format(rule, ", rendered (%s): %s", records_field(json_object_get(row, "render"), "why"),
                      records_field(row, "rendered"));
    if (json_is_true(json_object_get(json_object_get(row, "data"), "paywalled")))
        cw_put_format(rule, ", behind a paywall by its JSON-LD");
    if (*records_field(row, "redirect"))
        cw_put_format(rule, ", redirected to %s", records_field(row, "redirect"));
    cw_put_format(rule, ", on %s, depth %" JSON_INTEGER_FORMAT ", attempt %" JSON_INTEGER_FORMAT,
                  records_field(row, "fetched_at"), number(row, "depth"), number(row, "attempt"));
    if (*records_field(row, "parent"))
        cw_put_format(rule, ", found on %s", records_field(row, "parent"));
}

static bool records_is_part(const json_t *row)
{
    return json_is_true(json_object_get(row, "requisite"));
}

bool cw_explain_is_part(const cw_explain_url *url)
{
    return records_is_part(url->edge) || records_is_part(url->record);
}

/* Names the page, and the element too if a link says that the URL is a part. A record names only the page. */
void cw_explain_say_part(const cw_explain_url *url, cw_writer *rule)
{
    if (records_is_part(url->edge))
        cw_put_format(rule, "a part of %s, by %s %s", records_field(url->edge, "from"), records_field(url->edge, "tag"),
                      records_field(url->edge, "attr"));
    else
        cw_put_format(rule, "a part of %s", records_field(url->record, "parent"));
}

static bool is_queued_by(const char *verdict)
{
    return strcmp(verdict, "new") == 0 || strcmp(verdict, "seen") == 0 || strcmp(verdict, "repeated") == 0;
}

cw_explain_verdict cw_explain_record(const cw_explain_world *, const cw_explain_url *url, cw_writer *rule)
{
    const char *link = records_field(url->edge, "verdict");
    bool refused = false;
    if (url->record) {
        refused = !url->found.queued;
        explain_say_record(url->record, rule);
    } else if (url->edge) {
        refused = !url->found.queued && !url->found.seen && !is_queued_by(link);
        cw_put_format(rule, "no record; the link to it on %s: %s", records_field(url->edge, "from"), link);
    } else {
        cw_put_format(rule, "no record, and no link to it");
    }
    return refused ? CW_EXPLAIN_REFUSE : CW_EXPLAIN_PASS;
}

/* Judges counted limits. They cannot be checked, because only a running crawl has the counts, in memory. */
cw_explain_verdict cw_explain_counts(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule)
{
    const crawl_config *config = world->config;
    bool has_query = memchr(url->rules.canonical.data, '?', url->rules.canonical.size) != NULL;
    const char *comma = "";
    const struct {
        const char *name;
        uint64_t limit;
    } limits[] = {
        {"max_queries", has_query && !url->rules.seed ? config->max_queries : 0},
        {"max_pages_per_host", config->max_pages_per_host},
        {"max_pages_per_domain", config->max_pages_per_domain},
    };
    const char *link = records_field(url->edge, "verdict");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (!limits[i].limit)
            continue;
        if (!url->record && strcmp(link, limits[i].name) == 0) {
            cw_writer_cut(rule, 0);
            cw_put_format(rule, "crawl.%s = %" PRIu64 " was reached, for the link on %s", limits[i].name,
                          limits[i].limit, records_field(url->edge, "from"));
            return CW_EXPLAIN_REFUSE;
        }
        cw_put_format(rule, "%scrawl.%s = %" PRIu64, comma, limits[i].name, limits[i].limit);
        comma = ", ";
    }
    cw_put_format(rule,
                  *comma ? ": counted while a crawl runs, and not kept (see --records FILE)" : "no such limit is set");
    /* a queued URL was within the limits, and a record tells the fate of its URL */
    return !*comma || url->record || url->found.seen ? CW_EXPLAIN_PASS : CW_EXPLAIN_UNKNOWN;
}

/* See explain.h. What the files of a crawl say of a URL: its last record in one of --output, the last link to it in one
 * of --links. A file is read from end to end for each URL; a line is read as JSON only where the URL's fingerprint, or
 * the name of its host, stands in it. A line that is none, as the last one of a crawl that was killed, says nothing. */
#include "crawler/program/tools/explain/explain.h"
#include "crawler/program/tools/io.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static bool contains(crawl_slice line, crawl_slice words)
{
    return words.size && memmem(line.data, line.size, words.data, words.size);
}

/* Does the link lead to this URL, as its key has it? */
static bool leads_to(cw_explain_world *world, const cw_explain_url *url, const char *to)
{
    return to && crawl_url_parse(world->url, crawl_slice_from(to), NULL, NULL) == CRAWL_OK &&
           cw_key_canonical(&world->key, world->url, &world->canonical) == CRAWL_OK &&
           crawl_slice_equal(crawl_buf_slice(&world->canonical), crawl_buf_slice(&url->canonical));
}

static void keep(json_t **kept, json_t *row)
{
    json_decref(*kept);
    *kept = json_incref(row);
}

static void take_line(cw_explain_world *world, cw_explain_url *url, crawl_slice line, crawl_slice fingerprint)
{
    bool is_record = contains(line, fingerprint);
    if (!is_record &&
        (!contains(line, crawl_slice_from("\"verdict\"")) || !contains(line, crawl_url_hostname(url->url))))
        return;
    json_t *row = json_loadb(line.data, line.size, 0, NULL);
    const char *key = cw_json_field(row, "fingerprint");
    if (key && crawl_slice_equal(crawl_slice_from(key), fingerprint))
        keep(&url->record, row);
    else if (!key && cw_json_field(row, "verdict") && leads_to(world, url, cw_json_field(row, "to")))
        keep(&url->edge, row);
    json_decref(row);
}

static crawl_err scan(cw_explain_world *world, cw_explain_url *url, FILE *file)
{
    char hex[41];
    char *line = NULL;
    size_t capacity = 0;
    ssize_t size;
    crawl_fingerprint_hex(&url->fingerprint, hex);
    while ((size = getline(&line, &capacity, file)) > 0)
        take_line(world, url, crawl_slice_of(line, (size_t)size), crawl_slice_from(hex));
    crawl_err err = ferror(file) ? CRAWL_EIO : feof(file) ? CRAWL_OK : CRAWL_ENOMEM;
    free(line);
    return err;
}

crawl_err cw_explain_read_records(cw_explain_world *world, cw_explain_url *url)
{
    cw_explain_drop_records(url);
    for (size_t i = 0; i < world->record_count; i++) {
        const char *path = world->records[i];
        errno = 0;
        FILE *file = fopen(path, "rb");
        crawl_err err = file ? scan(world, url, file) : CRAWL_EIO;
        int why = errno;
        if (file)
            fclose(file);
        if (err)
            return crawl_error_set(&world->error, err, "%s: %s", path,
                                   err == CRAWL_EIO && why ? strerror(why) : crawl_strerror(err));
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

static const char *field(const json_t *row, const char *name)
{
    const char *text = cw_json_field(row, name);
    return text ? text : "";
}

static json_int_t number(const json_t *row, const char *name)
{
    return json_integer_value(json_object_get(row, name));
}

/* "200, 5 links, 1.2 s" or "timeout: words"; then when, which attempt, and where from. */
static crawl_err say_record(const json_t *row, crawl_buf *rule)
{
    const char *error = field(row, "error");
    crawl_err err = *error ? crawl_buf_printf(rule, "%s: %s", error, field(row, "detail"))
                           : crawl_buf_printf(rule, "status %" JSON_INTEGER_FORMAT ", %" JSON_INTEGER_FORMAT " links",
                                              number(row, "status"), number(row, "links"));
    if (!err && *error && number(row, "status"))
        err = crawl_buf_printf(rule, ", status %" JSON_INTEGER_FORMAT, number(row, "status"));
    if (!err && *field(row, "redirect"))
        err = crawl_buf_printf(rule, ", redirected to %s", field(row, "redirect"));
    if (!err)
        err = crawl_buf_printf(rule, ", on %s, depth %" JSON_INTEGER_FORMAT ", attempt %" JSON_INTEGER_FORMAT,
                               field(row, "fetched_at"), number(row, "depth"), number(row, "attempt"));
    if (!err && *field(row, "parent"))
        err = crawl_buf_printf(rule, ", found on %s", field(row, "parent"));
    return err;
}

static bool is_queued_by(const char *verdict)
{
    return strcmp(verdict, "new") == 0 || strcmp(verdict, "seen") == 0 || strcmp(verdict, "repeated") == 0;
}

crawl_err cw_explain_record(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                            crawl_buf *rule)
{
    (void)world;
    const char *link = field(url->edge, "verdict");
    bool is_out = !url->found.queued;
    *verdict = CW_VERDICT_PASS;
    if (url->record) {
        *verdict = is_out ? CW_VERDICT_REFUSE : CW_VERDICT_PASS;
        return say_record(url->record, rule);
    }
    if (!url->edge)
        return crawl_buf_append_text(rule, "no record, and no link to it");
    *verdict = is_out && !url->found.seen && !is_queued_by(link) ? CW_VERDICT_REFUSE : CW_VERDICT_PASS;
    return crawl_buf_printf(rule, "no record; the link to it on %s: %s", field(url->edge, "from"), link);
}

/* What counts is kept in the memory of a crawl alone. */
crawl_err cw_explain_counts(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                            crawl_buf *rule)
{
    const crawl_config *config = world->config;
    bool has_query = memchr(url->canonical.data, '?', url->canonical.size) != NULL;
    const char *comma = "";
    const struct {
        const char *name;
        uint64_t limit;
    } limits[] = {
        {"max_queries", has_query && !url->seed ? config->max_queries : 0},
        {"max_pages_per_host", config->max_pages_per_host},
        {"max_pages_per_domain", config->max_pages_per_domain},
    };
    const char *link = field(url->edge, "verdict");
    *verdict = CW_VERDICT_PASS;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (!limits[i].limit)
            continue;
        if (!url->record && strcmp(link, limits[i].name) == 0) {
            *verdict = CW_VERDICT_REFUSE;
            crawl_buf_clear(rule);
            return crawl_buf_printf(rule, "crawl.%s = %" PRIu64 " was reached, for the link on %s", limits[i].name,
                                    limits[i].limit, field(url->edge, "from"));
        }
        *verdict = CW_VERDICT_UNKNOWN;
        crawl_err err = crawl_buf_printf(rule, "%scrawl.%s = %" PRIu64, comma, limits[i].name, limits[i].limit);
        if (err)
            return err;
        comma = ", ";
    }
    if (*verdict == CW_VERDICT_PASS)
        return crawl_buf_append_text(rule, "within no limit that is counted");
    if (url->record || url->found.seen)
        *verdict = CW_VERDICT_PASS; /* it was let through, or its record says why not */
    return crawl_buf_append_text(rule, ": counted as a crawl goes, and not kept (--records FILE: what it did)");
}

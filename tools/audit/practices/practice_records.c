#include "tools/audit/practices/practice_log.h"

#include "base/map.h"
#include "base/text/date_scan.h"
#include "tools/common/io.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct practice_records {
    const char *tool;
    cw_practice_findings *findings;
    cw_practice_log *log;
    cw_map *nofollow; /* URLs of pages with nofollow */
    uint64_t count;
    crawl_err err;
} practice_records;

typedef struct practice_url {
    char text[1];
} practice_url;

static bool says_nofollow(const json_t *row)
{
    const json_t *robots = json_object_get(row, "robots");
    for (size_t i = 0; i < json_array_size(robots); i++) {
        const char *word = json_string_value(json_array_get(robots, i));
        if (word && strcmp(word, "nofollow") == 0)
            return true;
    }
    return false;
}

/* Checks the parent. A redirect is followed whatever its page says, and a part of a page is not one of its links. */
static void check_parent(practice_records *r, const json_t *row, uint64_t number)
{
    const char *parent = cw_tool_json_field(row, "parent");
    if (!parent || json_is_true(json_object_get(row, "requisite")))
        return;
    if (cw_map_get(r->nofollow, crawl_slice_from(parent)))
        cw_practice_break(r->findings, CW_PRACTICE_NOFOLLOW, 0, "record %" PRIu64 ": %.80s was followed from %.80s",
                          number, cw_tool_json_field(row, "url"), parent);
}

static crawl_err note_page(practice_records *r, const json_t *row, const char *url)
{
    if (!says_nofollow(row) || cw_tool_json_field(row, "redirect") || cw_map_get(r->nofollow, crawl_slice_from(url)))
        return CRAWL_OK;
    return cw_map_make(r->nofollow, crawl_slice_from(url), sizeof(practice_url), offsetof(practice_url, text))
               ? CRAWL_OK
               : CRAWL_ENOMEM;
}

static void note_wall(const practice_records *r, const json_t *row)
{
    const char *verdict = cw_tool_json_field(row, "verdict");
    const char *error = cw_tool_json_field(row, "error"); /* without a verdict: the robots.txt of its host met one */
    const char *date = cw_tool_json_field(row, "fetched_at");
    cw_date_parts parts;
    bool is_wall = verdict && (strcmp(verdict, "wall") == 0 || strcmp(verdict, "challenge") == 0);
    if (!is_wall && !(error && strcmp(error, "wall") == 0))
        return;
    if (date && cw_date_scan(crawl_slice_from(date), "%Y-%m-%dT%H:%M:%S%f%z", &parts))
        cw_practice_log_wall(r->log, cw_date_seconds(&parts) * 1000000);
}

static int take_record(void *user, crawl_slice line, unsigned long number, FILE *)
{
    practice_records *r = user;
    json_error_t why;
    json_t *row = line.size ? cw_json_read(line, &why) : json_object();
    const char *url = row ? cw_tool_json_field(row, "url") : NULL;
    if (line.size && !url) {
        cw_tool_say(r->tool, "--records: line %lu is not a record", number);
        json_decref(row);
        return CW_EXIT_USAGE;
    }
    if (url) {
        r->count++;
        check_parent(r, row, number);
        note_wall(r, row);
        r->err = r->err ? r->err : note_page(r, row, url);
    }
    json_decref(row);
    return r->err ? CW_EXIT_LOCAL : CW_EXIT_OK;
}

int cw_practice_records_read(const char *tool, const char *path, cw_practice_findings *findings, cw_practice_log *log)
{
    practice_records r = {.tool = tool, .findings = findings, .log = log};
    r.nofollow = cw_map_create((uintptr_t)&r);
    r.err = r.nofollow ? CRAWL_OK : CRAWL_ENOMEM;
    const cw_tool_input input = {
        .tool = tool, .path = path, .longest = (size_t)256 << 20, .line = take_record, .user = &r};
    int status = r.err ? CW_EXIT_LOCAL : cw_tool_lines(&input, stdout);
    if (r.err)
        cw_tool_say(tool, "%s", crawl_strerror(r.err));
    size_t pages = r.nofollow ? cw_map_count(r.nofollow) : 0;
    if (!status)
        cw_practice_tell(findings, CW_PRACTICE_NOFOLLOW, "%zu pages of %" PRIu64 " records say so", pages, r.count);
    cw_map_free_values(r.nofollow);
    return status;
}

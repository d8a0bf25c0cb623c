#include "tools/mcp/tally.h"

#include "base/bytes.h"
#include "base/json/pick.h"
#include "base/utf8.h"
#include "tools/common/input_lines.h"
#include "tools/mcp/handles.h"
#include "tools/mcp/outgoing.h"

#include <stdlib.h>

/* Calls each for the lines of a file, until it returns false. */
static void tally_lines(const char *path, bool (*each)(void *user, crawl_slice line), void *user)
{
    cw_tool_line_reader lines = {.in = cw_mcp_try(fopen(path, "rbe")), .longest = CW_TOOL_LINE_ROW_MAX};
    crawl_slice line;
    if (!lines.in)
        return;
    for (bool goes = true; goes;) {
        cw_tool_line got = cw_tool_line_next(&lines, &line);
        if (got == CW_LINES_NO_MEMORY)
            cw_tool_memory_must(CRAWL_ENOMEM);
        goes = got == CW_LINE_TOO_LONG || (got == CW_LINE_READ && each(user, line));
    }
    cw_tool_line_free(&lines);
    fclose(lines.in);
}

/* ---- records ---- */

typedef struct tally_reader {
    bool (*each)(void *user, const cw_mcp_record *record);
    void *user;
    crawl_buf decoded;
} tally_reader;

static bool tally_take_record(void *user, crawl_slice line)
{
    enum { URL, TITLE, ERROR, VERDICT, REDIRECT, STATUS, BYTES, COUNT };
    static const crawl_slice names[COUNT] = {
        CW_JSON_NAME("url"),      CW_JSON_NAME("title"),  CW_JSON_NAME("error"), CW_JSON_NAME("verdict"),
        CW_JSON_NAME("redirect"), CW_JSON_NAME("status"), CW_JSON_NAME("bytes"),
    };
    tally_reader *reader = user;
    cw_json_value values[COUNT];
    crawl_buf_clear(&reader->decoded);
    if (cw_utf8_valid_prefix(line) < line.size || !cw_json_pick(line, names, COUNT, values) ||
        values[URL].kind != CW_JSON_STRING)
        return true;
    cw_tool_memory_must(crawl_buf_reserve(&reader->decoded, line.size));
    cw_mcp_record record = {.line = line,
                            .url = cw_json_decoded(&values[URL], &reader->decoded),
                            .title = cw_json_decoded(&values[TITLE], &reader->decoded),
                            .error = cw_json_decoded(&values[ERROR], &reader->decoded),
                            .verdict = cw_json_decoded(&values[VERDICT], &reader->decoded),
                            .redirect = cw_json_decoded(&values[REDIRECT], &reader->decoded),
                            .status = (unsigned)cw_json_number(&values[STATUS]),
                            .bytes = (uint64_t)cw_json_number(&values[BYTES])};
    record.is_failed = !record.status || record.status >= 400 || record.error.data || record.verdict.data;
    return reader->each(reader->user, &record);
}

void cw_mcp_records(const char *path, bool (*each)(void *user, const cw_mcp_record *record), void *user)
{
    tally_reader reader = {.each = each, .user = user};
    tally_lines(path, tally_take_record, &reader);
    crawl_buf_free(&reader.decoded);
}

static bool tally_add(void *user, const cw_mcp_record *record)
{
    cw_mcp_tally *tally = user;
    tally->pages++;
    tally->failed += record->is_failed;
    tally->unanswered += !record->status;
    tally->bytes += record->bytes;
    return true;
}

void cw_mcp_tally_count(const crawl_buf *place, cw_mcp_tally *tally)
{
    crawl_buf path = {0};
    cw_tool_memory_must(crawl_buf_printf(&path, "%s/" CW_MCP_RECORDS, place->data));
    cw_mcp_records(path.data, tally_add, tally);
    crawl_buf_free(&path);
}

/* ---- rows ---- */

static void tally_set_field(json_t *row, const char *name, crawl_slice value)
{
    if (value.data)
        json_object_set_new(row, name, cw_mcp_clean(value));
}

static bool tally_add_row(void *user, const cw_mcp_record *record)
{
    cw_mcp_rows *rows = user;
    if (rows->only_failed && !record->is_failed)
        return true;
    rows->more = rows->passed >= rows->start + rows->most;
    if (rows->more)
        return false;
    if (rows->passed++ < rows->start)
        return true;
    json_t *row = json_pack("{s:o, s:i}", "url", cw_mcp_clean(record->url), "status", (int)record->status);
    tally_set_field(row, "title", record->title);
    tally_set_field(row, "error", record->error);
    tally_set_field(row, "verdict", record->verdict);
    tally_set_field(row, "redirect", record->redirect);
    char *line = json_dumps(row, JSON_COMPACT);
    cw_tool_memory_must(crawl_buf_printf(&rows->text, "%s%s", rows->text.size ? "\n" : "", line));
    free(line);
    json_decref(row);
    return true;
}

void cw_mcp_rows_read(const char *path, cw_mcp_rows *rows)
{
    cw_mcp_records(path, tally_add_row, rows);
}

/* ---- the log of requests, and progress ---- */

typedef struct tally_requests {
    int64_t pause;
    json_t *holds;
    crawl_buf host;
} tally_requests;

static bool tally_take_request(void *user, crawl_slice line)
{
    enum { PAUSE, HOST, HOLD, BY, COUNT };
    static const crawl_slice names[COUNT] = {CW_JSON_NAME("pause"), CW_JSON_NAME("host"), CW_JSON_NAME("hold_until"),
                                             CW_JSON_NAME("hold_by")};
    tally_requests *requests = user;
    cw_json_value values[COUNT];
    if (cw_utf8_valid_prefix(line) < line.size || !cw_json_pick(line, names, COUNT, values))
        return true;
    if (values[PAUSE].kind == CW_JSON_NUMBER)
        requests->pause = (int64_t)cw_json_number(&values[PAUSE]);
    if (values[HOST].kind != CW_JSON_STRING)
        return true;
    bool asks = cw_is(values[BY].bytes, "retry-after") || cw_is(values[BY].bytes, "ratelimit");
    int64_t until = asks ? (int64_t)cw_json_number(&values[HOLD]) : 0;
    crawl_buf_clear(&requests->host);
    cw_tool_memory_must(crawl_buf_append(&requests->host, values[HOST].bytes.data, values[HOST].bytes.size));
    int64_t before = json_integer_value(json_object_get(requests->holds, requests->host.data));
    json_object_set_new(requests->holds, requests->host.data, json_integer(cw_most(before, until)));
    return true;
}

int64_t cw_mcp_tally_requests(const crawl_buf *place, json_t *holds)
{
    tally_requests requests = {.holds = holds};
    crawl_buf path = {0};
    cw_tool_memory_must(crawl_buf_printf(&path, "%s/" CW_MCP_REQUESTS, place->data));
    tally_lines(path.data, tally_take_request, &requests);
    crawl_buf_free(&path);
    crawl_buf_free(&requests.host);
    return requests.pause;
}

bool cw_mcp_tally_more(cw_mcp_job *job)
{
    char bytes[16384];
    crawl_buf path = {0};
    uint64_t before = job->pages;
    cw_tool_memory_must(crawl_buf_printf(&path, "%s/" CW_MCP_RECORDS, job->place.data));
    FILE *file = fopen(path.data, "rbe");
    crawl_buf_free(&path);
    if (!file)
        return false;
    (void)fseeko(file, job->read, SEEK_SET);
    for (size_t size; (size = fread(bytes, 1, sizeof bytes, file)) > 0; job->read += (int64_t)size)
        for (size_t i = 0; i < size; i++)
            job->pages += bytes[i] == '\n';
    fclose(file);
    return job->pages > before;
}

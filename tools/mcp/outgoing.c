#include "tools/mcp/outgoing.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "tools/common/io.h"
#include "tools/mcp/arguments.h"
#include "tools/mcp/strangers.h"

#include <stdarg.h>

static void outgoing_send(json_t *message)
{
    (void)cw_tool_json_write(message, stdout);
    fflush(stdout);
    json_decref(message);
}

void cw_mcp_result(const cw_mcp_caller *caller, json_t *result)
{
    if (caller->modern)
        json_object_set_new(result, "resultType", json_string("complete"));
    outgoing_send(json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", caller->id, "result", result));
}

void cw_mcp_fault(json_t *id, int code, const char *words, json_t *data)
{
    json_t *error = json_pack("{s:i, s:s}", "code", code, "message", words);
    if (data)
        json_object_set_new(error, "data", data);
    outgoing_send(
        json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "id", id ? json_incref(id) : json_null(), "error", error));
}

void cw_mcp_progress(const cw_mcp_caller *caller, uint64_t done, uint64_t total)
{
    outgoing_send(json_pack("{s:s, s:s, s:{s:O, s:I, s:I, s:s}}", "jsonrpc", "2.0", "method", "notifications/progress",
                            "params", "progressToken", caller->token, "progress", (json_int_t)done, "total",
                            (json_int_t)total, "message", "pages"));
}

static void outgoing_add_text(json_t *content, json_t *text)
{
    json_array_append_new(content, json_pack("{s:s, s:o}", "type", "text", "text", text));
}

static void outgoing_finish(cw_mcp_job *job, json_t *content, bool is_error)
{
    if (job->is_silent)
        json_decref(content);
    else
        cw_mcp_result(&job->caller, json_pack("{s:o, s:b}", "content", content, "isError", is_error));
}

void cw_mcp_answer(cw_mcp_job *job, json_t *facts, crawl_slice text, bool is_error)
{
    json_t *content = json_array();
    char *line = json_dumps(facts, JSON_COMPACT);
    outgoing_add_text(content, json_string(line));
    if (text.size)
        outgoing_add_text(content, cw_mcp_marked(text));
    free(line);
    json_decref(facts);
    outgoing_finish(job, content, is_error);
}

void cw_mcp_answer_part(cw_mcp_job *job, json_t *facts, crawl_slice text, bool is_error)
{
    enum { LENGTH = 10000 };
    size_t start = (size_t)cw_mcp_number(job, "start", 0);
    while (start < text.size && ((unsigned char)text.data[start] & 0xc0) == 0x80)
        start++;
    crawl_slice rest = cw_drop(text, start < text.size ? start : text.size);
    crawl_slice part = cw_utf8_cut(rest, (size_t)cw_mcp_number(job, "length", LENGTH));
    json_object_set_new(facts, "size", json_integer((json_int_t)text.size));
    if (start)
        json_object_set_new(facts, "start", json_integer((json_int_t)start));
    if (part.size < rest.size)
        json_object_set_new(facts, "next", json_integer((json_int_t)(start + part.size)));
    cw_mcp_answer(job, facts, part, is_error);
}

void cw_mcp_refuse(cw_mcp_job *job, const char *format, ...)
{
    char words[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(words, sizeof words, format, values);
    va_end(values);
    json_t *content = json_array();
    outgoing_add_text(content, cw_mcp_clean(crawl_slice_from(words)));
    outgoing_finish(job, content, true);
}

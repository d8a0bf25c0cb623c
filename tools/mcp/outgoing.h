/* Messages that go out: a line of JSON each. */
#pragma once

#include "tools/mcp/mcp.h"

/* JSON-RPC's errors, and MCP's for a revision that is not spoken. */
enum {
    CW_MCP_NO_JSON = -32700,
    CW_MCP_NO_REQUEST = -32600,
    CW_MCP_NO_METHOD = -32601,
    CW_MCP_BAD_PARAMS = -32602,
    CW_MCP_NO_VERSION = -32022
};

#define CW_MCP_MODERN "2026-07-28"
#define CW_MCP_LEGACY "2025-11-25"
#define CW_MCP_OLDER "2025-06-18" /* of which the calls of tools are the same */

/* Takes the result over. */
void cw_mcp_result(const cw_mcp_caller *caller, json_t *result);
/* Takes data over, which may be NULL. id NULL: it is not known whom to answer. */
void cw_mcp_fault(json_t *id, int code, const char *words, json_t *data);
void cw_mcp_progress(const cw_mcp_caller *caller, uint64_t done, uint64_t total);

/* The result of a call: facts, which are taken over, as JSON, and then, unless it is empty, text of strangers between
 * marks. */
void cw_mcp_answer(cw_mcp_job *job, json_t *facts, crawl_slice text, bool is_error);
/* The same for the part of a text that the arguments start and length ask for; facts get its size, and next. */
void cw_mcp_answer_part(cw_mcp_job *job, json_t *facts, crawl_slice text, bool is_error);
/* Says what went wrong, as a result that a model can act on. */
void cw_mcp_refuse(cw_mcp_job *job, const char *format, ...) CRAWL_PRINTF(2, 3);

/* The text without what is not seen and yet read: control characters, but for tabs and line ends, marks of direction,
 * invisible operators, tags and selectors of variants. */
json_t *cw_mcp_clean(crawl_slice text);
void cw_mcp_clean_into(crawl_slice text, crawl_buf *out);

/* The same between two marks that name it; they hold a number that no page can know. */
json_t *cw_mcp_marked(crawl_slice text);

/* Outgoing messages: one JSON line each. */
#pragma once

#include "tools/mcp/mcp.h"

/* Errors of JSON-RPC, and MCP's for an unsupported revision. */
enum {
    CW_MCP_NO_JSON = -32700,
    CW_MCP_NO_REQUEST = -32600,
    CW_MCP_NO_METHOD = -32601,
    CW_MCP_BAD_PARAMS = -32602,
    CW_MCP_NO_VERSION = -32022
};

#define CW_MCP_MODERN "2026-07-28"
#define CW_MCP_LEGACY "2025-11-25"
#define CW_MCP_OLDER "2025-06-18" /* same calls of tools as in CW_MCP_LEGACY */

/* Sends a result, and takes ownership of it. */
void cw_mcp_result(const cw_mcp_caller *caller, json_t *result);
/* Sends an error. Takes ownership of data, which may be NULL. id NULL: unknown. */
void cw_mcp_fault(json_t *id, int code, const char *words, json_t *data);
void cw_mcp_progress(const cw_mcp_caller *caller, uint64_t done, uint64_t total);

/* Answers with facts as JSON, taking ownership of them, and then, unless it is empty, strangers' text between marks. */
void cw_mcp_answer(cw_mcp_job *job, json_t *facts, crawl_slice text, bool is_error);
/* Does the same for the part of a text that the arguments start and length select; adds its size and next to facts. */
void cw_mcp_answer_part(cw_mcp_job *job, json_t *facts, crawl_slice text, bool is_error);
/* Answers with an error, as a result that a model can act on. */
void cw_mcp_refuse(cw_mcp_job *job, const char *format, ...) CRAWL_PRINTF(2, 3);

/* Returns the text without invisible but effective characters: control characters except tabs and line ends, direction
 * marks, invisible operators, tags and variation selectors. */
json_t *cw_mcp_clean(crawl_slice text);
void cw_mcp_clean_into(crawl_slice text, crawl_buf *out);

/* Does the same, between two marks that label the text; they have a number that no page can know. */
json_t *cw_mcp_marked(crawl_slice text);

/* The tools, each a function that answers a job or gives it a command. */
#ifndef CW_MCP_CALLS_H
#define CW_MCP_CALLS_H

#include "tools/mcp/mcp.h"

/* tools.json. */
extern const char cw_mcp_tools[];

/* Reads the descriptions of the tools. */
void cw_mcp_calls_open(cw_mcp_server *server);
/* The description of a tool; NULL: there is none of this name. */
const json_t *cw_mcp_calls_find(const cw_mcp_server *server, const char *name);
/* Answers a call of it, or begins a job that will. arguments NULL: none. */
void cw_mcp_calls_begin(cw_mcp_server *server, const cw_mcp_caller *caller, const json_t *tool, json_t *arguments);

void cw_mcp_call_fetch(cw_mcp_job *job);
void cw_mcp_call_robots(cw_mcp_job *job);
void cw_mcp_call_crawl(cw_mcp_job *job);
void cw_mcp_call_list(cw_mcp_job *job);
void cw_mcp_call_report(cw_mcp_job *job);
void cw_mcp_call_explain(cw_mcp_job *job);

#endif

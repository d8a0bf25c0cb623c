/* The tools, each a function that answers a job or gives it a command. */
#ifndef CW_MCP_CALLS_H
#define CW_MCP_CALLS_H

#include "tools/mcp/mcp.h"

/* The text of tools.json. */
extern const char cw_mcp_tools[];

void cw_mcp_call_fetch(cw_mcp_job *job);
void cw_mcp_call_robots(cw_mcp_job *job);
void cw_mcp_call_crawl(cw_mcp_job *job);
void cw_mcp_call_list(cw_mcp_job *job);
void cw_mcp_call_report(cw_mcp_job *job);
void cw_mcp_call_explain(cw_mcp_job *job);

#endif

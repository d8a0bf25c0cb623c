/* The messages of the Model Context Protocol: https://modelcontextprotocol.io/specification. */
#pragma once

#include "tools/mcp/mcp.h"

/* Maximum bytes of a message. */
#define CW_MCP_LINE_MAX ((size_t)1 << 20)

/* Reads the descriptions of the tools. Call first. */
void cw_mcp_protocol_open(cw_mcp_server *server);
/* Answers a line of input, or begins a job that will. */
void cw_mcp_take(cw_mcp_server *server, crawl_slice line);
/* Answers a line longer than CW_MCP_LINE_MAX. */
void cw_mcp_take_none(void);

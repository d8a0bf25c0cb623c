/* tools.json as text. */
#ifndef CW_MCP_TOOLS_H
#define CW_MCP_TOOLS_H

extern const char cw_mcp_tools[];

#endif

/* Pages of a crawl as lines. */
#ifndef CW_MCP_ROWS_H
#define CW_MCP_ROWS_H

#include "tools/mcp/mcp.h"

typedef struct cw_mcp_rows {
    uint64_t start; /* how many are left out first */
    uint64_t most;
    bool only_failed;
    uint64_t passed; /* those that were left out, or are in text */
    bool more;       /* there are further ones */
    crawl_buf text;  /* an object of JSON a line: url, status, and where there are title, error, verdict, redirect */
} cw_mcp_rows;

void cw_mcp_rows_read(const char *path, cw_mcp_rows *rows);

#endif

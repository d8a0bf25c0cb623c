/* Folders and files of the server: crawls below its root, and jobs below its scratch folder. */
#pragma once

#include "tools/mcp/mcp.h"

#define CW_MCP_RECORDS "pages.jsonl"
#define CW_MCP_LINKS "links.jsonl"
#define CW_MCP_REQUESTS "requests.jsonl"
#define CW_MCP_STATE "state.mcp" /* only our own crawls are continued: others may write elsewhere */
#define CW_MCP_BODIES "bodies"

/* Opens the root (NULL: a folder in scratch) and a scratch folder of the process. CRAWL_EIO: error says why. */
crawl_err cw_mcp_handles_open(cw_mcp_server *server, const char *root, crawl_error *error);
/* Removes the scratch folder. */
void cw_mcp_handles_close(cw_mcp_server *server);

/* Makes job->folder. */
crawl_err cw_mcp_handles_make(cw_mcp_job *job);
/* Makes a folder for a crawl of this host: job->place, and its name job->handle. */
crawl_err cw_mcp_handles_make_crawl(cw_mcp_job *job, crawl_slice host);

/* Gets the path of a file of a crawl, or of NAME.jsonl in the root, which only has records. Returns false, with an
 * empty path, if there is none or it would leave the root. */
bool cw_mcp_handles_find(const cw_mcp_server *server, const char *handle, const char *file, crawl_buf *path);
/* Reads at most `most` bytes of a file; nothing if it does not exist. */
void cw_mcp_handles_read(const crawl_buf *folder, const char *file, size_t most, crawl_buf *out);

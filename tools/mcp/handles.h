/* Folders and files of the server: of crawls below its root, and of jobs below its scratch. */
#pragma once

#include "tools/mcp/mcp.h"

#define CW_MCP_RECORDS "pages.jsonl"
#define CW_MCP_LINKS "links.jsonl"
#define CW_MCP_REQUESTS "requests.jsonl"
#define CW_MCP_STATE "state.mcp" /* no crawl but ours is gone on with: others may write elsewhere */
#define CW_MCP_BODIES "bodies"

/* Opens the root (NULL: a folder in scratch) and a scratch folder of the process. CRAWL_EIO: error says why. */
crawl_err cw_mcp_handles_open(cw_mcp_server *server, const char *root, crawl_error *error);
/* Removes the scratch. */
void cw_mcp_handles_close(cw_mcp_server *server);

/* Makes job->folder. */
crawl_err cw_mcp_handles_make(cw_mcp_job *job);
/* Makes a folder for a crawl of this host: job->place, and its name, job->handle. */
crawl_err cw_mcp_handles_make_crawl(cw_mcp_job *job, crawl_slice host);

/* The path of a file of a crawl, or of NAME.jsonl in the root, which has records alone. False: there is none, or it
 * would lead out of the root; path is empty then. */
bool cw_mcp_handles_find(const cw_mcp_server *server, const char *handle, const char *file, crawl_buf *path);
/* The text of a file, at most `most` bytes of it; empty where there is none. */
void cw_mcp_handles_read(const crawl_buf *folder, const char *file, size_t most, crawl_buf *out);

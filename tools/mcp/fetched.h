/* A page as the fetch tool shows it: facts from its record, and its text in parts. */
#pragma once

#include "tools/mcp/mcp.h"

/* Returns the recently read page with this key. NULL: no longer kept. */
cw_mcp_page *cw_mcp_fetched_find(cw_mcp_server *server, const char *key);
/* Makes a page from a record, and keeps it in place of the oldest. folder: of the links, if wanted, and of bodies;
 * NULL: none. */
cw_mcp_page *cw_mcp_fetched_keep(cw_mcp_job *job, const char *key, const json_t *record, const crawl_buf *folder);
/* Answers with the requested part of the page. */
void cw_mcp_fetched_show(cw_mcp_job *job, const cw_mcp_page *page);
/* Forgets all pages. */
void cw_mcp_fetched_forget(cw_mcp_server *server);

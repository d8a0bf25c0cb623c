/* A page as the tool fetch shows it: facts of its record, and its text in parts. */
#pragma once

#include "tools/mcp/mcp.h"

/* The page of this key that was read last; NULL: it is not kept any more. */
cw_mcp_page *cw_mcp_fetched_find(cw_mcp_server *server, const char *key);
/* Makes a page of a record and keeps it in the place of the oldest. folder: of the links, where they are wanted, and of
 * bodies; NULL: there are none. */
cw_mcp_page *cw_mcp_fetched_keep(cw_mcp_job *job, const char *key, const json_t *record, const crawl_buf *folder);
/* Answers with the part of the page that the call asks for. */
void cw_mcp_fetched_show(cw_mcp_job *job, const cw_mcp_page *page);
/* Forgets all. */
void cw_mcp_fetched_forget(cw_mcp_server *server);

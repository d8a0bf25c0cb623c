/* The tools, each a function that answers a job or gives it a command. */
#ifndef CW_MCP_CALLS_H
#define CW_MCP_CALLS_H

#include "tools/mcp/mcp.h"

/* Reads the descriptions of the tools, which tools.json has. */
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

/* Reads a URL that a server may be asked for; its host becomes one of the job's. href gets it without a fragment.
 * False: it is none, and the job was answered. */
bool cw_mcp_calls_url(cw_mcp_job *job, const char *text, crawl_buf *href, crawl_buf *host);
/* Finds a file of the crawl that the argument handle names. False: there is none, and the job was answered. */
bool cw_mcp_calls_file(cw_mcp_job *job, const char *file, crawl_buf *path);

/* What a child wrote on standard error. ended: the first line of the last message, which of a crawl says why it
 * ended; faults: its errors and warnings. */
typedef struct cw_mcp_words {
    crawl_buf ended;
    crawl_buf faults;
} cw_mcp_words;
void cw_mcp_calls_words(cw_mcp_job *job, cw_mcp_words *out);
void cw_mcp_calls_words_free(cw_mcp_words *words);
/* Answers that the child did not do its work. */
void cw_mcp_calls_failed(cw_mcp_job *job);

#endif

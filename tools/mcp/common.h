/* Shared by several tools. */
#pragma once

#include "tools/mcp/mcp.h"

/* Parses a URL that a server may be asked for, and adds its host to the job's. href receives it without a fragment.
 * Returns false if it is not allowed; the job was answered. */
bool cw_mcp_common_url(cw_mcp_job *job, const char *text, crawl_buf *href, crawl_buf *host);
/* Finds a file of the crawl named by the argument handle. Returns false if there is none; the job was answered. */
bool cw_mcp_common_file(cw_mcp_job *job, const char *file, crawl_buf *path);

/* The words of a child on standard error. ended: the first line of the last message, by which a crawl says why it
 * ended; faults: its errors and warnings. */
typedef struct cw_mcp_words {
    crawl_buf ended;
    crawl_buf faults;
} cw_mcp_words;
void cw_mcp_common_words(const cw_mcp_job *job, cw_mcp_words *out);
void cw_mcp_common_words_free(cw_mcp_words *words);
/* Answers that the child has failed. */
void cw_mcp_common_failed(cw_mcp_job *job);

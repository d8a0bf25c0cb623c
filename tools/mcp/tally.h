/* Reads records of crawls. */
#pragma once

#include "tools/mcp/mcp.h"

/* A record's fields, borrowed for the call; data is NULL for absent ones. */
typedef struct cw_mcp_record {
    crawl_slice line; /* whole line */
    crawl_slice url;
    crawl_slice title;
    crawl_slice error;
    crawl_slice verdict;
    crawl_slice redirect;
    unsigned status; /* 0: no answer */
    uint64_t bytes;
    bool is_failed; /* no answer, status 400 and up, or not the page itself */
} cw_mcp_record;

/* Calls each for the records of a file, until it returns false. Skips other lines. */
void cw_mcp_records(const char *path, bool (*each)(void *user, const cw_mcp_record *record), void *user);

typedef struct cw_mcp_tally {
    uint64_t pages, failed, unanswered, bytes;
} cw_mcp_tally;

/* Counts the records in a crawl's folder. */
void cw_mcp_tally_count(const crawl_buf *place, cw_mcp_tally *tally);
/* Pages of a crawl as lines. */
typedef struct cw_mcp_rows {
    uint64_t start; /* number of rows to skip */
    uint64_t most;
    bool only_failed;
    uint64_t passed; /* rows skipped or in text */
    bool more;       /* further rows exist */
    crawl_buf text;  /* one JSON object per line: url, status, and any title, error, verdict, redirect */
} cw_mcp_rows;

void cw_mcp_rows_read(const char *path, cw_mcp_rows *rows);

/* Returns the pause, in ms, of the last request in the log of requests; robots.txt may demand a long one. Adds its
 * hosts to holds: until when they asked to wait, ms since 1970; 0: they did not. */
int64_t cw_mcp_tally_requests(const crawl_buf *place, json_t *holds);
/* Updates job->pages with what its child has written. Returns false if there is no new page. */
bool cw_mcp_tally_more(cw_mcp_job *job);

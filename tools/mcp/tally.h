/* Reads records of crawls. */
#pragma once

#include "tools/mcp/mcp.h"

/* A record's fields, borrowed for the call; data is NULL where there is none. */
typedef struct cw_mcp_record {
    crawl_slice line; /* whole */
    crawl_slice url;
    crawl_slice title;
    crawl_slice error;
    crawl_slice verdict;
    crawl_slice redirect;
    unsigned status; /* 0: no answer */
    uint64_t bytes;
    bool is_failed; /* no answer, a status of 400 and up, or not the page */
} cw_mcp_record;

/* Calls for each record of a file, until each says false. Lines that are none are left out. */
void cw_mcp_records(const char *path, bool (*each)(void *user, const cw_mcp_record *record), void *user);

typedef struct cw_mcp_tally {
    uint64_t pages, failed, bytes;
} cw_mcp_tally;

/* Counts the records of a crawl's folder. */
void cw_mcp_tally_count(const crawl_buf *place, cw_mcp_tally *tally);
/* Pages of a crawl as lines. */
typedef struct cw_mcp_rows {
    uint64_t start; /* how many are left out first */
    uint64_t most;
    bool only_failed;
    uint64_t passed; /* those that were left out, or are in text */
    bool more;       /* there are further ones */
    crawl_buf text;  /* an object of JSON a line: url, status, and where there are title, error, verdict, redirect */
} cw_mcp_rows;

void cw_mcp_rows_read(const char *path, cw_mcp_rows *rows);

/* The pause, in ms, that the last request of its log was made with: robots.txt may ask for a long one. */
int64_t cw_mcp_tally_pause(const crawl_buf *place);
/* Brings job->pages up to what its child has written. False: no page more. */
bool cw_mcp_tally_more(cw_mcp_job *job);

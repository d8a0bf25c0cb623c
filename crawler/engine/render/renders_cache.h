/* Answers to parts of pages, kept for the parts of other pages by the rules of HTTP (RFC 9111). Scripts and style
 * sheets stay fresh for ten minutes at least, as the pages of a site share one build. Not thread-safe. */
#pragma once

#include <crawl/fetch.h>
#include <sys/queue.h>

/* A copied answer. */
typedef struct cw_renders_answer {
    unsigned users;
    crawl_response response; /* status, headers and body */
    size_t size;             /* in memory */
} cw_renders_answer;

/* Copies text to *at and moves *at to its end. */
crawl_slice cw_renders_copy(char **at, crawl_slice text);

/* Copies an answer, with one user. NULL: out of memory. */
cw_renders_answer *cw_renders_answer_copy(const crawl_response *response);
void cw_renders_answer_leave(cw_renders_answer *answer);

typedef struct cw_renders_entry cw_renders_entry;
typedef struct cw_renders_cache {
    TAILQ_HEAD(cw_renders_entries, cw_renders_entry) entries; /* most recently used first */
    uint64_t bytes, most;
} cw_renders_cache;

void cw_renders_cache_init(cw_renders_cache *cache, uint64_t most);
void cw_renders_cache_free(cw_renders_cache *cache);

/* Adds the answer if it may be used again. lasts: it is a script or a style sheet. Times are in ms of the wall
 * clock. */
void cw_renders_cache_put(cw_renders_cache *cache, crawl_slice key, cw_renders_answer *answer, bool lasts,
                          int64_t now_ms);
/* Returns the answer, with one more user. NULL: absent or no longer fresh. */
cw_renders_answer *cw_renders_cache_get(cw_renders_cache *cache, crawl_slice key, int64_t now_ms);

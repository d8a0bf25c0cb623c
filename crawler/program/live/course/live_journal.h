/* The requests that were finished last, for a page that shows them as they come. They stand in a ring that the
 * crawl's threads fill and the live view's thread reads. Adding one copies a few hundred bytes under a lock; nothing is
 * printed or allocated there, so that a crawl with a live view costs hardly more than one without. */
#ifndef CW_LIVE_JOURNAL_H
#define CW_LIVE_JOURNAL_H

#include "base/writer.h"

#include <crawl/engine.h>
#include <pthread.h>

/* The requests that the ring holds: more than are finished between two looks of the view at a few hundred a second,
 * and as many as the page shows. */
#define CW_LIVE_REQUESTS 256u

/* Bytes that are kept of each text; longer texts are cut. */
enum { CW_LIVE_URL = 400, CW_LIVE_WORDS = 160, CW_LIVE_TYPE = 48 };

typedef struct cw_live_request {
    uint64_t number; /* from 1, in the order in which they were finished */
    int64_t at_ms;   /* when it was asked for, since 1970, UTC */
    double elapsed_ms;
    uint64_t bytes;
    int status; /* 0: no answer */
    uint32_t depth;
    char url[CW_LIVE_URL];
    char error[CW_LIVE_TYPE]; /* its class; "": none */
    char words[CW_LIVE_WORDS];
    char type[CW_LIVE_TYPE]; /* without parameters */
    bool is_cut;             /* the URL is longer */
} cw_live_request;

typedef struct cw_live_journal {
    pthread_mutex_t lock;
    uint64_t count; /* added so far; the last CW_LIVE_REQUESTS of them are there */
    cw_live_request ring[CW_LIVE_REQUESTS];
} cw_live_journal;

void cw_live_journal_init(cw_live_journal *journal);
void cw_live_journal_free(cw_live_journal *journal);

/* From any thread. */
void cw_live_journal_add(cw_live_journal *journal, const crawl_record *record);

/* Writes a JSON array of the requests after the number `after` that are still in the ring: the last `most` of them at
 * most, the oldest first. Returns the number of the latest request. A reader that comes late misses some requests, and
 * sees that by their numbers. */
uint64_t cw_live_journal_write(cw_live_journal *journal, uint64_t after, size_t most, cw_writer *out);

/* Copies as much of a text as fits into a field of `room` bytes, with a NUL behind it. True: the text was cut. */
bool cw_live_copy(char *field, size_t room, crawl_slice text);

#endif

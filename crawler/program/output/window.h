/* Records that are on their way to somebody who acknowledges them: how many there are, and whether the crawl must wait
 * for them. When there are too many, no request begins until half of them are left. */
#pragma once

#include <crawl/engine.h>
#include <pthread.h>

/* How many records, and bytes of them, may wait before the crawl is held: a few seconds of a fast crawl. Answers that
 * were under way come on top. */
#define CW_OUTPUTS_WINDOW_RECORDS 10000u
#define CW_OUTPUTS_WINDOW_BYTES (64u << 20)

typedef struct cw_outputs_window {
    crawl_engine *engine;
    pthread_mutex_t lock; /* of these, and of what the owner shares with its threads */
    pthread_cond_t less;  /* something was acknowledged, or it has failed */
    size_t count;         /* not acknowledged */
    size_t bytes;
    bool held;
    crawl_error failure; /* nothing is taken any more */
} cw_outputs_window;

void cw_outputs_window_init(cw_outputs_window *window, crawl_engine *engine);
void cw_outputs_window_free(cw_outputs_window *window);

/* Under the lock: counts a record of this size in. Returns the code of the failure, if there is one. */
crawl_err cw_outputs_window_enter(cw_outputs_window *window, size_t size);
/* Counts it out. Takes the lock, as all below do. */
void cw_outputs_window_leave(cw_outputs_window *window, size_t size);

/* Keeps the first failure. */
void cw_outputs_window_fail(cw_outputs_window *window, const crawl_error *failure);
/* The code of the failure; CRAWL_OK: none. */
crawl_err cw_outputs_window_failed(cw_outputs_window *window);

/* Waits until all records are acknowledged, or it has failed, as long as one is within patience_ms of the one before.
 */
void cw_outputs_window_settle(cw_outputs_window *window, int64_t patience_ms);

/* How it ended, when nobody writes any more: the failure, or CRAWL_EIO if records are left; error says how many, and
 * that `name` has not acknowledged them. error may be NULL. */
crawl_err cw_outputs_window_end(const cw_outputs_window *window, const char *name, crawl_error *error);

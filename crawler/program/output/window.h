/* Records that wait for an acknowledgement: how many there are, and whether the crawl must wait. If there are too many,
 * no request begins until half of them are left. */
#pragma once

#include <crawl/engine.h>
#include <pthread.h>

/* Maximum number of waiting records, and of their bytes, before the crawl is held: a few seconds of a fast crawl.
 * Answers already under way are added. */
#define CW_OUTPUTS_WINDOW_RECORDS 10000u
#define CW_OUTPUTS_WINDOW_BYTES (64u << 20)

typedef struct cw_outputs_window {
    crawl_engine *engine;
    pthread_mutex_t lock; /* protects the rest, and what the owner shares with its threads */
    pthread_cond_t less;  /* signalled on acknowledgement or failure */
    size_t count;         /* unacknowledged */
    size_t bytes;
    bool held;
    crawl_error failure; /* nothing is taken any more */
} cw_outputs_window;

void cw_outputs_window_init(cw_outputs_window *window, crawl_engine *engine);
void cw_outputs_window_free(cw_outputs_window *window);

/* Counts a record of this size. Call with the lock held. Returns the code of an earlier failure, if any. */
crawl_err cw_outputs_window_enter(cw_outputs_window *window, size_t size);
/* Removes a record from the count. Takes the lock, as all functions below. */
void cw_outputs_window_leave(cw_outputs_window *window, size_t size);

/* Keeps the first failure. */
void cw_outputs_window_fail(cw_outputs_window *window, const crawl_error *failure);
/* Returns the code of the failure. CRAWL_OK: none. */
crawl_err cw_outputs_window_failed(cw_outputs_window *window);

/* Waits until all records are acknowledged or it has failed, but at most patience_ms from one to the next. */
void cw_outputs_window_settle(cw_outputs_window *window, int64_t patience_ms);

/* Returns how it ended, once nobody writes any more: the failure, or CRAWL_EIO if records are left; error says how many
 * `name` has not acknowledged. error may be NULL. */
crawl_err cw_outputs_window_end(const cw_outputs_window *window, const char *name, crawl_error *error);

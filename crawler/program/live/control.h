/* What can be changed from the live view, and who may: the crawl is paused, drained or ended, a host blocked, delays
 * and connections set, by whoever shows the token that was printed at the start or given. Each change and each refusal
 * is told to whoever runs the crawl. Of the live view's thread. */
#ifndef CW_LIVE_CONTROL_H
#define CW_LIVE_CONTROL_H

#include <crawl/engine.h>

/* Names the variable of the environment that may hold the token. */
#define CW_LIVE_TOKEN "CRAWL_LIVE_TOKEN"

/* Fewer characters can be tried out. */
#define CW_LIVE_TOKEN_LEAST 16u

typedef struct cw_live_control {
    char *token; /* NULL: nothing can be changed */
    bool is_draining;
    int64_t refused_us; /* when a refusal was told last, monotonic */
    unsigned refused;   /* those since that were not told */
} cw_live_control;

/* The token of [live] token_file, else of the environment, else with may_make a new one, and *made says so.
 * CRAWL_EINVAL: it is no token, CRAWL_EIO: the file cannot be read, and error says why. CRAWL_ENOMEM. */
crawl_err cw_live_control_open(cw_live_control *control, const crawl_config *config, bool may_make, bool *made,
                               crawl_error *error);
void cw_live_control_close(cw_live_control *control);

/* Does the header Authorization show the token? In the same time for whatever else it shows of that length. */
bool cw_live_control_admits(const cw_live_control *control, crawl_slice authorization);
/* Tells of a request that was refused; not more often than once a second. */
void cw_live_control_refused(cw_live_control *control, const char *peer);

/* Does what the body asks for, a JSON object: see docs/live.md. Appends a JSON object that says what was done, or why
 * it was not. CRAWL_EINVAL: the latter. CRAWL_ENOMEM. */
crawl_err cw_live_control_do(cw_live_control *control, crawl_engine *engine, crawl_slice body, const char *peer,
                             crawl_buf *out);

/* Every second or so: a crawl that is being drained is ended once nothing is under way. */
void cw_live_control_tick(cw_live_control *control, crawl_engine *engine, const crawl_engine_stats *stats);

#endif

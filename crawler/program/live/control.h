/* Changes a running crawl from the live view: pauses, drains or ends it, blocks a host, sets delays and connections.
 * Only requests that show the token may do so; the token is given, or made and printed at the start. Each change and
 * each refusal is told to the person who runs the crawl. To be used by the live view's thread. */
#pragma once

#include <crawl/engine.h>

/* The variable of the environment that may hold the token. */
#define CW_LIVE_TOKEN "CRAWL_LIVE_TOKEN"

/* A token with fewer characters could be found by trying. */
#define CW_LIVE_TOKEN_LEAST 16u

typedef struct cw_live_control {
    char *token; /* NULL: nothing can be changed */
    bool is_draining;
    int64_t refused_us; /* when a refusal was told last, monotonic */
    unsigned refused;   /* refusals since then that were not told */
} cw_live_control;

/* Takes the token from [live] token_file, or else from the environment. With may_make, and if neither has one, makes
 * a new token, and *made says so. CRAWL_EINVAL: it is not a token; CRAWL_EIO: the file cannot be read; error says why.
 * CRAWL_ENOMEM. */
crawl_err cw_live_control_open(cw_live_control *control, const crawl_config *config, bool may_make, bool *made,
                               crawl_error *error);
void cw_live_control_close(cw_live_control *control);

/* Does the header Authorization show the token? The time that this takes tells nothing but the length of the header.
 * */
bool cw_live_control_admits(const cw_live_control *control, crawl_slice authorization);
/* Tells of a refused request, once a second at most. */
void cw_live_control_refused(cw_live_control *control, const char *peer);

/* Carries out the order in the body, a JSON object: see docs/live.md. Appends a JSON object that says what was done,
 * or why nothing was. CRAWL_EINVAL: nothing was done. CRAWL_ENOMEM. */
crawl_err cw_live_control_do(cw_live_control *control, crawl_engine *engine, crawl_slice body, const char *peer,
                             crawl_buf *out);

/* To be called every second or so: ends a crawl that is being drained once nothing is under way. */
void cw_live_control_tick(cw_live_control *control, crawl_engine *engine, const crawl_engine_stats *stats);

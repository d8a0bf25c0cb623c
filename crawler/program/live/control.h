/* Changes a running crawl from the live view: pauses, drains or ends it, blocks a host, sets delays and connections.
 * Requests must show the token, which is given, or made and printed at the start. Each change and each refusal is
 * reported to the person who runs the crawl. Only the live view's thread may use it. */
#pragma once

#include <crawl/engine.h>

/* The environment variable that may hold the token. */
#define CW_LIVE_TOKEN "CRAWL_LIVE_TOKEN"

/* A shorter token could be guessed by trying. */
#define CW_LIVE_TOKEN_LEAST 16u

typedef struct cw_live_control {
    char *token; /* NULL: nothing can be changed */
    bool is_draining;
    int64_t refused_us; /* when a refusal was last reported, monotonic */
    unsigned refused;   /* unreported refusals since then */
} cw_live_control;

/* Takes the token from [live] token_file, otherwise from the environment. If neither has one and may_make is set, makes
 * a new token, and sets *made. CRAWL_EINVAL: not a token; CRAWL_EIO: the file cannot be read; error says why.
 * CRAWL_ENOMEM. */
crawl_err cw_live_control_open(cw_live_control *control, const crawl_config *config, bool may_make, bool *made,
                               crawl_error *error);
void cw_live_control_close(cw_live_control *control);

/* Returns true if the Authorization header shows the token. The time depends only on the header's length. */
bool cw_live_control_admits(const cw_live_control *control, crawl_slice authorization);
/* Reports a refused request, at most once per second. */
void cw_live_control_refused(cw_live_control *control, const char *peer);

/* Carries out the order in the body, a JSON object (docs/live.md). Appends a JSON object that says what was done, or
 * why nothing was. CRAWL_EINVAL: nothing was done. CRAWL_ENOMEM. */
crawl_err cw_live_control_do(cw_live_control *control, crawl_engine *engine, crawl_slice body, const char *peer,
                             crawl_buf *out);

/* Ends a draining crawl once nothing is under way. Call about once per second. */
void cw_live_control_tick(cw_live_control *control, crawl_engine *engine, const crawl_engine_stats *stats);

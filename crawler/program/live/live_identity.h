/* Which crawl a live view shows: its seeds, its directory, when it began, and the settings that are not the defaults.
 * It does not change while the crawl runs, so its JSON is made once. No secret is in it: of a seed's URL the user and
 * the password are left out, and of a secret setting the value. */
#pragma once

#include <crawl/config.h>

/* URLs of the command line that are shown: a person reads no more, and there may be thousands. */
#define CW_LIVE_SEEDS 20u

typedef struct cw_live_identity {
    const crawl_config *config;
    const char *const *seeds; /* URLs of the command line */
    size_t seed_count;
    bool resumed;       /* the crawl goes on with the state in config->state */
    bool has_controls;  /* there is a token, by which it can be controlled */
    int64_t started_ms; /* since 1970, UTC */
} cw_live_identity;

/* Appends one JSON object. CRAWL_ENOMEM. */
crawl_err cw_live_identity_write(const cw_live_identity *identity, crawl_buf *out);

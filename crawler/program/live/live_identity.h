/* The identity of a crawl in a live view: its seeds, its directory, when it began, and its settings that are not
 * defaults. It does not change while the crawl runs, so its JSON is made once. It contains no secrets: it omits the
 * user and password of a seed's URL, and the values of secret settings. */
#pragma once

#include <crawl/config.h>

/* Maximum number of seeds shown: a person reads no more, and there may be thousands. */
#define CW_LIVE_SEEDS 20u

typedef struct cw_live_identity {
    const crawl_config *config;
    const char *const *seeds; /* URLs of the command line */
    size_t seed_count;
    bool resumed;       /* the crawl continues the state in config->state */
    bool has_controls;  /* a token to control it exists */
    int64_t started_ms; /* since 1970, UTC */
} cw_live_identity;

/* Appends one JSON object. CRAWL_ENOMEM. */
crawl_err cw_live_identity_write(const cw_live_identity *identity, crawl_buf *out);

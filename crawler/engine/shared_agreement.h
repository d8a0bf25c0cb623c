/* The settings that the processes of a shared crawl agree on: set by the process that creates it; others with different
 * settings are refused. */
#pragma once

#include <crawl/config.h>
#include <crawl/sys/redis.h>
#include <crawl/sys/shared.h>

enum { CW_ENGINE_CHOICES = 32, CW_ENGINE_DIGITS = 32 };

typedef struct cw_engine_agreement {
    crawl_shared_choice choices[CW_ENGINE_CHOICES];
    size_t count;
    char digits[CW_ENGINE_CHOICES][CW_ENGINE_DIGITS];
    crawl_buf rules, hosts;
} cw_engine_agreement;

/* Borrows texts of the configuration. *out must be {0} before, and freed even after CRAWL_ENOMEM. */
crawl_err cw_engine_agreement_make(const crawl_config *config, cw_engine_agreement *out);
void cw_engine_agreement_free(cw_engine_agreement *agreement);

/* The Redis server of a shared crawl, and the credentials for it. */

/* Reads state.shared, with the name of the crawl as its first value, and the password (NULL: none); the caller frees
 * both. CRAWL_EINVAL: not such a URL, or the password cannot be read. CRAWL_ENOMEM. */
crawl_err cw_engine_shared_url_read(const crawl_config *config, crawl_redis_url *url, char **password,
                                    crawl_error *error);

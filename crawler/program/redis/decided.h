/* What a shared crawl was made with, so that who joins it need not say it again. */
#ifndef CW_REMOTE_DECIDED_H
#define CW_REMOTE_DECIDED_H

#include <crawl/config.h>

typedef struct cw_remote_decided cw_remote_decided;

/* Asks the server of config->shared, three seconds at most. *out is NULL where there is no such crawl, or it cannot be
 * asked now: who joins hears of that. CRAWL_ENOMEM. */
crawl_err cw_remote_decided_ask(const crawl_config *config, cw_remote_decided **out);

/* Puts it into a configuration. Errors as those of crawl_shared_adopt. */
crawl_err cw_remote_decided_take(const cw_remote_decided *decided, crawl_config *config, crawl_error *error);

void cw_remote_decided_free(cw_remote_decided *decided);

#endif

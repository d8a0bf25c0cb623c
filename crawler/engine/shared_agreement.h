/* What the processes of a shared crawl agree on: decided by who makes it, refused where somebody who joins has it
 * otherwise. */
#ifndef CW_ENGINE_SHARED_AGREEMENT_H
#define CW_ENGINE_SHARED_AGREEMENT_H

#include <crawl/config.h>
#include <crawl/shared.h>

enum { CW_ENGINE_CHOICES = 32, CW_ENGINE_DIGITS = 32 };

typedef struct cw_engine_agreement {
    crawl_shared_choice choices[CW_ENGINE_CHOICES];
    size_t count;
    char digits[CW_ENGINE_CHOICES][CW_ENGINE_DIGITS];
    crawl_buf rules;
} cw_engine_agreement;

/* Borrows texts of the configuration. *out is {0} before; to be freed, also after CRAWL_ENOMEM. */
crawl_err cw_engine_agreement_make(const crawl_config *config, cw_engine_agreement *out);
void cw_engine_agreement_free(cw_engine_agreement *agreement);

#endif

/* A page of the web for `crawl extract`, asked for as a crawl asks: robots.txt, redirects, names and passwords of hosts
 * by the configuration. */
#ifndef CW_TRIAL_FETCH_H
#define CW_TRIAL_FETCH_H

#include <crawl/config.h>

typedef struct cw_trial_page {
    crawl_buf url; /* where the last redirect led; ends in NUL */
    crawl_buf body;
    const char *charset; /* that the server declared, a WHATWG name; NULL: none */
    bool is_there;       /* it came with status 2xx */
    bool was_asked;      /* this is not the first page of the process */
    crawl_buf reason;    /* why it did not, in words; ends in NUL */
} cw_trial_page;

/* Asks for a page; of config what says how, and nothing that it writes or reads. The page before is forgotten, and the
 * pause of politeness.delay passes first where there was one. error says what failed here: CRAWL_EINVAL, CRAWL_EPARSE,
 * CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_trial_fetch(const crawl_config *config, const char *url, cw_trial_page *page, crawl_error *error);

void cw_trial_free(cw_trial_page *page);

#endif

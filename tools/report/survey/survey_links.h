/* Links of a site, added when all records are there. Of a link to what is broken or redirects its page and words are
 * kept, of others their number. Most links lead to what was linked before, so that the latest targets, 64 MiB of them,
 * are found without the database. */
#ifndef CW_SURVEY_LINKS_H
#define CW_SURVEY_LINKS_H

#include "tools/report/survey/survey.h"

typedef struct cw_survey_link {
    crawl_slice from, to, text, tag; /* `to` is no URL if is_invalid */
    bool is_invalid;
    bool leads_out; /* of the scope of the crawl */
    cw_survey_cut cut;
} cw_survey_link;

/* CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_add_link(cw_survey *survey, const cw_survey_link *link);
/* To be called after the last one: writes what was counted. CRAWL_EIO. */
crawl_err cw_survey_end_links(cw_survey *survey);

/* Notes that a sitemap names the URL; to be called when all records are there, and before the links. CRAWL_ENOMEM,
 * CRAWL_EIO. */
crawl_err cw_survey_add_sitemap_url(cw_survey *survey, crawl_slice url);

#endif

/* The needs of tables. Each function returns what is missing, in a sentence that is true whatever the options of the
 * crawl were, or NULL: nothing is missing. A fault that was not looked for must not pass for an absent one. */
#pragma once

#include "tools/report/tables/tables.h"

typedef const char *cw_survey_needs(const cw_survey_report *report);

cw_survey_needs cw_survey_needs_links;
cw_survey_needs cw_survey_needs_judged;    /* a URL with a known result */
cw_survey_needs cw_survey_needs_responses; /* a URL with a response */
cw_survey_needs cw_survey_needs_answers;   /* a URL answered with 2xx */
cw_survey_needs cw_survey_needs_html;
cw_survey_needs cw_survey_needs_depth; /* the crawl was not kept from going deeper */
cw_survey_needs cw_survey_needs_external;
cw_survey_needs cw_survey_needs_ids;
cw_survey_needs cw_survey_needs_sitemap;
cw_survey_needs cw_survey_needs_sitemap_file; /* because a record tells only how a page was first found */
cw_survey_needs cw_survey_needs_near;
cw_survey_needs cw_survey_needs_translations; /* if pages name others by hreflang, a record of such a page */
cw_survey_needs cw_survey_needs_data;
cw_survey_needs cw_survey_needs_text;
cw_survey_needs cw_survey_needs_parts; /* parts of pages, and the links to them */
cw_survey_needs cw_survey_needs_mixed; /* the same, if a page came by https */
cw_survey_needs cw_survey_needs_guards;
cw_survey_needs cw_survey_needs_old;
cw_survey_needs cw_survey_needs_old_and_judged;

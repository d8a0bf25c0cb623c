/* The needs of tables. Each returns what is missing, in a sentence that is true whatever the options of the
 * crawl were, or NULL. A fault of which nothing was looked at must not pass for one that is not there. */
#pragma once

#include "tools/report/tables/tables.h"

typedef const char *cw_survey_needs(const cw_survey_report *report);

cw_survey_needs cw_survey_needs_links;
cw_survey_needs cw_survey_needs_judged;    /* a URL of which something is known */
cw_survey_needs cw_survey_needs_responses; /* one that a server answered for */
cw_survey_needs cw_survey_needs_answers;   /* one that came with 2xx */
cw_survey_needs cw_survey_needs_html;
cw_survey_needs cw_survey_needs_depth; /* the crawl was not kept from going deeper */
cw_survey_needs cw_survey_needs_external;
cw_survey_needs cw_survey_needs_ids;
cw_survey_needs cw_survey_needs_sitemap;
cw_survey_needs cw_survey_needs_sitemap_file; /* because a record tells only how a page was found first */
cw_survey_needs cw_survey_needs_near;
cw_survey_needs cw_survey_needs_translations; /* pages that others name by hreflang, where one does */
cw_survey_needs cw_survey_needs_data;
cw_survey_needs cw_survey_needs_text;
cw_survey_needs cw_survey_needs_parts; /* parts of pages, and the links to them */
cw_survey_needs cw_survey_needs_mixed; /* the same, where a page came by https */
cw_survey_needs cw_survey_needs_guards;
cw_survey_needs cw_survey_needs_old;
cw_survey_needs cw_survey_needs_old_and_judged;

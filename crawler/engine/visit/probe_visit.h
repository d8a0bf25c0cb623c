/* With crawl.soft_404: asks hosts for pages that cannot be there, once for each level of their folders (probes.h), and
 * holds pages against the answers. The request is an urgent one, in the host's pause, that obeys robots.txt and makes
 * no record. */
#ifndef CW_VISIT_PROBE_VISIT_H
#define CW_VISIT_PROBE_VISIT_H

#include "crawler/engine/visit/maker.h"

#include <crawl/links.h>

/* Is the page in the answer of the visit, taken for one so far, like one that cannot be there? Then the visit has that
 * verdict. The first page of a level has its host asked. */
void cw_visit_probe_judge(cw_visit *visit, const crawl_page *page);
/* The same of a redirect to this Location. */
void cw_visit_probe_judge_redirect(cw_visit *visit, crawl_slice location);

/* Is the visit one that asks? */
bool cw_visit_probe_is(const cw_visit *visit);
/* Asks. */
void cw_visit_probe_ask(cw_visit *visit);

#endif

/* With crawl.soft_404: has hosts asked for pages that cannot be there (probe_visit.c), and holds pages against the
 * answers. */
#pragma once

#include "crawler/engine/host/probes.h"
#include "crawler/engine/visit/maker.h"

#include <crawl/links.h>

/* Is the page in the answer of the visit, taken for one so far, like one that cannot be there? Then the visit has that
 * verdict. The first page of a level has its host asked. */
void cw_visit_probing_judge(cw_visit *visit, const crawl_page *page);
/* The same of a redirect to this Location. */
void cw_visit_probing_judge_redirect(cw_visit *visit, crawl_slice location);

/* The text and the target by which pages and redirects are compared. 0: the redirect leads nowhere. */
cw_host_probe_text cw_visit_probing_text(const crawl_page *page);
uint32_t cw_visit_probing_target(cw_visit *visit, crawl_slice location);

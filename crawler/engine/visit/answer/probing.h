/* With crawl.soft_404, has hosts asked for pages that cannot exist (probe_visit.c), and compares pages with the
 * answers. */
#pragma once

#include "crawler/engine/host/probes.h"
#include "crawler/engine/visit/maker.h"

#include <crawl/links.h>

/* Gives the visit the verdict "soft 404" if its answer, taken for a page so far, is like the answer for a page that
 * cannot exist. The first page of a level has its host asked. */
void cw_visit_probing_judge(cw_visit *visit, const crawl_page *page);
/* Likewise, for a redirect to this Location. */
void cw_visit_probing_judge_redirect(cw_visit *visit, crawl_slice location);

/* Return the text and the target by which pages and redirects are compared. 0: the redirect leads nowhere. */
cw_host_probe_text cw_visit_probing_text(const crawl_page *page);
uint32_t cw_visit_probing_target(cw_visit *visit, crawl_slice location);

/* https in place of http, for hosts that have asked for it. */
#ifndef CW_UPGRADE_H
#define CW_UPGRADE_H

#include "crawler/engine/visit/visit.h"

/* open: after the state. CRAWL_ENOMEM, or as crawl_frontier_notes. */
crawl_err cw_upgrade_open(crawl_engine *engine, crawl_error *error);
/* Makes https of the URL, if its host wants it so. CRAWL_ENOMEM: it is as it was. */
crawl_err cw_upgrade(crawl_engine *engine, crawl_url *url);
/* A page that was queued before its host wanted it so. */
bool cw_upgrade_wanted(const cw_visit *visit);
/* What the answer says of it. */
void cw_upgrade_note(const cw_visit *visit, const crawl_response *response);

#endif

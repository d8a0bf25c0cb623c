/* The beginning of each visit: decides whether its request may be sent. If not, the visit is refused, comes again
 * later, or has robots.txt asked for first. Otherwise the visit of its kind begins. */
#pragma once

#include "crawler/engine/visit/maker.h"

/* Begins a visit that has its lease, or sends the lease to the worker that has the host's connection (home.h). In every
 * case the visit ends the lease. */
void cw_visit_begin(cw_visit *visit);
/* Likewise, for a lease that was sent here with its host. */
void cw_visit_begin_at_home(cw_visit *visit);

/* The visit of a page: it is asked for, its answer is read, its links or its redirect are followed, and a record has
 * the outcome. Each of these functions ends the lease of the visit, sooner or later. */

/* Asks for the page; the request may be sent. */
void cw_visit_page_ask(cw_visit *visit);
/* Makes a record with this error for a page that is not asked for. */
void cw_visit_page_refuse(cw_visit *visit, crawl_error_class error_class, const char *words);
/* Makes a record with a redirect to https for a page that is not asked for by http, since its host wants https. */
void cw_visit_page_upgrade(cw_visit *visit);

/* The visit of a robots.txt. Its request goes through the frontier as an urgent one, so that it obeys the host's pause
 * like any other; until its answer is there, the host is blocked for everything else.
 *
 * The request also tells a later process, which finds it in a durable frontier, which site it is about: the site it
 * goes to or, after a redirect to another host, the one that its body names. The body is not sent. */

/* Has the robots.txt of the visit's site asked for, and ends the visit, which comes again afterwards. */
void cw_visit_robots_ask(cw_visit *visit);
/* Begins the visit of a robots.txt. It ends its lease, sooner or later. */
void cw_visit_robots_begin(cw_visit *visit);

/* The visit of a tdmrep.json (TDMRep, 7.1), with politeness.respect: once per host, after its robots.txt, and in the
 * same way: as an urgent request, within the host's pause, while the host is blocked for everything else. It obeys
 * robots.txt. An answer that is not such a file says nothing. */

/* Has the tdmrep.json of the visit's host asked for, and ends the visit, which comes again afterwards. */
void cw_visit_tdmrep_ask(cw_visit *visit);
/* Begins the visit of a tdmrep.json. It ends its lease, sooner or later. */
void cw_visit_tdmrep_begin(cw_visit *visit);

/* The visit of a sitemap (links/sitemaps.h). It makes no record, and does not count as a page. With revisit it is
 * visited again like a page, and read again if it has changed. */

/* Asks for the sitemap; the request may be sent. The visit ends its lease, sooner or later. */
void cw_visit_sitemap_ask(cw_visit *visit);
/* Queues the sitemap with https instead, since its host wants https, and ends the visit. */
void cw_visit_sitemap_upgrade(cw_visit *visit);
/* Ends the visit of a place for a feed (feeds.h) that may not be asked for. */
void cw_visit_sitemap_refuse_guess(cw_visit *visit);

/* The visit of a page that cannot exist (probing.h): an urgent request, within the host's pause, that obeys robots.txt
 * and makes no record. cw_visit_probe_is returns true for such a visit. */
bool cw_visit_probe_is(const cw_visit *visit);
void cw_visit_probe_ask(cw_visit *visit);

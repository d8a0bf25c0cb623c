/* The beginning of each visit: may its request be sent? If not, the visit ends with a refusal, comes again later, or
 * has robots.txt asked for first. Then the visit of its kind begins. */
#pragma once

#include "crawler/engine/visit/maker.h"

/* Begins a visit that has its lease, or sends the lease to the worker that has the host's connection (home.h). The
 * visit ends the lease, whatever becomes of it. */
void cw_visit_begin(cw_visit *visit);
/* The same of a lease that was sent here, with its host. */
void cw_visit_begin_at_home(cw_visit *visit);

/* The visit of a page: it is asked for, its answer is read, its links or its redirect are followed, and a record tells
 * the outcome. Each of these ends the lease of the visit, sooner or later. */

/* Asks for the page; the request may be sent. */
void cw_visit_page_ask(cw_visit *visit);
/* Makes a record with this error for a page that is not asked for. */
void cw_visit_page_refuse(cw_visit *visit, crawl_error_class error_class, const char *words);
/* Makes a record with a redirect to https for a page that is not asked for by http, since its host wants https. */
void cw_visit_page_upgrade(cw_visit *visit);

/* The visit of a robots.txt. Its request goes through the frontier as an urgent one, so that it keeps to the host's
 * pause like any other; until its answer is there the host is blocked for everything else.
 *
 * The request tells which site it is about also to a later process, which finds it in a durable frontier: that is the
 * site it goes to or, after a redirect to another host, the one that its body names. The body is not sent. */

/* Has the robots.txt of the visit's site asked for, and ends the visit, which comes again after that. */
void cw_visit_robots_ask(cw_visit *visit);
/* Begins the visit of a robots.txt. It ends its lease, sooner or later. */
void cw_visit_robots_begin(cw_visit *visit);

/* The visit of a tdmrep.json (TDMRep, 7.1), with politeness.respect: once for each host, after its robots.txt and as
 * that is asked for: as an urgent request, in the host's pause, while the host is blocked for
 * everything else. It obeys robots.txt. Whatever is no such file says nothing. */

/* Has the tdmrep.json of the visit's host asked for, and ends the visit, which comes again after that. */
void cw_visit_tdmrep_ask(cw_visit *visit);
/* Begins the visit of a tdmrep.json. It ends its lease, sooner or later. */
void cw_visit_tdmrep_begin(cw_visit *visit);

/* The visit of a sitemap (links/sitemaps.h). It makes no record, and does not count as a page. With revisit it is
 * visited again as pages are, and read again if it has changed. */

/* Asks for the sitemap; the request may be sent. The visit ends its lease, sooner or later. */
void cw_visit_sitemap_ask(cw_visit *visit);
/* Ends the visit of a place where a feed may be (feeds.h), which may not be asked for. */
void cw_visit_sitemap_refuse_guess(cw_visit *visit);

/* The visit of a page that cannot be there (probing.h), an urgent request, in the host's pause, that obeys robots.txt
 * and makes no record: is it one? */
bool cw_visit_probe_is(const cw_visit *visit);
void cw_visit_probe_ask(cw_visit *visit);

/* The frontier of a crawl, in memory or in a directory, and what is kept beside it there: which places seeds have made
 * part of the scope, what time it was, notes of the engine's user. Each place is a note under CRAWL_STATE_PLACES and
 * the directory of the seed's URL, from which any kind of scope can tell; so the kind may change from run to run. (What
 * is kept of sites is in sites.c.)
 *
 * Dates of a directory, of holds, retries and visits, are those of the engine's clock; where the wall's clock was set
 * back since the last run, they would all be farther away by so much. So the engine's clock goes on from the time at
 * least that the last run has noted. */
#pragma once

#include <crawl/engine.h>
#include <crawl/url.h>

/* Is a page that is found nearer than before asked for again, so that all pages within crawl.depth are found? Breadth
 * first needs it too: answers come in another order than requests leave, and a host that is held makes others go
 * ahead. Where pages come again in any case there is no need. */
bool cw_engine_state_is_by_depth(const crawl_config *config);
/* Opens the frontier in state.directory, with what a crawl there has left, or makes one in memory. */
crawl_err cw_engine_state_open(crawl_engine *engine, crawl_error *error);
/* Adds the places of the scope, and the hosts that seeds have named, that are kept there. */
crawl_err cw_engine_state_recall_places(crawl_engine *engine, crawl_error *error);
/* Adds the pages of earlier runs, where they have a limit, queries and bodies likewise, and keeps those of this one. */
crawl_err cw_engine_state_recall_pages(crawl_engine *engine, crawl_error *error);
/* Writes down what of queries and bodies is gathered: now and then, and at the end. As crawl_frontier_note_set. */
crawl_err cw_engine_state_flush(crawl_engine *engine);
/* The note of the place of a seed; of a place where a seed was redirected to it says "r". */
#define CW_ENGINE_PLACE_OF_SEED "s"
/* A seed, or where a seed was redirected to, widens the scope: for the next process too. */
crawl_err cw_engine_state_keep_place(crawl_engine *engine, const crawl_url *url, bool is_seed);
/* keep: now and then, from worker 0; at_once: at the end. recall: right after cw_engine_state_open. As
 * crawl_frontier_note_set, _get. */
crawl_err cw_engine_state_keep_clock(crawl_engine *engine, bool at_once);
crawl_err cw_engine_state_recall_clock(crawl_engine *engine, crawl_error *error);

/* The frontier of a crawl, in memory or in a directory, and what is kept beside it there. */
#ifndef CW_STATE_H
#define CW_STATE_H

#include <crawl/engine.h>
#include <crawl/url.h>

/* Opens the frontier in state.directory, with what a crawl there has left, or makes one in memory. */
crawl_err cw_state_open(crawl_engine *engine, crawl_error *error);
/* Adds the places of the scope, and the hosts that seeds have named, that are kept there. */
crawl_err cw_state_recall_places(crawl_engine *engine, crawl_error *error);
/* Adds the pages of earlier runs, where they have a limit, queries and bodies likewise, and keeps those of this one. */
crawl_err cw_state_recall_pages(crawl_engine *engine, crawl_error *error);
/* Writes down what of queries and bodies is gathered: now and then, and at the end. As crawl_frontier_note_set. */
crawl_err cw_state_flush(crawl_engine *engine);
/* A seed, or where a seed was redirected to, widens the scope: for the next process too. */
crawl_err cw_state_keep_place(crawl_engine *engine, const crawl_url *url, bool is_seed);
/* Notes that seeds are being read, if they are and nothing says so yet: before one of them is queued. */
crawl_err cw_state_note_seeds(crawl_engine *engine);

/* keep: now and then, from worker 0; at_once: at the end. recall: right after cw_state_open. As
 * crawl_frontier_note_set, _get. */
crawl_err cw_state_keep_clock(crawl_engine *engine, bool at_once);
crawl_err cw_state_recall_clock(crawl_engine *engine, crawl_error *error);

#endif

/* The frontier of a crawl, in memory or in a directory, and what is kept beside it there: the places that seeds have
 * added to the scope, hosts blocked by hand, the time, and notes of the engine's user. Each place is a note, named by
 * CRAWL_STATE_PLACES and the directory of the seed's URL, from which any kind of scope can tell; so the kind may change
 * from run to run. (sites.c keeps sites.)
 *
 * Dates in a directory, of holds, retries and visits, are times of the engine's clock. If the wall clock was set back
 * since the last run, they would all be farther away by that much. So the engine's clock starts no earlier than the
 * time that the last run noted. */
#pragma once

#include <crawl/engine.h>
#include <crawl/url.h>

/* Returns true if a page found at a lower depth than before is asked for again, so that all pages within crawl.depth
 * are found. Breadth first needs this too: answers come in another order than requests leave, and a held host lets
 * others overtake it. A shared crawl does not do it. */
bool cw_engine_state_is_by_depth(const crawl_config *config);
/* Opens the frontier in state.directory, with what an earlier crawl left there, or creates one in memory. */
crawl_err cw_engine_state_open(crawl_engine *engine, crawl_error *error);
/* Adds the kept places of the scope, and the kept hosts that seeds have named. */
crawl_err cw_engine_state_recall_places(crawl_engine *engine, crawl_error *error);
/* Adds the earlier runs' counts of pages and queries, if these have a limit, and their bodies, and keeps those of this
 * run. */
crawl_err cw_engine_state_recall_pages(crawl_engine *engine, crawl_error *error);
/* Writes the gathered queries and bodies: call from time to time, and at the end. Errors: see
 * crawl_frontier_note_set. */
crawl_err cw_engine_state_flush(crawl_engine *engine);
/* The note of a seed's place; the note of a place that a seed was redirected to is "r". */
#define CW_ENGINE_PLACE_OF_SEED "s"
/* Keeps a place that widens the scope, for the next process too: a seed's, or that of its redirect. */
crawl_err cw_engine_state_keep_place(crawl_engine *engine, const crawl_url *url, bool is_seed);
/* Notes in the directory whether crawl_engine_block_host has blocked the host; the frontier has its block, but not the
 * reason. recall_blocks blocks the noted hosts again; call once engine->host_table is there. */
crawl_err cw_engine_state_keep_block(crawl_engine *engine, crawl_slice origin, bool is_blocked);
crawl_err cw_engine_state_recall_blocks(crawl_engine *engine, crawl_error *error);
/* keep_clock is called from time to time by worker 0, and with at_once at the end; recall_clock right after
 * cw_engine_state_open. Errors: see crawl_frontier_note_set and crawl_frontier_note_get. */
crawl_err cw_engine_state_keep_clock(crawl_engine *engine, bool at_once);
crawl_err cw_engine_state_recall_clock(crawl_engine *engine, crawl_error *error);

/* What time it was when a crawl in a directory was last under way. Its dates, of holds, retries and visits, are those
 * of the engine's clock; where the wall's clock was set back since, they would all be farther away by so much. So the
 * engine's clock goes on from that moment at least. */
#include "base/bytes.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/state.h"

#define CLOCK_NOTE "#clock"

enum { SIZE = 8, EVERY_MS = 1000 /* by so much a date may be farther away after a kill */ };

crawl_err cw_state_keep_clock(crawl_engine *engine, bool at_once)
{
    int64_t now = cw_engine_now(engine);
    if (!engine->config->state || (!at_once && now < engine->clock_kept_ms + EVERY_MS))
        return CRAWL_OK;
    char note[SIZE];
    cw_le_put(note, (uint64_t)now, SIZE);
    engine->clock_kept_ms = now;
    return crawl_frontier_note_set(engine->frontier, crawl_slice_from(CLOCK_NOTE), crawl_slice_of(note, SIZE));
}

crawl_err cw_state_recall_clock(crawl_engine *engine, crawl_error *error)
{
    crawl_buf note = {0};
    if (!engine->config->state)
        return CRAWL_OK;
    crawl_err err = crawl_frontier_note_get(engine->frontier, crawl_slice_from(CLOCK_NOTE), &note);
    if (!err && note.size == SIZE) {
        const char *at = note.data;
        int64_t ahead_ms = (int64_t)cw_le_get(&at, SIZE) - cw_engine_now(engine);
        engine->set_back_ms = ahead_ms > 0 ? ahead_ms : 0;
        engine->clock.offset_us += engine->set_back_ms * 1000;
    }
    crawl_buf_free(&note);
    return err && err != CRAWL_ABSENT
               ? crawl_error_set(error, err, "the time of the last run cannot be read: %s", crawl_strerror(err))
               : CRAWL_OK;
}

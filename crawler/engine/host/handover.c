/* See handover.h. The site's part is preceded by these fields, in little-endian order: FORMAT 1, flags 1, walls 1,
 * failures 4, the last error 4, the end of the hold 8 (in milliseconds of the frontier's clock; 0: none), the smoothed
 * answer time 8 and the pause that follows from it 8, both in microseconds, and the run (<crawl/sys/shared.h>) 8. */
#include "crawler/engine/host/handover.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "config/config_values.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/host/pacer.h"
#include "crawler/engine/parts.h"

#include <crawl/sys/shared.h>

enum { FORMAT = 4 /* a site's note alone has 1 */, SIZE = 43, GIVEN_UP = 1, HAD_PAGE = 2 };

static bool has_one(crawl_slice note)
{
    return note.size >= SIZE && note.data[0] == FORMAT;
}

crawl_slice cw_host_handover_skip(crawl_slice note)
{
    return has_one(note) ? cw_drop(note, SIZE) : note;
}

static void handover_write_kept(const cw_host_pace_kept *kept, int64_t now_ms, int64_t run_ms, char out[SIZE])
{
    int64_t held_until_ms = kept->held_us ? now_ms + (kept->held_us + 999) / 1000 : 0;
    char *at = cw_le_put(out, FORMAT, 1);
    at = cw_le_put(at, (kept->given_up ? GIVEN_UP : 0u) | (kept->had_page ? HAD_PAGE : 0u), 1);
    at = cw_le_put(at, kept->walls, 1);
    at = cw_le_put(at, kept->failures, 4);
    at = cw_le_put(at, (uint32_t)kept->last_error, 4);
    at = cw_le_put(at, (uint64_t)held_until_ms, 8);
    at = cw_le_put(at, (uint64_t)kept->answer_us, 8);
    at = cw_le_put(at, (uint64_t)kept->adaptive_us, 8);
    cw_le_put(at, (uint64_t)run_ms, 8);
}

/* Lets a host that was given up for its walls in another run be asked anew in this one. */
static void handover_lift(cw_host_pace_kept *kept)
{
    if (!kept->given_up || !(kept->walls & 1))
        return;
    kept->given_up = false;
    kept->walls = 0;
    kept->held_us = 0;
}

static cw_host_pace_kept read_kept(const char *at, int64_t now_ms, int64_t run_ms)
{
    uint64_t format = cw_le_get(&at, 1);
    uint64_t flags = cw_le_get(&at, 1);
    cw_host_pace_kept kept = {.given_up = format == FORMAT && (flags & GIVEN_UP)};
    kept.had_page = flags & HAD_PAGE;
    kept.walls = (uint8_t)cw_le_get(&at, 1);
    kept.failures = (uint32_t)cw_le_get(&at, 4);
    kept.last_error = (int32_t)cw_le_get(&at, 4);
    int64_t held_until_ms = (int64_t)cw_le_get(&at, 8);
    kept.held_us = held_until_ms > now_ms ? (held_until_ms - now_ms) * 1000 : 0;
    kept.answer_us = (int64_t)cw_le_get(&at, 8);
    kept.adaptive_us = (int64_t)cw_le_get(&at, 8);
    if ((int64_t)cw_le_get(&at, 8) != run_ms)
        handover_lift(&kept);
    return kept;
}

static int64_t handover_run(crawl_engine *engine)
{
    crawl_shared_figures all;
    return crawl_frontier_shared_figures(engine->frontier, &all) ? 0 : all.run_ms;
}

/* ---- giving ---- */

static cw_host_pace_kept handover_move_out(const crawl_engine *engine, cw_host_record *host)
{
    cw_host_pace_kept kept = {0};
    cw_host_record_lock(host);
    if (host->gate.opened && !host->is_beyond) {
        const cw_host_pace_rules rules = cw_host_pacer_rules(engine->pacer, host);
        kept = cw_host_pace_keep(&host->gate.pace, &rules, cw_now_us());
        cw_host_pace_forget(&host->gate.pace);
    }
    cw_host_record_unlock(host);
    atomic_store(&host->is_told, false);
    return kept;
}

/* Puts the pace, or nothing, before the site's part. If hosts are counted, the note never becomes empty. */
static crawl_err handover_rewrite(crawl_engine *engine, crawl_slice origin, const cw_host_pace_kept *kept,
                                  crawl_slice before)
{
    char head[SIZE];
    crawl_buf after = {0};
    crawl_err err = CRAWL_OK;
    crawl_slice site = cw_host_handover_skip(before);
    if (cw_host_pace_is_worth_keeping(kept) || (engine->shared_hosts && !site.size)) {
        handover_write_kept(kept, cw_engine_now(engine), handover_run(engine), head);
        err = crawl_buf_append(&after, head, sizeof head);
    }
    if (!err)
        err = crawl_buf_append(&after, site.data, site.size);
    if (!err)
        err = crawl_frontier_note_set(engine->frontier, origin, crawl_buf_slice(&after));
    crawl_buf_free(&after);
    return err;
}

void cw_host_handover_give(crawl_engine *engine, cw_host_record *host)
{
    crawl_buf before = {0};
    crawl_slice origin = cw_host_record_origin(host);
    if (!atomic_load(&host->is_told)) /* it was not asked here since the note was written */
        return;
    const cw_host_pace_kept kept = handover_move_out(engine, host);
    crawl_err err = crawl_frontier_note_get(engine->frontier, origin, &before);
    err = err == CRAWL_ABSENT ? CRAWL_OK : err;
    if (!err && (cw_host_pace_is_worth_keeping(&kept) || has_one(crawl_buf_slice(&before))))
        err = handover_rewrite(engine, origin, &kept, crawl_buf_slice(&before));
    if (err)
        cw_engine_fail(engine, err, "cannot store the pace of a host");
    crawl_buf_free(&before);
}

/* ---- counting ---- */

crawl_err cw_host_handover_admit(crawl_engine *engine, cw_host_record *host)
{
    crawl_buf note = {0};
    crawl_slice origin = cw_host_record_origin(host);
    if (!engine->shared_hosts || atomic_load(&host->is_admitted))
        return CRAWL_OK;
    crawl_err err = crawl_frontier_note_get(engine->frontier, origin, &note);
    if (err == CRAWL_ABSENT) {
        const cw_host_pace_kept nothing = {0};
        err = crawl_frontier_shared_page(engine->frontier, crawl_slice_from("hosts"), engine->shared_hosts);
        err = err ? err : handover_rewrite(engine, origin, &nothing, (crawl_slice){0});
    }
    atomic_store(&host->is_admitted, !err);
    crawl_buf_free(&note);
    return err;
}

/* ---- taking ---- */

static bool handover_take(crawl_engine *engine, cw_host_record *host, const cw_host_pace_kept *kept)
{
    (void)cw_host_pacer_look(engine->pacer, host); /* creates the gate */
    cw_host_record_lock(host);
    bool is_taken = host->gate.opened && cw_host_pace_take_over(&host->gate.pace, kept, cw_now_us());
    cw_host_record_unlock(host);
    return is_taken;
}

bool cw_host_handover_take(crawl_engine *engine, cw_host_record *host)
{
    crawl_buf note = {0};
    bool is_taken = false;
    if (host->is_beyond || !engine->config->shared)
        return false;
    crawl_err err = crawl_frontier_note_get(engine->frontier, cw_host_record_origin(host), &note);
    if (!err && has_one(crawl_buf_slice(&note))) {
        const cw_host_pace_kept kept = read_kept(note.data, cw_engine_now(engine), handover_run(engine));
        is_taken = handover_take(engine, host, &kept);
    }
    if (err && err != CRAWL_ABSENT)
        cw_engine_fail(engine, err, "cannot read the stored pace of a host");
    crawl_buf_free(&note);
    return is_taken;
}

/* A fixed head, then the text. The text of a refusal is the name of its class, a space and the words. */

enum { SITE_FORMAT = 1, HEAD_SIZE = 31, ASKED_SITEMAPS = 1, VAIN_SHIFT = 1, VAIN_MASK = 3, NO_TDMREP = 8 };

crawl_err cw_host_site_note_write(const cw_host_site_note *note, crawl_buf *out)
{
    char head[HEAD_SIZE];
    char *at = cw_le_put(head, SITE_FORMAT, 1);
    at = cw_le_put(at, note->robots, 1);
    at = cw_le_put(at,
                   (note->asked_sitemaps ? ASKED_SITEMAPS : 0u) | (note->vain & VAIN_MASK) << VAIN_SHIFT |
                       (note->no_tdmrep ? NO_TDMREP : 0u),
                   1);
    at = cw_le_put(at, note->sitemaps, 4);
    at = cw_le_put(at, (uint64_t)note->expires_ms, 8);
    at = cw_le_put(at, (uint64_t)note->hold_until_ms, 8);
    cw_le_put(at, (uint64_t)note->away_until_ms, 8);
    crawl_buf_clear(out);
    crawl_err err = crawl_buf_append(out, head, sizeof head);
    if (!err && note->robots == CRAWL_HOST_ROBOTS_REFUSED)
        err = crawl_buf_printf(out, "%s ", crawl_error_class_name(note->error_class));
    return err ? err : crawl_buf_append(out, note->text.data, note->text.size);
}

/* An error class that only a later version knows is read as CRAWL_CLASS_ROBOTS. */
static bool read_refusal(crawl_slice text, cw_host_site_note *out)
{
    const char *space = text.size ? memchr(text.data, ' ', text.size) : NULL;
    if (!space)
        return false;
    size_t size = (size_t)(space - text.data);
    out->error_class = CRAWL_CLASS_ROBOTS;
    for (int i = 0; i < CRAWL_CLASS_COUNT; i++)
        if (crawl_slice_equal(crawl_slice_of(text.data, size),
                              crawl_slice_from(crawl_error_class_name((crawl_error_class)i))))
            out->error_class = (crawl_error_class)i;
    out->text = crawl_slice_of(space + 1, text.size - size - 1);
    return true;
}

bool cw_host_site_note_read(crawl_slice bytes, cw_host_site_note *out)
{
    bytes = cw_host_handover_skip(bytes);
    const char *at = bytes.data;
    if (bytes.size < HEAD_SIZE || cw_le_get(&at, 1) != SITE_FORMAT)
        return false;
    *out = (cw_host_site_note){.robots = (crawl_host_robots)cw_le_get(&at, 1)};
    uint64_t flags = cw_le_get(&at, 1);
    out->asked_sitemaps = flags & ASKED_SITEMAPS;
    out->vain = flags >> VAIN_SHIFT & VAIN_MASK;
    out->no_tdmrep = flags & NO_TDMREP;
    out->sitemaps = (uint32_t)cw_le_get(&at, 4);
    out->expires_ms = (int64_t)cw_le_get(&at, 8);
    out->hold_until_ms = (int64_t)cw_le_get(&at, 8);
    out->away_until_ms = (int64_t)cw_le_get(&at, 8);
    out->text = crawl_slice_of(at, bytes.size - HEAD_SIZE);
    if (out->robots == CRAWL_HOST_ROBOTS_REFUSED)
        return read_refusal(out->text, out);
    return out->robots < CRAWL_HOST_ROBOTS_COUNT;
}

#include "crawler/engine/visit/answer/walls.h"

#include "base/bytes.h"
#include "config/config_values.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/host/walled.h"
#include "crawler/engine/tags.h"
#include "crawler/engine/visit/visit.h"

#include <crawl/frontier.h>
#include <stdio.h>

void cw_visit_walls_clear(cw_visit *visit)
{
    visit->wall = (crawl_wall){.service = ""};
    visit->pass.is_wall = false;
}

static crawl_wall_answer walls_answer_of(const cw_visit *visit, const crawl_response *response)
{
    return (crawl_wall_answer){
        .size = sizeof(crawl_wall_answer),
        .url = visit->lease.url,
        .status = response->status,
        .headers = response->headers,
        .header_count = response->header_count,
        .body = response->body,
    };
}

/* Returns true for the page that the crawl begins with, whatever it asks for: its links are wanted. */
static bool walls_is_start(const cw_visit *visit, const crawl_response *response)
{
    return !visit->lease.depth && cw_visit_engine(visit)->config->depth &&
           cw_visit_is_in_place(visit, response->status);
}

void cw_visit_walls_judge(cw_visit *visit, const crawl_response *response)
{
    enum { NOT_MODIFIED = 304 };
    cw_visit_walls_clear(visit);
    if (response->error || !response->status || response->status == NOT_MODIFIED)
        return;
    const crawl_wall_answer answer = walls_answer_of(visit, response);
    crawl_err err = crawl_wall_judge_answer(visit->maker->walls, &answer, &visit->wall);
    if (err)
        cw_engine_fail(cw_visit_engine(visit), err, "no memory for the verdict on an answer");
    if (walls_is_start(visit, response))
        cw_visit_walls_clear(visit);
    visit->pass.is_wall = crawl_verdict_is_wall(visit->wall.verdict);
}

void cw_visit_walls_judge_title(cw_visit *visit, const crawl_response *response, crawl_slice title)
{
    const crawl_wall_answer answer = walls_answer_of(visit, response);
    crawl_wall wall;
    crawl_err err = crawl_wall_judge_title(visit->maker->walls, &answer, title, &wall);
    if (err)
        cw_engine_fail(cw_visit_engine(visit), err, "no memory for the verdict on an answer");
    else if (wall.verdict)
        visit->wall = wall;
}

void cw_visit_walls_say(const cw_visit *visit, char *words, size_t room)
{
    const crawl_wall *wall = &visit->wall;
    snprintf(words, room, "%s%s%s: %s", crawl_verdict_name(wall->verdict), *wall->service ? " of " : "", wall->service,
             wall->sign);
}

static void tell_first(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_slice origin = cw_host_record_origin(visit->host);
    crawl_buf line = {0};
    char words[256];
    cw_visit_walls_say(visit, words, sizeof words);
    if (!crawl_buf_printf(&line, "%.*s answers with a wall in place of a page (%s)", (int)origin.size, origin.data,
                          words))
        cw_engine_notice(engine, &line);
    crawl_buf_free(&line);
    cw_host_record *kept = engine->config->shared ? NULL : visit->host;
    if (cw_host_walled_add(engine->walled, kept, visit->wall.service))
        cw_engine_fail(engine, CRAWL_ENOMEM, "no memory for a host with a wall");
}

/* ---- the note of a host's last wall ---- */

/* 8 bytes for the date in milliseconds of the frontier's clock, little-endian; the URL; a space; the words. */
enum { WALLS_DATE_SIZE = 8 };

static crawl_err walls_write_note(cw_visit *visit, crawl_buf *name, crawl_buf *note)
{
    char date[WALLS_DATE_SIZE];
    char words[256];
    crawl_slice origin = cw_host_record_origin(visit->host);
    crawl_slice url = visit->lease.url;
    cw_visit_walls_say(visit, words, sizeof words);
    cw_le_put(date, (uint64_t)cw_engine_now(cw_visit_engine(visit)), sizeof date);
    crawl_err err = crawl_buf_printf(name, CRAWL_STATE_WALLS "%.*s", (int)origin.size, origin.data);
    if (!err)
        err = crawl_buf_append(note, date, sizeof date);
    return err ? err : crawl_buf_printf(note, "%.*s %s", (int)url.size, url.data, words);
}

/* Keeps the wall, except in a shared crawl, whose note would tell all processes. */
static void walls_keep(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_buf name = {0};
    crawl_buf note = {0};
    if (engine->config->shared)
        return;
    crawl_err err = walls_write_note(visit, &name, &note);
    if (!err)
        err = crawl_frontier_note_set(engine->frontier, crawl_buf_slice(&name), crawl_buf_slice(&note));
    if (err)
        cw_engine_fail(engine, err, "the wall of a host cannot be kept");
    crawl_buf_free(&name);
    crawl_buf_free(&note);
}

bool cw_visit_walls_recall(crawl_slice note, crawl_state_note *out)
{
    const char *date = note.data;
    if (note.size < WALLS_DATE_SIZE)
        return false;
    note = cw_drop(note, WALLS_DATE_SIZE);
    out->wall_ms = (int64_t)cw_le_get(&date, WALLS_DATE_SIZE);
    out->wall_url = cw_cut(&note, ' ');
    out->wall = note;
    return note.size > 0;
}

/* Only pages are asked for again, and only if the host has let others through: a wall that stands from the start does
 * not fall within a minute. */
static bool comes_again(const cw_visit *visit)
{
    const crawl_config *config = cw_visit_engine(visit)->config;
    bool is_page = !(visit->lease.tag & (CW_ENGINE_TAG_ROBOTS | CW_ENGINE_TAG_SITEMAP));
    return is_page && !cw_visit_is_external(visit) && visit->pass.had_page && config->wall_backoff_ms &&
           visit->lease.attempt <= config->retries;
}

void cw_visit_walls_settle(cw_visit *visit, cw_visit_retry_verdict *verdict)
{
    const crawl_config *config = cw_visit_engine(visit)->config;
    walls_keep(visit);
    if (visit->pass.is_first_wall)
        tell_first(visit);
    if (verdict->what == CW_VISIT_RETRY_STAY_AWAY)
        return;
    verdict->what = comes_again(visit) ? CW_VISIT_RETRY_AT : CW_VISIT_RETRY_NO;
    int64_t wait_ms = config->wall_backoff_ms;
    for (uint32_t i = 1; i < visit->lease.attempt && wait_ms < config->away_ms; i++)
        wait_ms *= 2;
    verdict->delay_ms = wait_ms > verdict->retry_after_ms ? wait_ms : verdict->retry_after_ms;
}

/* Hashes the URL without its query and fragment, which carry the way back. The result is never 0. */
static uint32_t detour_of(crawl_slice location)
{
    uint32_t hash = cw_fnv1a(crawl_slice_of(location.data, cw_find_any(location, "?#")));
    return hash ? hash : 1;
}

bool cw_visit_walls_asked(const cw_visit *visit, crawl_slice location)
{
    uint32_t detour = detour_of(location);
    atomic_uint *known = visit->host->detours;
    for (size_t i = 0; i < CW_HOST_DETOURS; i++) {
        unsigned before = 0; /* becomes the one that is there */
        if (atomic_compare_exchange_strong(&known[i], &before, detour))
            return false;
        if (before == detour)
            return true;
    }
    return atomic_exchange(&known[CW_HOST_DETOURS - 1], detour) == detour;
}

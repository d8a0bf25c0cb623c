/* Tells walls, challenges and detours from pages (<crawl/wall.h>), and decides about their requests: a wall is not read
 * or followed; if the host has given pages before, the request comes again after the hold. */
#pragma once

#include "crawler/engine/visit/maker.h"

#include <crawl/sys/explain.h>

/* Judges the answer, for the visit's pass too. Call once per answer, before the pacer is told. */
void cw_visit_walls_judge(cw_visit *visit, const crawl_response *response);

/* Marks the answer as no wall. */
void cw_visit_walls_clear(cw_visit *visit);

/* Returns true if the answer of the visit is a wall or a challenge. */
static inline bool cw_visit_is_walled(const cw_visit *visit)
{
    return crawl_verdict_is_wall(visit->wall.verdict);
}

/* Returns true if the page in the answer replaces another: a login, a consent, "not found". Such a page is not kept or
 * followed, and does not make its host a walled one. "Not found" is unknown until the page is read. */
static inline bool cw_visit_is_in_place(const cw_visit *visit, int status)
{
    bool is_page = status >= 200 && status < 300;
    return visit->wall.verdict == CRAWL_VERDICT_SOFT_404 ||
           (is_page && (visit->wall.verdict == CRAWL_VERDICT_LOGIN || visit->wall.verdict == CRAWL_VERDICT_CONSENT));
}

/* Judges an answer that was taken for a page by its title. */
void cw_visit_walls_judge_title(cw_visit *visit, const crawl_response *response, crawl_slice title);

/* Keeps a wall for its host, reports the host's first one, and decides instead of cw_visit_retry_decide whether the
 * request comes again. Call for a wall after the pacer was told. The verdict STAY_AWAY stands. */
void cw_visit_walls_settle(cw_visit *visit, cw_visit_retry_verdict *verdict);

/* Describes the answer, in words for a person. */
void cw_visit_walls_say(const cw_visit *visit, char *words, size_t room);

/* Reads the note about the last wall of a host, a note of CRAWL_STATE_WALLS. False: not such a note. */
bool cw_visit_walls_recall(crawl_slice note, crawl_state_note *out);

/* Returns true for a redirect to the same login or consent as an earlier one of its host. Notes it for the next. */
bool cw_visit_walls_asked(const cw_visit *visit, crawl_slice location);

/* Tells walls, challenges and detours from pages (<crawl/wall.h>), and decides what becomes of their requests: nothing
 * of a wall is read or followed, and where the host has given pages before, its request comes again after the hold. */
#pragma once

#include "crawler/engine/visit/maker.h"

#include <crawl/sys/explain.h>

/* Judges the answer, for the pass of the visit too. To be called once for each answer, before the pacer is told. */
void cw_visit_walls_judge(cw_visit *visit, const crawl_response *response);

/* The answer is none. */
void cw_visit_walls_clear(cw_visit *visit);

/* Is the answer of the visit a wall or a challenge? */
static inline bool cw_visit_is_walled(const cw_visit *visit)
{
    return crawl_verdict_is_wall(visit->wall.verdict);
}

/* Does the page in the answer stand in the place of another: a login, a consent, "not found"? Nothing of it is kept or
 * followed, and its host is none that walls. Of a page that was not read yet, the last is not known. */
static inline bool cw_visit_is_in_place(const cw_visit *visit, int status)
{
    bool is_page = status >= 200 && status < 300;
    return visit->wall.verdict == CRAWL_VERDICT_SOFT_404 ||
           (is_page && (visit->wall.verdict == CRAWL_VERDICT_LOGIN || visit->wall.verdict == CRAWL_VERDICT_CONSENT));
}

/* Judges an answer, which was taken for a page, by its title. */
void cw_visit_walls_judge_title(cw_visit *visit, const crawl_response *response, crawl_slice title);

/* To be called for a wall when the pacer was told: keeps it for its host, says so at the host's first, and decides in
 * place of cw_visit_retry_decide whether the request comes again. The verdict STAY_AWAY stands. */
void cw_visit_walls_settle(cw_visit *visit, cw_visit_retry_verdict *verdict);

/* Writes what the answer is, in words for a person. */
void cw_visit_walls_say(const cw_visit *visit, char *words, size_t room);

/* Reads what is kept of the last wall of a host, a note of CRAWL_STATE_WALLS. False: it is none. */
bool cw_visit_walls_recall(crawl_slice note, crawl_state_note *out);

/* Is it a redirect to the login or the consent that the one before of its host led to? Notes it for the next. */
bool cw_visit_walls_asked(const cw_visit *visit, crawl_slice location);

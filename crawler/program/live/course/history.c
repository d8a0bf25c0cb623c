/* See history.h. A ring. */
#include "crawler/program/live/course/history.h"

#include "crawler/program/summary/units.h"

/* back: 0 is the last moment. */
static const cw_live_moment *moment_at(const cw_live_history *history, size_t back)
{
    return &history->moments[(history->count - 1 - back) % CW_LIVE_MOMENTS];
}

static size_t kept(const cw_live_history *history)
{
    return history->count < CW_LIVE_MOMENTS ? history->count : CW_LIVE_MOMENTS;
}

static double pace_between(const cw_live_moment *from, const cw_live_moment *to)
{
    return to->pages < from->pages ? 0
                                   : cw_program_per_second(to->pages - from->pages, to->elapsed_ms - from->elapsed_ms);
}

void cw_live_history_add(cw_live_history *history, cw_live_moment moment)
{
    if (history->count && moment.elapsed_ms <= moment_at(history, 0)->elapsed_ms)
        return;
    history->moments[history->count % CW_LIVE_MOMENTS] = moment;
    history->count++;
}

double cw_live_history_pace(const cw_live_history *history, cw_live_moment now, int64_t over_ms)
{
    size_t count = kept(history);
    size_t back = 0;
    if (!count)
        return cw_program_per_second(now.pages, now.elapsed_ms);
    while (back + 1 < count && now.elapsed_ms - moment_at(history, back)->elapsed_ms < over_ms)
        back++;
    return pace_between(moment_at(history, back), &now);
}

size_t cw_live_history_paces(const cw_live_history *history, double *paces)
{
    size_t count = kept(history);
    for (size_t i = 1; i < count; i++)
        paces[i - 1] = pace_between(moment_at(history, count - i), moment_at(history, count - i - 1));
    return count ? count - 1 : 0;
}

#include "crawler/engine/visit/again/revisit.h"

#include "config/config_values.h"

#include <math.h>

#define KEEP 0.9            /* part of the past that a visit leaves */
#define KEEP_SURPRISED 0.5  /* likewise, while the past no longer seems to apply */
#define SURPRISE (-4.6)     /* log 0.01 */
#define SURPRISE_ONCE (-2.) /* the most that a single visit adds to it */
#define PRIOR 0.5           /* visits that the first interval counts as */
#define STEP 2              /* how many times longer or shorter the next interval may be */
#define AGE_PART 10         /* the first interval is this part of a page's age, if that is longer */

enum { GONE_STEP = 4, FAILURE_STEP = 2, JITTER_PART = 10 };

cw_visit_revisit_rules cw_visit_revisit_rules_of(const crawl_config *config)
{
    return (cw_visit_revisit_rules){
        .interval_ms = config->revisit_interval_ms,
        .min_ms = config->revisit_min_ms,
        .max_ms = config->revisit_max_ms,
        .gone = config->revisit_gone,
    };
}

static int64_t within(const cw_visit_revisit_rules *rules, int64_t interval_ms)
{
    if (interval_ms > rules->max_ms)
        return rules->max_ms;
    return interval_ms < rules->min_ms ? rules->min_ms : interval_ms;
}

/* ---- the rate ---- */

/* Returns the expected time of a change within the gap, from the gap's beginning. rate: changes per ms. */
static double time_to_change(double rate, double gap_ms)
{
    double changes = rate * gap_ms;
    if (changes < 1e-3) /* the difference below would be lost in rounding; this is its series */
        return gap_ms * (0.5 - changes / 12);
    return 1 / rate - gap_ms / expm1(changes);
}

/* Updates the surprise with the outcome of a visit. */
static void note_outcome(cw_visit_revisit_rate *rate, bool changed, double expected_changes)
{
    bool is_first = rate->surprise == 0;
    if (!is_first && changed != rate->in_changes)
        rate->is_settled = true;
    if (is_first || changed != rate->in_changes)
        rate->surprise = 0;
    double probability = changed ? log(-expm1(-expected_changes)) : -expected_changes;
    rate->in_changes = changed;
    /* Never 0, which means that there was no visit. */
    rate->surprise += (float)fmin(fmax(probability, SURPRISE_ONCE), -1e-6);
}

/* Returns true if the outcomes of the last visits agree with the estimate. */
static bool holds(const cw_visit_revisit_rate *rate)
{
    return rate->is_settled && rate->surprise > SURPRISE;
}

/* Updates the estimate with the outcome of a visit gap_ms after the last one. */
static void revisit_learn(cw_visit_revisit_rate *rate, bool changed, double gap_ms)
{
    double before = rate->time_ms > 0 ? rate->changes / rate->time_ms : 0;
    note_outcome(rate, changed, before * gap_ms);
    double keep = holds(rate) ? KEEP : KEEP_SURPRISED;
    rate->changes = (float)(rate->changes * keep + (changed ? 1 : 0));
    rate->time_ms = (float)(rate->time_ms * keep + (changed ? time_to_change(before, gap_ms) : gap_ms));
}

/* Returns the interval of a page that changes once in mean_ms. No page counts as changing more often than min_ms. */
static double interval_of(const cw_visit_revisit_rules *rules, double mean_ms)
{
    double usual_ms = (double)within(rules, rules->interval_ms);
    return sqrt(fmax(mean_ms, (double)rules->min_ms) * usual_ms);
}

/* Returns the interval that follows from the estimate. early: the visit came long before the interval was over. */
static int64_t next_interval(const cw_visit_revisit_rules *rules, const cw_visit_revisit *page, bool changed,
                             bool early)
{
    const cw_visit_revisit_rate *rate = &page->rate;
    double shortest = fmax((double)page->interval_ms / STEP, interval_of(rules, 0));
    double longest = (double)page->interval_ms * STEP;
    if (!holds(rate) && !changed && early)
        return page->interval_ms;
    if (!holds(rate))
        return (int64_t)(changed ? shortest : longest);
    double corrected = rate->time_ms + (double)page->interval_ms / 2;
    double interval = rate->changes > 0 ? interval_of(rules, corrected / rate->changes) : longest;
    return (int64_t)fmin(fmax(interval, shortest), longest);
}

/* ---- the next visit ---- */

static int64_t first_interval(const cw_visit_revisit_rules *rules, const cw_visit_revisit *page,
                              int64_t last_modified_ms, int64_t wall_ms)
{
    int64_t young = last_modified_ms > page->lastmod_ms ? last_modified_ms : page->lastmod_ms;
    bool has_age = young >= 0 && young < wall_ms;
    int64_t by_age = has_age ? (wall_ms - young) / AGE_PART : 0;
    return within(rules, by_age > rules->interval_ms ? by_age : rules->interval_ms);
}

static void revisit_begin(cw_visit_revisit *page, int64_t interval_ms)
{
    page->is_known = true;
    page->interval_ms = interval_ms;
    page->rate = (cw_visit_revisit_rate){.changes = (float)PRIOR, .time_ms = (float)(PRIOR * (double)interval_ms)};
}

static void revisit_look_again(const cw_visit_revisit_rules *rules, cw_visit_revisit *page, bool changed,
                               int64_t now_ms)
{
    bool forwards = page->known_ms >= 0 && page->known_ms < now_ms;
    double gap_ms = forwards ? (double)(now_ms - page->known_ms) : 1;
    revisit_learn(&page->rate, changed, gap_ms);
    bool early = forwards && gap_ms * STEP < (double)page->interval_ms;
    page->interval_ms = within(rules, next_interval(rules, page, changed, early));
}

static int64_t times(int64_t interval_ms, unsigned step, unsigned count, int64_t most_ms)
{
    while (count-- && interval_ms < most_ms)
        interval_ms = interval_ms < most_ms / step ? interval_ms * step : most_ms;
    return interval_ms;
}

/* Returns the delay with at most a tenth subtracted or added. A change that would exceed a bound is applied with the
 * opposite sign: otherwise pages at the bound would come together. */
static int64_t jittered(const cw_visit_revisit_rules *rules, int64_t delay_ms, uint64_t salt)
{
    double part = ((double)(salt >> 11) / (double)(1ull << 53) * 2 - 1) / JITTER_PART;
    int64_t off = (int64_t)((double)delay_ms * part);
    bool beyond = delay_ms + off > rules->max_ms || delay_ms + off < rules->min_ms;
    return within(rules, beyond ? delay_ms - off : delay_ms + off);
}

static void count_failure(cw_visit_revisit *page, cw_visit_revisit_outcome outcome)
{
    page->failures += page->failures < UINT8_MAX;
    page->gone = outcome == CW_VISIT_REVISIT_GONE ? page->gone + (page->gone < UINT8_MAX) : 0;
}

/* Returns the delay until the next visit: the interval, or longer while the page does not answer. */
static int64_t revisit_delay_of(const cw_visit_revisit_rules *rules, const cw_visit_revisit *page)
{
    if (page->gone)
        return times(page->interval_ms, GONE_STEP, page->gone, rules->max_ms);
    return times(page->interval_ms, FAILURE_STEP, page->failures ? page->failures - 1u : 0, rules->max_ms);
}

bool cw_visit_revisit_is_hinted(const cw_visit_revisit *page, int64_t now_ms, int64_t wall_ms)
{
    return page->is_known && page->lastmod_ms > 0 && page->lastmod_ms - wall_ms > page->known_ms - now_ms;
}

int64_t cw_visit_revisit_next(const cw_visit_revisit_rules *rules, cw_visit_revisit *page,
                              cw_visit_revisit_outcome outcome, int64_t last_modified_ms, int64_t wall_ms,
                              int64_t now_ms, uint64_t salt)
{
    bool is_usable = cw_visit_revisit_is_usable(outcome);
    page->interval_ms = within(rules, page->interval_ms ? page->interval_ms : rules->interval_ms);
    if (is_usable)
        page->failures = page->gone = 0;
    if (outcome == CW_VISIT_REVISIT_FIRST)
        revisit_begin(page, first_interval(rules, page, last_modified_ms, wall_ms));
    else if (is_usable)
        revisit_look_again(rules, page, outcome == CW_VISIT_REVISIT_CHANGED, now_ms);
    else if (outcome != CW_VISIT_REVISIT_UNASKED)
        count_failure(page, outcome);
    if (is_usable)
        page->known_ms = now_ms;
    if (rules->gone && page->gone >= rules->gone)
        return CRAWL_FOREVER;
    return now_ms + jittered(rules, revisit_delay_of(rules, page), salt);
}

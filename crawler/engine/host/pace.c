#include "crawler/engine/host/pace.h"

#include "base/bytes.h"
#include "config/config_values.h"

#include <stdio.h>

enum {
    RISE_MOST = 4,    /* one answer counts as at most this many times the present answer time */
    RISE_SHARE = 2,   /* a longer answer moves the answer time half of the way, */
    FALL_SHARE = 8,   /* a shorter one an eighth */
    SET_SHARE = 8,    /* a pause that would change by less than an eighth is kept */
    PROBE_LOOK = 500, /* ms until the next check whether a probe is over */
    WALLS_GIVE_UP = 4 /* of the last eight answers: the host walls half of its pages */
};

static const int64_t us_per_ms = 1000;
static const int64_t longest_wall_us = (int64_t)3600 * 1000 * 1000;

cw_host_pace_rules cw_host_pace_rules_of(const crawl_config *config)
{
    return (cw_host_pace_rules){
        .delay_us = config->delay_ms * us_per_ms,
        .adaptive = config->adaptive,
        .target = config->target,
        .max_delay_us = config->max_delay_ms * us_per_ms,
        .backoff_us = config->backoff_ms * us_per_ms,
        .max_backoff_us = config->max_backoff_ms * us_per_ms,
        .give_up = config->give_up,
        .away_us = config->away_ms * us_per_ms,
        .spread = config->random_delay / 100.0,
        .max_wait_us = config->max_retry_delay_ms * us_per_ms,
        .wall_us = config->wall_backoff_ms * us_per_ms,
        .walls_refuse = config->shared != NULL,
    };
}

const char *cw_host_pace_by_name(cw_host_pace_by by)
{
    static const char *const names[] = {"delay", "crawl-delay", "adaptive", "ratelimit"};
    return names[by];
}

const char *cw_host_hold_by_name(cw_host_hold_by by)
{
    static const char *const names[] = {NULL, "retry-after", "backoff", "given-up", "wall", "ratelimit"};
    return names[by];
}

void cw_host_pace_init(cw_host_pace *pace, uint64_t seed)
{
    *pace = (cw_host_pace){
        .started_us = CW_HOST_PACE_NEVER,
        .failed_us = CW_HOST_PACE_NEVER,
        .walled_us = CW_HOST_PACE_NEVER,
        .hold_until_us = CW_HOST_PACE_NEVER,
        .chance = seed,
    };
}

/* Draws a pause around the delay. The result never undercuts the Crawl-delay of robots.txt or a quota. */
static int64_t pace_pause_of(const cw_host_pace *pace, const cw_host_pace_rules *rules, uint32_t draw,
                             cw_host_pace_by *by)
{
    int64_t pause = rules->delay_us;
    *by = CW_PACE_DELAY;
    if (pace->adaptive_us > pause) {
        pause = pace->adaptive_us;
        *by = CW_PACE_ADAPTIVE;
    }
    if (rules->spread > 0)
        pause += (int64_t)((double)pause * rules->spread * (2.0 * draw / UINT32_MAX - 1));
    if (pace->crawl_delay_us > pause) {
        pause = pace->crawl_delay_us;
        *by = CW_PACE_CRAWL_DELAY;
    }
    if (pace->quota_us > pause) {
        pause = pace->quota_us;
        *by = CW_PACE_QUOTA;
    }
    return pause;
}

int64_t cw_host_pace_pause(const cw_host_pace *pace, const cw_host_pace_rules *rules, cw_host_pace_by *by)
{
    return pace_pause_of(pace, rules, pace->draw, by);
}

int64_t cw_host_pace_least(const cw_host_pace *pace, const cw_host_pace_rules *rules)
{
    cw_host_pace_by by;
    return pace_pause_of(pace, rules, 0, &by);
}

/* Returns the end of the pause after the last request. */
static int64_t pace_pause_end(const cw_host_pace *pace, const cw_host_pace_rules *rules)
{
    cw_host_pace_by by;
    return pace->started_us == CW_HOST_PACE_NEVER ? CW_HOST_PACE_NEVER
                                                  : pace->started_us + cw_host_pace_pause(pace, rules, &by);
}

static cw_host_admission admit_probe(cw_host_pace *pace, int64_t now_us, int64_t *at_us)
{
    if (pace->probing) {
        *at_us = now_us + PROBE_LOOK * us_per_ms;
        return CW_ADMIT_WAIT;
    }
    pace->probing = true;
    return CW_ADMIT_PROBE;
}

cw_host_admission cw_host_pace_admit(cw_host_pace *pace, const cw_host_pace_rules *rules, int64_t now_us,
                                     int64_t *at_us)
{
    int64_t due = pace_pause_end(pace, rules);
    if (pace->hold_until_us > due)
        due = pace->hold_until_us;
    if (now_us >= due)
        return pace->given_up ? admit_probe(pace, now_us, at_us) : CW_ADMIT_GO;
    *at_us = due;
    return cw_host_pace_refused_by(pace, rules, now_us) ? CW_ADMIT_REFUSE : CW_ADMIT_WAIT;
}

cw_host_hold_by cw_host_pace_refused_by(const cw_host_pace *pace, const cw_host_pace_rules *rules, int64_t now_us)
{
    int64_t left_us = cw_host_pace_held(pace, now_us);
    if (left_us && pace->given_up && pace->hold_by != CW_HOLD_WALL)
        return CW_HOLD_GIVEN_UP;
    return pace->hold_by == CW_HOLD_RETRY_AFTER && left_us > rules->max_wait_us ? CW_HOLD_RETRY_AFTER : CW_HOLD_NONE;
}

void cw_host_pace_say_refused(const cw_host_pace *pace, cw_host_hold_by by, int64_t left_us, char *words, size_t room)
{
    char last[32];
    if (by == CW_HOLD_RETRY_AFTER) {
        snprintf(words, room, "the host asked to stay away for longer than politeness.max_retry_delay");
        return;
    }
    if (pace->walls & 1) {
        snprintf(words, room, "the host was given up, since it answers with a wall; asked again in %lld s",
                 (long long)(left_us / 1000000 + 1));
        return;
    }
    if (pace->last_error < 0)
        snprintf(last, sizeof last, "%s", crawl_fetch_error_name((crawl_fetch_error)-pace->last_error));
    else
        snprintf(last, sizeof last, "status %d", pace->last_error);
    snprintf(words, room, "the host was given up after %u failures in a row, the last: %s; asked again in %lld s",
             pace->failures, last, (long long)(left_us / 1000000 + 1));
}

void cw_host_pace_unasked(cw_host_pace *pace)
{
    pace->probing = false;
}

int64_t cw_host_pace_held(const cw_host_pace *pace, int64_t now_us)
{
    return now_us < pace->hold_until_us ? pace->hold_until_us - now_us : 0;
}

/* The finish of splitmix64: each input bit changes half of the output bits. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Draws the next pause by the time in microseconds, which no host can foresee. */
void cw_host_pace_started(cw_host_pace *pace, int64_t now_us)
{
    pace->started_us = now_us;
    pace->draw = (uint32_t)mix(pace->chance ^ (uint64_t)now_us);
}

static cw_host_answer answer_of_status(int status)
{
    switch (status) {
    case 429:
        return CW_ANSWER_HURRIED;
    case 503:
        return CW_ANSWER_BUSY;
    case 501:
    case 505: /* about the request, like a 4xx */
        return CW_ANSWER_ERROR;
    default:
        return status < 400 ? CW_ANSWER_GOOD : status < 500 ? CW_ANSWER_ERROR : CW_ANSWER_FAILED;
    }
}

cw_host_answer cw_host_answer_of(const crawl_response *response)
{
    switch (response->error) {
    case CRAWL_FETCH_OK:
        return answer_of_status(response->status);
    case CRAWL_FETCH_TOO_LARGE:
        return CW_ANSWER_ERROR;
    case CRAWL_FETCH_CANCELLED:
    case CRAWL_FETCH_PRIVATE:
    case CRAWL_FETCH_LOCAL:
        return CW_ANSWER_NONE;
    default:
        return CW_ANSWER_FAILED;
    }
}

/* Returns the answer time that gives the longest pause: the smoothed answer time never exceeds it. */
static int64_t longest_answer(const cw_host_pace_rules *rules)
{
    return (int64_t)((double)rules->max_delay_us * rules->target);
}

/* Returns the answer time that the delay allows for anyway. Differences below it do not matter, and must not make the
 * pause rise slowly. */
static int64_t shortest_answer(const cw_host_pace_rules *rules)
{
    return cw_most(1, (int64_t)((double)rules->delay_us * rules->target));
}

static void follow_answer_time(cw_host_pace *pace, const cw_host_pace_rules *rules, int64_t took_us, bool may_shorten)
{
    int64_t known = cw_most(pace->answer_us, 0);
    if (took_us > known) {
        int64_t counted = cw_least(took_us, cw_most(known, shortest_answer(rules)) * RISE_MOST);
        pace->answer_us = known ? known + cw_most(0, counted - known) / RISE_SHARE : counted;
    } else if (may_shorten) {
        pace->answer_us = known - (known - took_us) / FALL_SHARE;
    }
    pace->answer_us = cw_least(pace->answer_us, longest_answer(rules));
}

/* Doubles the answer time that the pause allows for. */
static void double_answer_time(cw_host_pace *pace, const cw_host_pace_rules *rules)
{
    int64_t known = cw_most(pace->answer_us, shortest_answer(rules));
    pace->answer_us = cw_least(known * 2, longest_answer(rules));
}

static void set_adaptive(cw_host_pace *pace, const cw_host_pace_rules *rules)
{
    int64_t wanted = cw_least((int64_t)((double)pace->answer_us / rules->target), rules->max_delay_us);
    int64_t now = pace->adaptive_us;
    int64_t change = wanted > now ? wanted - now : now - wanted;
    if (change * SET_SHARE >= now)
        pace->adaptive_us = wanted;
}

/* Returns the next number of splitmix64. */
static uint64_t next_chance(cw_host_pace *pace)
{
    return mix(pace->chance += 0x9e3779b97f4a7c15u);
}

/* Returns the hold after the second failure in a row or a later one. */
static int64_t pace_backoff(cw_host_pace *pace, const cw_host_pace_rules *rules)
{
    int64_t wait = rules->backoff_us;
    for (uint32_t i = 2; i < pace->failures && wait < rules->max_backoff_us; i++)
        wait *= 2;
    wait = cw_least(wait, rules->max_backoff_us);
    int64_t spread = wait / 2;
    return spread ? wait - wait / 4 + (int64_t)(next_chance(pace) % (uint64_t)spread) : wait;
}

static void pace_fail(cw_host_pace *pace, const cw_host_pace_rules *rules, bool is_known, int64_t started_us,
                      int64_t now_us)
{
    if (pace->failures && started_us < pace->failed_us)
        return;
    bool is_new = !is_known || !pace->failures;
    pace->failures += is_new && pace->failures < UINT32_MAX;
    pace->failed_us = now_us;
    pace->probing = false;
    if (rules->give_up && pace->failures >= rules->give_up) {
        pace->given_up = true;
        if (pace->walls & 1) /* it is not given up for that wall */
            pace->walls = (uint8_t)(pace->walls << 1);
        cw_host_pace_hold(pace, now_us + rules->away_us, CW_HOLD_GIVEN_UP);
    } else if ((pace->failures >= 2 || !is_new) && rules->backoff_us) {
        cw_host_pace_hold(pace, now_us + pace_backoff(pace, rules), CW_HOLD_BACKOFF);
    }
}

unsigned cw_host_pace_walls_in_row(const cw_host_pace *pace)
{
    return (unsigned)__builtin_ctz(~(unsigned)pace->walls);
}

/* Returns the hold after the second wall in a row or a later one. */
static int64_t wall_hold(const cw_host_pace_rules *rules, unsigned in_row)
{
    int64_t wait = rules->wall_us;
    for (unsigned i = 2; i < in_row && wait < longest_wall_us; i++)
        wait *= 2;
    return cw_least(wait, longest_wall_us);
}

static bool wall_gives_up(const cw_host_pace *pace)
{
    return __builtin_popcount(pace->walls) >= WALLS_GIVE_UP || !pace->had_page;
}

/* Handles a wall, which says neither that the host fails nor that it has recovered. Walls of requests that had left
 * before the last wall was known count once, like failures. */
static void pace_take_wall(cw_host_pace *pace, const cw_host_pace_rules *rules, int64_t started_us, int64_t now_us)
{
    bool is_same = (pace->walls & 1) && started_us < pace->walled_us;
    pace->had_wall = true;
    pace->probing = false;
    if (is_same)
        return;
    pace->walls = (uint8_t)(pace->walls << 1 | 1);
    pace->failed_us = pace->walled_us = now_us;
    unsigned in_row = cw_host_pace_walls_in_row(pace);
    if (!rules->wall_us || in_row < 2)
        return;
    pace->given_up = pace->given_up || wall_gives_up(pace);
    if (pace->given_up)
        cw_host_pace_hold(pace, now_us + rules->away_us, rules->walls_refuse ? CW_HOLD_GIVEN_UP : CW_HOLD_WALL);
    else
        cw_host_pace_hold(pace, now_us + wall_hold(rules, in_row), CW_HOLD_WALL);
}

static void pace_take_no_wall(cw_host_pace *pace, const crawl_response *response)
{
    pace->walls = pace->given_up ? 0 : (uint8_t)(pace->walls << 1);
    pace->had_page = pace->had_page || (response->status >= 200 && response->status < 300);
}

/* Ends a row of failures. An answer to a request that had left before the host was given up does not bring the host
 * back: only the probe does. */
static void succeed(cw_host_pace *pace, int64_t started_us)
{
    if (pace->given_up && started_us < pace->failed_us)
        return;
    pace->failures = 0;
    pace->given_up = false;
    pace->probing = false;
}

void cw_host_pace_answer(cw_host_pace *pace, const cw_host_pace_rules *rules, const crawl_response *response,
                         bool is_wall, bool is_retry, int64_t started_us, int64_t now_us)
{
    cw_host_answer answer = cw_host_answer_of(response);
    if (answer == CW_ANSWER_NONE) {
        pace->probing = false;
        return;
    }
    if (rules->adaptive && rules->delay_us) {
        int64_t held_us = (int64_t)(response->held_ms * 1000); /* our delay, not the host's */
        follow_answer_time(pace, rules, now_us - started_us - held_us, answer == CW_ANSWER_GOOD && !is_wall);
        if (answer == CW_ANSWER_HURRIED || answer == CW_ANSWER_BUSY || is_wall)
            double_answer_time(pace, rules);
        set_adaptive(pace, rules);
    }
    if (is_wall) {
        pace_take_wall(pace, rules, started_us, now_us);
        return;
    }
    if (answer == CW_ANSWER_FAILED || answer == CW_ANSWER_BUSY) {
        pace->last_error = response->error ? -(int)response->error : response->status;
        bool is_known = is_retry && answer == CW_ANSWER_FAILED && !response->error;
        pace_fail(pace, rules, is_known, started_us, now_us);
    } else {
        pace_take_no_wall(pace, response);
        succeed(pace, started_us);
    }
}

void cw_host_pace_hold(cw_host_pace *pace, int64_t until_us, cw_host_hold_by by)
{
    if (until_us <= pace->hold_until_us)
        return;
    pace->hold_until_us = until_us;
    pace->hold_by = (uint8_t)by;
}

/* Returns true if the quota covers the policy that paces the host now, or if that policy's time is over. */
static bool quota_supersedes(const cw_host_pace *pace, const cw_host_quota *quota, int64_t now_us)
{
    return !quota->told || quota->told >> pace->quota_policy & 1 || now_us >= pace->quota_until_us;
}

/* Spreads the rest of the quota; requests under way count as made. A pause that would become shorter by less than an
 * eighth is kept. */
static void spread_quota(cw_host_pace *pace, const cw_host_pace_rules *rules, const cw_host_quota *quota,
                         uint32_t running, int64_t now_us)
{
    int64_t left = cw_most(quota->left - running, 0);
    int64_t wanted = cw_least(quota->window_us / (left + 1), rules->max_wait_us);
    if (wanted < pace->quota_us && !quota_supersedes(pace, quota, now_us))
        return;
    if (wanted > pace->quota_us || (pace->quota_us - wanted) * SET_SHARE >= pace->quota_us)
        pace->quota_us = wanted;
    pace->quota_until_us = now_us + quota->window_us;
    pace->quota_policy = quota->policy;
}

uint32_t cw_host_pace_at_once(const cw_host_pace *pace, int64_t now_us)
{
    return now_us < pace->at_once_until_us ? pace->at_once : 0;
}

/* Limits the requests under way to the number left. Answers overtake one another, so until the stated time is over only
 * lower numbers are believed. */
static void allow_quota(cw_host_pace *pace, const cw_host_quota *quota, int64_t now_us)
{
    uint32_t limit = cw_host_pace_at_once(pace, now_us);
    if (limit && quota->allowed >= limit)
        return;
    pace->at_once = (uint32_t)cw_least(quota->allowed, UINT32_MAX);
    if (!limit || pace->at_once_until_us == CRAWL_FOREVER)
        pace->at_once_until_us = now_us + quota->allowed_us;
}

/* The answered request was one of those under way. */
static void limit_quota(cw_host_pace *pace, const cw_host_quota *quota, uint32_t running)
{
    pace->at_once = (uint32_t)cw_least(quota->spare + running + 1, UINT32_MAX);
    pace->at_once_until_us = CRAWL_FOREVER;
}

void cw_host_pace_quota(cw_host_pace *pace, const cw_host_pace_rules *rules, const cw_host_quota *quota,
                        uint32_t running, int64_t now_us)
{
    if (quota->spent_us)
        cw_host_pace_hold(pace, now_us + cw_least(quota->spent_us, rules->max_wait_us), CW_HOLD_QUOTA);
    if (quota->window_us)
        spread_quota(pace, rules, quota, running, now_us);
    else if (quota->spent_us ? quota_supersedes(pace, quota, now_us) : now_us >= pace->quota_until_us)
        pace->quota_us = 0;
    if (quota->tells_at_once)
        limit_quota(pace, quota, running);
    else if (quota->allowed)
        allow_quota(pace, quota, now_us);
}

cw_host_pace_kept cw_host_pace_keep(const cw_host_pace *pace, const cw_host_pace_rules *rules, int64_t now_us)
{
    bool follows = pace->adaptive_us > rules->delay_us;
    bool is_held =
        pace->hold_by == CW_HOLD_BACKOFF || pace->hold_by == CW_HOLD_GIVEN_UP || pace->hold_by == CW_HOLD_WALL;
    return (cw_host_pace_kept){
        .failures = pace->failures,
        .last_error = pace->failures ? pace->last_error : 0,
        .given_up = pace->given_up,
        .had_page = pace->had_page,
        .walls = pace->walls,
        .held_us = (pace->failures || pace->walls) && is_held ? cw_host_pace_held(pace, now_us) : 0,
        .answer_us = follows ? pace->answer_us : 0,
        .adaptive_us = follows ? pace->adaptive_us : 0,
    };
}

void cw_host_pace_forget(cw_host_pace *pace)
{
    cw_host_pace fresh;
    cw_host_pace_init(&fresh, pace->chance);
    fresh.crawl_delay_us = pace->crawl_delay_us;
    fresh.started_us = pace->started_us;
    fresh.draw = pace->draw;
    *pace = fresh;
}

bool cw_host_pace_is_worth_keeping(const cw_host_pace_kept *kept)
{
    return kept->failures || kept->walls || kept->adaptive_us;
}

/* The failures taken over count as known now: a request that leaves later and fails belongs to another outage. */
bool cw_host_pace_take_over(cw_host_pace *pace, const cw_host_pace_kept *kept, int64_t now_us)
{
    if (pace->failures || pace->walls || pace->answer_us)
        return false;
    pace->failures = kept->failures;
    pace->last_error = kept->last_error;
    pace->failed_us = kept->failures || kept->walls ? now_us : pace->failed_us;
    pace->walled_us = kept->walls ? now_us : pace->walled_us;
    pace->given_up = kept->given_up;
    pace->walls = kept->walls;
    pace->had_wall = kept->walls != 0;
    pace->had_page = kept->had_page;
    pace->answer_us = kept->answer_us;
    pace->adaptive_us = kept->adaptive_us;
    if (kept->held_us)
        cw_host_pace_hold(pace, now_us + kept->held_us,
                          kept->given_up    ? CW_HOLD_GIVEN_UP
                          : kept->walls & 1 ? CW_HOLD_WALL
                                            : CW_HOLD_BACKOFF);
    return true;
}

/* The pace of one host: the pause between two requests to it, and the times at which it is not asked at all. Pure:
 * times and answers go in, pauses and holds come out; all in microseconds of any monotonic clock.
 *
 * Pause. By Little's law a host that is asked once every `pause` and takes `answer` for it has answer / pause requests
 * under way on average. To keep `target` of them under way, the pause is the smoothed answer time divided by target. It
 * is at least the configured delay and the Crawl-delay, and at most max_delay (which a longer Crawl-delay exceeds). The
 * answer time follows longer answers half the way, where one answer counts as at most four times the present value, and
 * shorter answers an eighth of the way: one slow page does not stop a crawl, and a host that becomes slow is relieved
 * within a few answers. An answer that is not good (cw_host_answer) never shortens the pause; 429 and 503 double it.
 *
 * Quotas. If a host says how many requests it still allows in a time, the pause spreads them over that time; if none is
 * left, the host is held until the time is over. Neither is longer than max_wait. An answer that mentions only other
 * policies, or another partition, does not shorten the pause before the time is over. If the remaining requests are not
 * to be spread, at most that many are under way at once.
 *
 * Holds. After the second failure in a row the host is left alone for `backoff`. Each further failure doubles that, up
 * to max_backoff; chance moves it by up to a quarter. Failures of requests that began before the last failure was known
 * belong to the same outage and count once. So does a URL that fails again with a status other than 503: it may be the
 * only one that does, and only prolongs the hold. After give_up failures in a row the host is given up: requests queued
 * for it are refused. After `away` one request, the probe, is let through. If the probe fails, the host is given up for
 * as long again; otherwise everything is as before.
 *
 * Walls. A wall or a challenge (<crawl/wall.h>) doubles the pause. After the second in a row the host is left alone for
 * `wall`. Each further wall doubles that, up to an hour. After four walls among its last eight answers the host is left
 * alone for `away`; the next request is then a probe, as for a host that is given up. A host that has not answered with
 * a page yet is left alone for `away` after the second wall. Requests wait meanwhile, unless walls_refuse is set: then
 * the host is given up like one that fails.
 *
 * Requests wait until a hold is over. Two holds refuse them instead: that of a host that is given up, and a Retry-After
 * longer than max_wait. */
#pragma once

#include <crawl/config.h>
#include <crawl/fetch.h>

typedef struct cw_host_pace_rules {
    int64_t delay_us; /* 0: no pause, whatever the answer time */
    bool adaptive;
    double target; /* requests under way on average, above 0 */
    int64_t max_delay_us;
    int64_t backoff_us;
    int64_t max_backoff_us;
    uint32_t give_up; /* failures in a row; 0: never */
    int64_t away_us;
    double spread;       /* each pause is drawn between 1 - spread and 1 + spread times its length; from 0 to below 1 */
    int64_t max_wait_us; /* a longer Retry-After is not waited for; a quota counts for at most this long */
    int64_t wall_us;     /* 0: walls cause no holds */
    bool walls_refuse;   /* a host that is given up for its walls refuses its requests */
} cw_host_pace_rules;

cw_host_pace_rules cw_host_pace_rules_of(const crawl_config *config);

/* The reasons for a pause and for a hold. --requests shows their names. */
typedef enum cw_host_pace_by { CW_PACE_DELAY, CW_PACE_CRAWL_DELAY, CW_PACE_ADAPTIVE, CW_PACE_QUOTA } cw_host_pace_by;
typedef enum cw_host_hold_by {
    CW_HOLD_NONE,
    CW_HOLD_RETRY_AFTER,
    CW_HOLD_BACKOFF,
    CW_HOLD_GIVEN_UP,
    CW_HOLD_WALL,
    CW_HOLD_QUOTA
} cw_host_hold_by;
const char *cw_host_pace_by_name(cw_host_pace_by by);
const char *cw_host_hold_by_name(cw_host_hold_by by); /* NULL for CW_HOLD_NONE */

#define CW_HOST_PACE_NEVER INT64_MIN

/* 112 bytes per host. Made by cw_host_pace_init. */
typedef struct cw_host_pace {
    int64_t answer_us;      /* smoothed; 0: none yet */
    int64_t adaptive_us;    /* the pause that follows from the answer time */
    int64_t crawl_delay_us; /* 0: none */
    int64_t quota_us;       /* the pause that spreads the rest of a quota, until quota_until_us; 0: none */
    int64_t quota_until_us;
    int64_t at_once_until_us; /* end of at_once; CRAWL_FOREVER: until an answer states another number */
    int64_t started_us;       /* when the last request left; CW_HOST_PACE_NEVER: none has */
    int64_t failed_us;     /* when the last failure or wall that counted became known; CW_HOST_PACE_NEVER: none has */
    int64_t walled_us;     /* the same of walls */
    int64_t hold_until_us; /* CW_HOST_PACE_NEVER: no hold yet */
    uint64_t chance;       /* random number from which jitter is made */
    uint32_t failures;     /* in a row */
    int last_error;        /* the last of these failures: a status, or minus a crawl_fetch_error */
    uint8_t hold_by;       /* cw_host_hold_by */
    uint8_t quota_policy;  /* the policy that set quota_us, as in cw_host_quota */
    uint8_t walls;         /* the last eight answers, the last in bit 0; 1: a wall. If failures give the host up after a
                              wall, they count as an answer */
    uint32_t at_once;      /* see cw_host_pace_at_once */
    bool given_up : 1;
    bool probing : 1;  /* the host is given up, and the probe is on its way */
    bool had_wall : 1; /* ever */
    bool had_page : 1; /* there was a 2xx answer that is not a wall */
    uint32_t draw;     /* picks the present pause: 0 the shortest, UINT32_MAX the longest */
} cw_host_pace;

/* seed: any number; the same seed gives the same jitter. */
void cw_host_pace_init(cw_host_pace *pace, uint64_t seed);

/* Returns the pause drawn after the last request, and its reason. It is at least the Crawl-delay of robots.txt, which
 * is not part of the draw. */
int64_t cw_host_pace_pause(const cw_host_pace *pace, const cw_host_pace_rules *rules, cw_host_pace_by *by);

/* Returns the shortest pause that may be drawn. */
int64_t cw_host_pace_least(const cw_host_pace *pace, const cw_host_pace_rules *rules);

/* The requests that the host still allows, according to an answer; {0}: the answer does not say. */
typedef struct cw_host_quota {
    int64_t spent_us;  /* it allows none for this long; 0: not stated */
    int64_t window_us; /* it allows `left` in this time; 0: not stated */
    int64_t left;
    uint64_t told;  /* the policies that it mentions, one bit each; 0: it names none, and means all */
    uint8_t policy; /* bit number of the policy that this window belongs to */
    bool tells_at_once;
    int64_t spare;   /* valid if tells_at_once: how many more at once than now */
    int64_t allowed; /* this many are left for allowed_us, and are not spread over it; 0: not stated */
    int64_t allowed_us;
} cw_host_quota;

typedef enum cw_host_admission {
    CW_ADMIT_GO,
    CW_ADMIT_PROBE, /* go, as the probe of a host that is given up; cw_host_pace_answer or cw_host_pace_unasked must
                       report its end */
    CW_ADMIT_WAIT,  /* until *at_us */
    CW_ADMIT_REFUSE /* until *at_us, by a hold that requests do not wait for */
} cw_host_admission;

/* Tells whether the host may be asked now. */
cw_host_admission cw_host_pace_admit(cw_host_pace *pace, const cw_host_pace_rules *rules, int64_t now_us,
                                     int64_t *at_us);
/* Call if the probe was admitted and did not leave. */
void cw_host_pace_unasked(cw_host_pace *pace);
/* Returns how long the host is held from now; 0: it is not held. A host may become held after a request is admitted and
 * before it leaves. */
int64_t cw_host_pace_held(const cw_host_pace *pace, int64_t now_us);
/* Returns the present hold if requests are refused rather than wait for it. NONE: there is no such hold. */
cw_host_hold_by cw_host_pace_refused_by(const cw_host_pace *pace, const cw_host_pace_rules *rules, int64_t now_us);
/* Writes why requests are refused. by: the hold that refuses them; left_us: its remaining time. */
void cw_host_pace_say_refused(const cw_host_pace *pace, cw_host_hold_by by, int64_t left_us, char *words, size_t room);
/* A request leaves now: the pause runs from here. */
void cw_host_pace_started(cw_host_pace *pace, int64_t now_us);

typedef enum cw_host_answer {
    CW_ANSWER_NONE,    /* says nothing of the host: cancelled, a local fault, a private address */
    CW_ANSWER_GOOD,    /* 1xx to 3xx */
    CW_ANSWER_ERROR,   /* the host is up, but its answer time says little: 4xx, 501, 505, a body too large */
    CW_ANSWER_HURRIED, /* 429: too many requests */
    CW_ANSWER_BUSY,    /* 503: a failure, and too many requests */
    CW_ANSWER_FAILED   /* no answer, or another 5xx */
} cw_host_answer;

cw_host_answer cw_host_answer_of(const crawl_response *response);

/* A request that left at started_us, or whose connection was tried from then on, is over. is_wall: the answer is a wall
 * or a challenge; is_retry: the URL was asked before, and had no answer that stands. */
void cw_host_pace_answer(cw_host_pace *pace, const cw_host_pace_rules *rules, const crawl_response *response,
                         bool is_wall, bool is_retry, int64_t started_us, int64_t now_us);

/* Returns how many of the last answers were walls in an unbroken row. */
unsigned cw_host_pace_walls_in_row(const cw_host_pace *pace);
/* Returns true if the host is given up for its walls, so that its requests wait. */
static inline bool cw_host_pace_is_walled(const cw_host_pace *pace)
{
    return pace->given_up && pace->hold_by == CW_HOLD_WALL;
}

/* Returns how many requests at once a quota allows; 0: none limits them. */
uint32_t cw_host_pace_at_once(const cw_host_pace *pace, int64_t now_us);

/* Applies the quota that an answer states. running: the host's requests still under way, which the quota may not count
 * yet. */
void cw_host_pace_quota(cw_host_pace *pace, const cw_host_pace_rules *rules, const cw_host_quota *quota,
                        uint32_t running, int64_t now_us);

/* A host's pace, for another process to continue. */
typedef struct cw_host_pace_kept {
    uint32_t failures;
    int last_error;
    bool given_up;
    bool had_page;     /* kept only together with other values */
    uint8_t walls;     /* the last answers, as in cw_host_pace */
    int64_t held_us;   /* what is left of the hold by these failures or walls; 0: none */
    int64_t answer_us; /* this and adaptive_us are 0 if the pause does not follow from them */
    int64_t adaptive_us;
} cw_host_pace_kept;

/* Returns the part that another process should know; all 0: nothing. A Retry-After is kept elsewhere
 * (cw_host_sites_hold). */
cw_host_pace_kept cw_host_pace_keep(const cw_host_pace *pace, const cw_host_pace_rules *rules, int64_t now_us);
bool cw_host_pace_is_worth_keeping(const cw_host_pace_kept *kept);
/* Forgets everything that cw_host_pace_keep returns: from now on another process knows more about the host. */
void cw_host_pace_forget(cw_host_pace *pace);
/* Continues from the pace of another process. False: this process has learnt of the host already; the pace is
 * unchanged. */
bool cw_host_pace_take_over(cw_host_pace *pace, const cw_host_pace_kept *kept, int64_t now_us);

/* Holds the host until this time. A time before the end of the present hold changes nothing. */
void cw_host_pace_hold(cw_host_pace *pace, int64_t until_us, cw_host_hold_by by);

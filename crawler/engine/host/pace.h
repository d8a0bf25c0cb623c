/* The pace of one host: the pause between two requests to it, and the times at which it is not asked at all. Pure:
 * times and answers go in, pauses and holds come out; all in microseconds of any clock that does not go back.
 *
 * Pause. By Little's law a host that is asked once every `pause` and takes `answer` for it has answer / pause requests
 * under way on average. For `target` of them the pause is the smoothed answer time divided by target, at least the
 * configured delay and the Crawl-delay, at most max_delay (which a longer Crawl-delay exceeds). The answer time follows
 * longer answers by half the way, where one answer counts as four times the present value at most, and shorter ones by
 * an eighth: one slow page does not stop a crawl, a host that gets slow is relieved within a few answers. An answer
 * that is not good (cw_host_answer) never shortens the pause; 429 and 503 double it.
 *
 * Quotas. A host that says how many requests it allows yet in a time is asked no more often than spreads them over that
 * time; when none is left it is held until the time is over. Neither is longer than max_wait. An answer that speaks of
 * other policies alone, or of another partition, does not shorten the pause before the time is over. Where what is left
 * is not to be spread, as many are under way at once at most.
 *
 * Holds. After the second failure in a row the host is left alone for `backoff`, doubled with each further one up to
 * max_backoff, a quarter more or less by chance. Failures of requests that had begun before the last failure was known
 * are of the same outage and count once. After give_up failures in a row the host is given up: what is queued for it is
 * refused. After `away` one request, the probe, is let through; if it fails the host is given up for as long again, and
 * otherwise all is as before.
 *
 * Walls. A wall or a challenge (<crawl/wall.h>) doubles the pause. After the second in a row the host is left alone for
 * `wall`, doubled with each further one up to an hour, and after four of its last eight answers for `away`; then the
 * next request is a probe, as of a host that is given up. A host that has answered with no page yet is left alone for
 * `away` after the second. Requests wait meanwhile; with walls_refuse such a host is given up as one that fails is.
 *
 * Requests wait until a hold is over, but for two holds by which they are refused: that of a host that is given up, and
 * a Retry-After longer than max_wait. */
#pragma once

#include <crawl/config.h>
#include <crawl/fetch.h>

typedef struct cw_host_pace_rules {
    int64_t delay_us; /* 0: no pause, whatever the answer time */
    bool adaptive;
    double target; /* requests under way on average, more than 0 */
    int64_t max_delay_us;
    int64_t backoff_us;
    int64_t max_backoff_us;
    uint32_t give_up; /* failures in a row; 0: never */
    int64_t away_us;
    double spread;       /* each pause is drawn between 1 - spread and 1 + spread of it; 0 to below 1 */
    int64_t max_wait_us; /* a Retry-After that is longer is not waited for; a quota counts for no longer */
    int64_t wall_us;     /* 0: walls hold nothing */
    bool walls_refuse;   /* a host that is given up for its walls refuses its requests */
} cw_host_pace_rules;

cw_host_pace_rules cw_host_pace_rules_of(const crawl_config *config);

/* The reason for a pause, and the reason for a hold. Their names stand in --requests. */
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
const char *cw_host_hold_by_name(cw_host_hold_by by); /* NULL: NONE */

#define CW_HOST_PACE_NEVER INT64_MIN

/* 96 bytes a host. cw_host_pace_init makes one. */
typedef struct cw_host_pace {
    int64_t answer_us;      /* smoothed; 0: none yet */
    int64_t adaptive_us;    /* the pause that follows from the answer time */
    int64_t crawl_delay_us; /* 0: none */
    int64_t quota_us;       /* the pause that spreads what is left of a quota, until quota_until_us; 0: none */
    int64_t quota_until_us;
    int64_t started_us;    /* when the last request left; CW_HOST_PACE_NEVER: none did */
    int64_t failed_us;     /* when the last failure that counted was known; CW_HOST_PACE_NEVER: none was */
    int64_t hold_until_us; /* CW_HOST_PACE_NEVER: there was no hold yet */
    uint64_t chance;       /* the random number that jitter is made of */
    uint32_t failures;     /* in a row */
    int last_error;        /* of the last of these: a status, or minus a crawl_fetch_error */
    uint8_t hold_by;       /* cw_host_hold_by */
    uint8_t quota_policy;  /* the policy that quota_us is of, as in cw_host_quota */
    uint8_t walls;         /* the last eight answers, bit 0 of the last one: was it a wall? */
    uint32_t at_once;      /* requests at once that a quota allows; 0: it says nothing of that */
    bool given_up : 1;
    bool probing : 1;  /* the host is given up, and the probe is on its way */
    bool had_wall : 1; /* once */
    bool had_page : 1; /* an answer of 2xx that is no wall */
    uint32_t draw;     /* the present pause among those that may be drawn: 0 the shortest, UINT32_MAX the longest */
} cw_host_pace;

/* seed: any; the same gives the same jitter. */
void cw_host_pace_init(cw_host_pace *pace, uint64_t seed);

/* The pause since the last request, as it was drawn, and its reason. It is at least the Crawl-delay of robots.txt,
 * which is no part of the draw. */
int64_t cw_host_pace_pause(const cw_host_pace *pace, const cw_host_pace_rules *rules, cw_host_pace_by *by);

/* The shortest pause that may be drawn. */
int64_t cw_host_pace_least(const cw_host_pace *pace, const cw_host_pace_rules *rules);

/* The requests that the host still allows, as an answer tells; {0}: it tells nothing. */
typedef struct cw_host_quota {
    int64_t spent_us;  /* it allows none for so long; 0: it does not say so */
    int64_t window_us; /* it allows `left` in so long; 0: it does not say so */
    int64_t left;
    uint64_t told;  /* the policies that it speaks of, each by a bit; 0: it names none, and speaks of all */
    uint8_t policy; /* the number of the bit of that whose window this is */
    bool tells_at_once;
    int64_t spare;   /* of tells_at_once: so many at once more than there are */
    int64_t allowed; /* so many are left for allowed_us, over which they are not spread; 0: it does not say so */
    int64_t allowed_us;
} cw_host_quota;

typedef enum cw_host_admission {
    CW_ADMIT_GO,
    CW_ADMIT_PROBE, /* go, as the probe of a host that is given up; its end must be told by cw_host_pace_answer or
                     * cw_host_pace_unasked */
    CW_ADMIT_WAIT,  /* until *at_us */
    CW_ADMIT_REFUSE /* until *at_us, by a hold that is not waited for */
} cw_host_admission;

/* May the host be asked now? */
cw_host_admission cw_host_pace_admit(cw_host_pace *pace, const cw_host_pace_rules *rules, int64_t now_us,
                                     int64_t *at_us);
/* To be called when the probe was admitted and did not leave. */
void cw_host_pace_unasked(cw_host_pace *pace);
/* For how long from now the host is held; 0: it is not. A host may become held between the moment when a request is
 * admitted and the moment when it leaves. */
int64_t cw_host_pace_held(const cw_host_pace *pace, int64_t now_us);
/* The hold that requests do not wait for, if there is one now; they are refused. NONE: there is none. */
cw_host_hold_by cw_host_pace_refused_by(const cw_host_pace *pace, const cw_host_pace_rules *rules, int64_t now_us);
/* Writes into words why requests are refused. by: the hold that refuses them; left_us: how long it lasts yet. */
void cw_host_pace_say_refused(const cw_host_pace *pace, cw_host_hold_by by, int64_t left_us, char *words, size_t room);
/* A request leaves now: the pause runs from here. */
void cw_host_pace_started(cw_host_pace *pace, int64_t now_us);

typedef enum cw_host_answer {
    CW_ANSWER_NONE,    /* says nothing of the host: cancelled, our own fault, a private address */
    CW_ANSWER_GOOD,    /* 1xx to 3xx */
    CW_ANSWER_ERROR,   /* the host is there, but its answer time says little: 4xx, 501, 505, a body too large */
    CW_ANSWER_HURRIED, /* 429: too many requests */
    CW_ANSWER_BUSY,    /* 503: a failure, and too many requests */
    CW_ANSWER_FAILED   /* no answer, or another 5xx */
} cw_host_answer;

cw_host_answer cw_host_answer_of(const crawl_response *response);

/* A request that left at started_us, or whose connection was tried from then on, is over. is_wall: its answer is a wall
 * or a challenge. */
void cw_host_pace_answer(cw_host_pace *pace, const cw_host_pace_rules *rules, const crawl_response *response,
                         bool is_wall, int64_t started_us, int64_t now_us);

/* How many of the last answers were walls, without another between them. */
unsigned cw_host_pace_walls_in_row(const cw_host_pace *pace);
/* Is the host given up for its walls, so that its requests wait? */
static inline bool cw_host_pace_is_walled(const cw_host_pace *pace)
{
    return pace->given_up && pace->hold_by == CW_HOLD_WALL;
}

/* An answer has come that tells this of the host's quota. running: requests to the host that are still under way, which
 * the quota may not have counted yet. */
void cw_host_pace_quota(cw_host_pace *pace, const cw_host_pace_rules *rules, const cw_host_quota *quota,
                        uint32_t running, int64_t now_us);

/* A host's pace, for another process to go on with. */
typedef struct cw_host_pace_kept {
    uint32_t failures;
    int last_error;
    bool given_up;
    bool had_page;     /* with one of the others alone */
    uint8_t walls;     /* among the last answers, as in cw_host_pace */
    int64_t held_us;   /* what is left of the hold by these failures or walls; 0: none */
    int64_t answer_us; /* this one and the next are 0 where the pause does not follow from them */
    int64_t adaptive_us;
} cw_host_pace_kept;

/* The part that another process should know; all 0: nothing. A Retry-After is kept elsewhere (cw_host_sites_hold). */
cw_host_pace_kept cw_host_pace_keep(const cw_host_pace *pace, const cw_host_pace_rules *rules, int64_t now_us);
bool cw_host_pace_is_worth_keeping(const cw_host_pace_kept *kept);
/* Goes on with what another process knew. False: this process has learnt of the host already, and the pace stays as it
 * is. */
bool cw_host_pace_take_over(cw_host_pace *pace, const cw_host_pace_kept *kept, int64_t now_us);

/* The host is not asked until this time. A time before the end of the present hold changes nothing. */
void cw_host_pace_hold(cw_host_pace *pace, int64_t until_us, cw_host_hold_by by);

/* Hosts that this process has for a session, as the frontier's lock sees them. Invariants, between calls:
 *
 *   J1  holds->by_number has the hold of each host that is this process's, under the host's number.
 *   J2  a host is leased from (not away) if and only if its hold is in the stage HELD and does not yield.
 *   J3  `held` counts the holds in by_number.
 *   J4  `stray_requests` counts the urgent requests that are queued at hosts without a hold.
 *   J5  each request of a session is queued here, leased, or has its change in the hold, and never two of these. */
#pragma once

#include "shared/store/joint.h"

/* The fate of a request of a session. */
typedef struct cw_joint_change {
    cw_shared_change change; /* owns its bytes */
    uint64_t epoch;
} cw_joint_change;

/* The changes of a session, with room for one for each request that it was given. */
typedef struct cw_joint_changes {
    cw_joint_change *all;
    size_t room, made;
    size_t written, sent; /* the thread's: changes that Redis has, and those including the write under way */
    uint64_t first_id;    /* of the `room` requests of the session, whose ids are consecutive */
} cw_joint_changes;

/* The message under way or next about a hold, besides its changes. The thread's. */
typedef struct cw_joint_letter {
    bool is_out;
    int64_t sent_us; /* the last one; 0: none */
    bool is_end;     /* it ends the session */
    unsigned more;   /* requests asked for; all that the session had are done by then */
    bool has_record;
    crawl_buf record;
    int64_t pause_ms, open_ms;
} cw_joint_letter;

typedef enum cw_joint_stage {
    CW_JOINT_WAITS, /* not leased from for now: Redis must have its pause first, or notes must come */
    CW_JOINT_HELD,
    CW_JOINT_ENDS, /* only messages to Redis are left */
    CW_JOINT_GONE  /* another process has it, or nobody */
} cw_joint_stage;

/* A host that this process has for a session. Made and freed by the thread. */
typedef struct cw_joint_hold {
    cw_joint *joint;
    cw_frontier_host *host;
    uint64_t token;
    unsigned owed; /* answers that will refer to it; the thread's */
    bool speaks;   /* has something to send in this turn */
    bool leaves;   /* its leaving must be reported in this turn */
    bool is_told;  /* its leaving was reported */
    cw_joint_letter letter;

    /* Under the lock. */
    cw_joint_stage stage;
    int64_t until_us; /* of CLOCK_BOOTTIME: no request leaves from then on */
    bool awaits_notes;
    bool awaits_cookies;
    bool asks_cookies;  /* the thread's: they are being read */
    bool has_jars;      /* counted in the holds of its jars */
    int64_t cookies_us; /* the thread's: earliest time to ask for them */
    int64_t begun_us;   /* of CLOCK_BOOTTIME: requests that left before belong to an earlier hold, if to any */
    bool yields;        /* the thread's: it goes to another process once none of its requests is leased */
    bool is_dry;        /* Redis has no more requests of the host, or must not be asked for them */
    bool wants_more;    /* the thread's: it has no requests, and must ask Redis for some */
    bool is_changed;    /* Redis does not know the host's latest state */
    int64_t pause_ms;   /* as Redis has it for certain */
    int64_t block_ms;   /* end of the block, by the server's clock; 0: no block */
    int64_t stuck_ms;   /* when it began to wait for another host's answer, by the callers' clock; 0: no wait */
    crawl_buf note;     /* of the origin */
    cw_joint_changes changes;
} cw_joint_hold;

typedef struct cw_joint_holds {
    /* Under the lock. */
    cw_joint_hold **by_number; /* of a host's number; NULL: not this process's */
    size_t numbers;
    size_t held;             /* entries of by_number that are not NULL */
    uint64_t stray_requests; /* urgent requests queued at hosts without a hold */

    /* The thread's: all holds, including gone ones that await answers. */
    cw_joint_hold **list;
    size_t count, room;
} cw_joint_holds;

/* Adds to the number of urgent requests queued at hosts that this process does not have. Under the lock, as are all
 * functions that follow. */
static inline void cw_joint_stray_count(cw_joint *joint, int64_t more)
{
    joint->holds->stray_requests += (uint64_t)more;
}

/* Returns the hold of a host. NULL: it is not this process's. */
cw_joint_hold *cw_joint_hold_of(const cw_joint *joint, const cw_frontier_host *host);
/* The same for an origin. */
cw_joint_hold *cw_joint_hold_of_origin(const cw_joint *joint, crawl_slice origin);
/* Makes the session's host known and queues its requests. Reads items and ids; takes ownership of the items.
 * CRAWL_ENOMEM: nothing of it is queued. */
crawl_err cw_joint_hold_begin(cw_joint_hold *hold, const cw_shared_session *session, cw_frontier_item **items,
                              int64_t now);
/* Queues further requests of the session and takes ownership of them; all earlier ones must be done. CRAWL_ENOMEM:
 * none is queued. */
crawl_err cw_joint_hold_add(cw_joint_hold *hold, const cw_shared_item *ids, cw_frontier_item **items, size_t count,
                            int64_t now);
/* Updates the stage. */
void cw_joint_hold_place(cw_joint_hold *hold, int64_t now);
/* Drops the requests queued here and leases no more of the host's. */
void cw_joint_hold_leave(cw_joint_hold *hold, cw_joint_stage stage, int64_t now);
/* Returns true if the hold has nothing more to do here. */
bool cw_joint_hold_is_over(cw_joint_hold *hold, int64_t now);
/* Returns true if the request of this id is among those that the session has at present. */
bool cw_joint_hold_gave(const cw_joint_hold *hold, uint64_t id);
/* Records the fate of one of its requests. bytes: may be NULL; ownership passes to the hold. */
void cw_joint_hold_note(cw_joint_hold *hold, cw_shared_how how, uint64_t id, int64_t at_ms, uint64_t level,
                        crawl_buf *bytes);
/* Prepares the next letter: the record, and when the host may be asked again. CRAWL_ENOMEM. */
crawl_err cw_joint_hold_compose(cw_joint_hold *hold);
void cw_joint_hold_free(cw_joint_hold *hold);
/* Frees all holds, at the end. */
void cw_joint_holds_free(cw_joint_holds *holds);

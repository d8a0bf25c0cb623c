/* Hosts that this process has for a time, as the frontier's lock sees them. Invariants, between calls:
 *
 *   J1  holds->by_number has the hold of each host that is this process's, under the host's number.
 *   J2  a host is leased from (not away) just when its hold is in the stage HELD and does not yield.
 *   J3  `held` counts the holds there.
 *   J4  `stray_requests` counts the urgent requests that are queued at hosts without a hold.
 *   J5  each request of a session is queued here, leased, or has its change in the hold, and never two of these. */
#pragma once

#include "shared/store/joint.h"

/* The fate of a request of a session. */
typedef struct cw_joint_change {
    cw_shared_change change; /* the bytes are its own */
    uint64_t epoch;
} cw_joint_change;

/* There is room for one for each request that the session was given. */
typedef struct cw_joint_changes {
    cw_joint_change *all;
    size_t room, made;
    size_t written, sent; /* the thread's: Redis has so many, and so many with what is being written */
    uint64_t first_id;    /* of the `room` requests of the session, whose ids follow one another */
} cw_joint_changes;

/* The thread's: what is being written of a hold besides its changes, or is to be. */
typedef struct cw_joint_letter {
    bool is_out;
    int64_t sent_us; /* the last one; 0: none was */
    bool is_end;     /* it ends the session */
    unsigned more;   /* requests that are asked for: all that the session had are done by then */
    bool has_record;
    crawl_buf record;
    int64_t pause_ms, open_ms;
} cw_joint_letter;

typedef enum cw_joint_stage {
    CW_JOINT_WAITS, /* not leased from yet, or for a moment: its pause must be in Redis first, or notes must come */
    CW_JOINT_HELD,
    CW_JOINT_ENDS, /* nothing of it is left here but what is to be said */
    CW_JOINT_GONE  /* it is another's, or nobody's */
} cw_joint_stage;

/* A host that this process has for a session. Made and freed by the thread. */
typedef struct cw_joint_hold {
    cw_joint *joint;
    cw_frontier_host *host;
    uint64_t token;
    unsigned owed; /* answers that will name it; the thread's */
    bool speaks;   /* has something to say in this turn */
    bool leaves;   /* that it leaves is to be told in this turn, */
    bool is_told;  /* and was */
    cw_joint_letter letter;

    /* Under the lock. */
    cw_joint_stage stage;
    int64_t until_us; /* of CLOCK_BOOTTIME: nothing leaves from then on */
    bool awaits_notes;
    bool awaits_cookies;
    bool asks_cookies;  /* the thread's: they are being read */
    bool has_jars;      /* counted among the holds of its jars */
    int64_t cookies_us; /* likewise: not to be asked for before */
    int64_t begun_us;   /* of CLOCK_BOOTTIME: what left before was of an earlier session, if of any */
    bool yields;        /* the thread's: it goes to another process as soon as nothing of it is leased */
    bool is_dry;        /* Redis has no more requests of the host, or is not to be asked for them */
    bool wants_more;    /* the thread's: it has no requests, and is to ask Redis for some */
    bool is_changed;    /* what Redis knows of the host is not all */
    int64_t pause_ms;   /* as Redis has it for sure */
    int64_t block_ms;   /* until, by the server's clock; 0: no block */
    int64_t stuck_ms;   /* since when it waits for an answer of another host, by the callers' clock; 0: it does not */
    crawl_buf note;     /* of the origin */
    cw_joint_changes changes;
} cw_joint_hold;

typedef struct cw_joint_holds {
    /* Under the lock. */
    cw_joint_hold **by_number; /* of a host's number; NULL: not this process's */
    size_t numbers;
    size_t held;             /* of these, with a hold */
    uint64_t stray_requests; /* urgent ones that are queued at hosts without a hold */

    /* The thread's: those too that are gone and await answers. */
    cw_joint_hold **list;
    size_t count, room;
} cw_joint_holds;

/* Under the lock, as are all that follow. So many urgent requests more are queued at hosts that this process does not
 * have. */
static inline void cw_joint_stray_count(cw_joint *joint, int64_t more)
{
    joint->holds->stray_requests += (uint64_t)more;
}

/* The hold of a host; NULL: it is not this process's. */
cw_joint_hold *cw_joint_hold_of(const cw_joint *joint, const cw_frontier_host *host);
/* Likewise of an origin. */
cw_joint_hold *cw_joint_hold_of_origin(const cw_joint *joint, crawl_slice origin);
/* Makes the session's host known, and queues its requests. items and ids are read; the items are its own from then on.
 * CRAWL_ENOMEM: nothing of it is queued. */
crawl_err cw_joint_hold_begin(cw_joint_hold *hold, const cw_shared_session *session, cw_frontier_item **items,
                              int64_t now);
/* Queues further requests of the session, which are likewise its own; what it had before is all done. CRAWL_ENOMEM:
 * none is queued. */
crawl_err cw_joint_hold_add(cw_joint_hold *hold, const cw_shared_item *ids, cw_frontier_item **items, size_t count,
                            int64_t now);
/* Its stage may have changed. */
void cw_joint_hold_place(cw_joint_hold *hold, int64_t now);
/* Its requests queued here are dropped, and nothing of it is leased any more. */
void cw_joint_hold_leave(cw_joint_hold *hold, cw_joint_stage stage, int64_t now);
/* Has it nothing more to do here? */
bool cw_joint_hold_is_over(cw_joint_hold *hold, int64_t now);
/* Tells the fate of one of its requests. bytes: may be NULL; its own from then on. */
void cw_joint_hold_note(cw_joint_hold *hold, cw_shared_how how, uint64_t id, int64_t at_ms, uint64_t level,
                        crawl_buf *bytes);
/* Writes its record, and when it may be asked again, for what is to be sent. CRAWL_ENOMEM. */
crawl_err cw_joint_hold_compose(cw_joint_hold *hold);
void cw_joint_hold_free(cw_joint_hold *hold);
/* At the end: all of them. */
void cw_joint_holds_free(cw_joint_holds *holds);

/* What the files of this room share: the store of a frontier whose crawl other processes share, called joint here.
 *
 *   store.c           what the frontier calls, under its lock: ends of leases, pauses, blocks, figures
 *   offer.c           what is pushed, until the thread takes it
 *   hold.c            hosts that this process has for a time
 *   budget.c          what all processes together may use up
 *   room.c            whether more may be queued
 *   places.c          the same of the pages of a host or a domain
 *   joint_bodies.c    pages whose body another page had before
 *   runs.c            what is due, by one date for all that are there at once
 *   joint_crew.c      what this process tells of itself, and what others have told
 *   joint_stir.c      how those who have nothing to do hear of what others bring
 *   stray.c           urgent requests of hosts that this process does not have
 *   joint_forget.c    hosts that it has no more
 *   joint_notes.c     the crawl's notes
 *   joint_cookies.c   the crawl's cookies
 *   jars.c            those of a host, and what of them is to be told
 *   joint_request.c   requests as bytes
 *   joint_record.c    what Redis keeps of a host, as bytes
 *   joint_find.c      one request and its host, seen from outside
 *   joint_loop.c      the thread: every so often it brings what has gathered to Redis, and takes hosts
 *   joint_sessions.c  what it sends and hears of hosts
 *   look.c            the last look, for whoever waits for it
 *   made.c            whether it is still the crawl that was joined; come_back.c, whether it may lack something;
 *                     joint_open.c and joint_join.c have the beginning and the end
 *
 * The thread alone speaks to Redis, and sends nothing under the frontier's lock. That lock guards what they share.
 *
 * Order. Pushes are numbered by turns of the thread (epochs). A lease that ends in an epoch is told to Redis when every
 * push of that epoch and of those before is acknowledged: the links of its page are among these. */
#ifndef CW_FRONTIER_SHARED_STATE_H
#define CW_FRONTIER_SHARED_STATE_H

#include "base/away.h"
#include "frontier/push/push.h"
#include "shared/protocol/outbox.h"
#include "shared/protocol/shared.h"
#include "shared/store/joint_seeds.h"

#include <crawl/shared.h>
#include <stdatomic.h>

struct event;
struct event_base;

#define CW_JOINT_TICK_MS 20       /* between two turns: a page costs the fewer scripts, the rarer they are */
#define CW_JOINT_HOSTS_A_TURN 4u  /* hosts taken in a turn, so that processes that begin together share them out */
#define CW_JOINT_LOOKS_A_TURN 12u /* partitions that are asked for a host besides: all of them in about 400 ms */
#define CW_JOINT_LOOK_MS                                                                                            \
    250                          /* between two looks at the whole while this process has nothing to do, and others \
                                    have just ended something */
#define CW_JOINT_FIGURES_MS 5000 /* and while it has */
#define CW_JOINT_FULL_MS 1000    /* and while there is not much room for more */
#define CW_JOINT_REST_MS                                                                                          \
    10000                       /* at most, or a third of the lease: likewise while nobody stirs, and between two \
                                   questions for a partition */
#define CW_JOINT_WAITS_MS 10000 /* a request for a date no later than this waits here, and not in Redis */
#define CW_JOINT_SEEK_MS 250    /* between two questions for one host */
#define CW_JOINT_STUCK_MS 60000 /* a host that waits for the answer of another one so long is given back */
#define CW_JOINT_CLOSE_MS 5000  /* how long the end waits for Redis */
#define CW_JOINT_RECORD_MAX (CRAWL_NOTE_MAX + 64)

/* A link on its way to the outbox. */
struct cw_joint_link {
    struct cw_joint_link *next;
    cw_shared_request request; /* its texts stand behind it */
    size_t size;
    uint8_t print[CW_SHARED_PRINT];
    char texts[];
};

/* What became of a request of a session. There is room for one for each that it was given. */
typedef struct cw_joint_change {
    cw_shared_change change; /* the bytes are its own */
    uint64_t epoch;
} cw_joint_change;

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
    bool is_writing;
    bool is_ending; /* what is being written ends it */

    /* Under the lock. */
    cw_joint_stage stage;
    int64_t until_us; /* of CLOCK_BOOTTIME: nothing leaves from then on */
    bool awaits_notes;
    bool awaits_cookies;
    bool asks_cookies;  /* the thread's: they are being read */
    bool has_jars;      /* counted among the holds of its jars */
    int64_t cookies_us; /* likewise: not to be asked for before */
    int64_t begun_us;   /* of CLOCK_BOOTTIME: what left before was of an earlier session, if of any */
    bool is_changed;    /* what Redis knows of the host is not all */
    int64_t pause_ms;   /* as Redis has it for sure */
    int64_t block_ms;   /* until, by the server's clock; 0: no block */
    int64_t stuck_ms;   /* since when it waits for an answer of another host, by the callers' clock; 0: it does not */
    crawl_buf note;     /* of the origin */
    cw_joint_change *changes;
    size_t room, made;
    uint64_t first_id; /* of the `room` requests of the session, whose ids follow one another */

    /* The thread's: what is being written, and how far. */
    size_t written, sent;
    int64_t sent_pause_ms, sent_open_ms;
    bool has_record;
    crawl_buf record;
} cw_joint_hold;

/* What is known of a partition without asking. */
typedef struct cw_joint_partition {
    cw_joint *joint;
    int64_t due_us;  /* not worth asking before */
    bool is_sure;    /* it has something then, as far as this process knows */
    int64_t sent_us; /* of the question that is under way */
    bool is_out, is_back;
    uint64_t returns;    /* of its data, that are known; is_back: one was not */
    int64_t quiet_us;    /* no host is taken before */
    int64_t stranded_us; /* since when it has requests that no host has; 0: it has none */
} cw_joint_partition;

/* A host that is sought for its urgent requests. */
typedef struct cw_joint_stray {
    struct cw_joint_stray *next;
    cw_joint *joint;
    cw_frontier_host *host;
    int64_t sent_us; /* the thread's, as is what follows */
    bool is_out;
} cw_joint_stray;

/* What is to be said of a partition, or of the crawl as a whole. */
typedef struct cw_joint_stir_word {
    bool is_due;                /* it is to be said, */
    uint64_t epoch, last_epoch; /* when the former is acknowledged, and again when the latter is */
    bool is_out;                /* it was sent */
} cw_joint_stir_word;

#define CW_JOINT_MOMENTS 11u /* of which the pace of the last ten seconds is reckoned */

/* What this process tells of itself, and what all have told. */
typedef struct cw_joint_crew {
    /* Under the lock. */
    int64_t wanted_us; /* when somebody wanted to know of the others last; 0: nobody did */
    crawl_shared_crew read;
    bool is_read;

    /* The thread's. */
    crawl_shared_report told;   /* last, and with an answer */
    crawl_shared_report sent;   /* what is under way, as it is sent */
    crawl_shared_report before; /* what was told and is added up with what others did: it is told no more */
    bool has_told, is_telling, is_reading;
    bool is_ending, has_ended; /* what is under way is its last word; that was answered */
    int64_t told_us, read_us;
    struct {
        int64_t us;
        uint64_t pages;
    } moments[CW_JOINT_MOMENTS];
    size_t moment_count;
} cw_joint_crew;

/* A turn whose pushes are not all acknowledged. */
typedef struct cw_joint_epoch {
    struct cw_joint_epoch *next;
    cw_joint *joint;
    uint64_t number;
    size_t links;
    bool is_acknowledged;
} cw_joint_epoch;

struct cw_joint {
    crawl_frontier *frontier;
    crawl_shared_options options; /* texts are NULL */
    char *password, *ca_file, *name, *worker;
    crawl_redis_url url;
    pthread_t thread;
    bool has_thread;
    int wake_fd;
    atomic_bool closing;  /* give all back, and end */
    atomic_bool stopping; /* end */
    atomic_int failed;    /* crawl_err; `failure` is written before */
    crawl_error failure;

    /* Under the lock. */
    uint64_t epoch; /* the one that pushes are of now */
    cw_joint_link *offered, *offered_last;
    uint64_t offered_bytes, outbox_bytes;
    uint64_t owed_links; /* that were offered and are not acknowledged */
    cw_joint_seeds seeds;
    uint64_t *met;      /* tags of fingerprints that were pushed here, each where its own first bytes say; 0: none */
    uint64_t met_slots; /* a power of two, or 0 */
    cw_joint_hold **by_number; /* of a host's number; NULL: not this process's */
    size_t numbers;
    size_t held;                /* of these, with a hold */
    uint64_t stray_requests;    /* urgent ones that are queued at hosts without a hold */
    cw_joint_stray *strays;     /* only the thread takes one out */
    cw_frontier_host **leaving; /* hosts without a hold, to be forgotten when nothing refers to them */
    size_t leaving_count, leaving_room;
    cw_map *places;               /* of tickets; NULL: none was asked for */
    struct cw_joint_place *to_do; /* of these, those that Redis has not heard all of */
    struct cw_joint_body *bodies; /* to be asked about */
    struct cw_joint_jars *jars;   /* NULL: this crawl has no cookies */
    cw_map *notes;
    struct cw_joint_note *unsent, *unsent_last;
    bool feeding;
    bool is_drained;
    bool is_spent; /* there is no ticket for a page, neither here nor in Redis */
    bool is_up;
    int64_t said_ms, said_us; /* a time that a caller told, and CLOCK_BOOTTIME then */
    int64_t server_us;        /* to be added to CLOCK_BOOTTIME, in microseconds, for the server's time at most */
    int64_t server_within_us; /* it may be too much by so much */
    uint64_t accepted, seen;  /* of pushes that were acknowledged */
    crawl_shared_counts figures;
    uint64_t accepted_before_look;    /* when these were asked for */
    uint64_t looks_wanted, looks_had; /* by callers who wait for `looked` */
    pthread_cond_t looked;            /* there are new figures, or there will be none for now */

    /* The thread's. */
    struct event_base *base;
    struct event *tick, *wake;
    crawl_redis *redis;
    cw_shared *shared;
    cw_shared_outbox *outbox;
    cw_joint_epoch *epochs, *epochs_last; /* not acknowledged, the oldest first */
    uint64_t pushed;                      /* all epochs up to this one are, as far as pushes go, */
    uint64_t acknowledged;                /* and as a whole */
    cw_joint_hold **holds;
    size_t hold_count, hold_room;
    cw_joint_partition partitions[CW_SHARED_PARTITIONS];
    unsigned next_partition;
    cw_joint_crew crew;
    cw_joint_stir_word stirs[CW_SHARED_STIRS];
    char stirs_read[CW_SHARED_STIRS * CW_SHARED_STIR_SIZE]; /* as they were read last, at stirs_read_us */
    int64_t stirs_read_us, stirs_told_us;
    bool is_reading_stirs, is_telling_stirs;
    bool is_stirred;          /* the last reading was another than the one before */
    bool has_moved;           /* there was something new since the last look */
    cw_shared_hold *renewals; /* under way; NULL: none are */
    cw_joint_hold **renewed;
    size_t renewal_count;
    int64_t renewed_us, looked_us;
    uint64_t accepted_at_look; /* when the one that is under way began */
    bool is_looking, looks_for_sure, fed_sent;
    uint64_t look_serves; /* so many of looks_wanted, when the one that is under way is answered */
    bool is_asking_made, knows_crawl;
    int fed;            /* what Redis was told last: 1 it has some, 0 it has none, -1 nothing */
    uint64_t fed_epoch; /* not to be told before it is acknowledged */
    int64_t best_server_us, best_within_us;
    struct cw_joint_note *sending;
    uint64_t note_version;
    unsigned note_questions; /* for it that are under way */
    bool is_writing_notes, is_reading_notes, reads_again;
    crawl_shared_budget budget;
    cw_shared_wish told; /* to Redis last, at told_us; 0: nothing, or in vain */
    int64_t told_us;
    uint64_t tickets_left, tickets_ahead;
    bool is_taking_tickets;
    int64_t run_ms; /* the date of the run that partitions were asked for; 0: none yet */
    int64_t ran_us; /* when this process said last that it takes part in a run; 0: never, or in vain */
    bool runs;      /* it has said so, and not the reverse */
    bool is_telling_run;
    int64_t close_us;                           /* when the end has waited enough */
    bool gave_back;                             /* nothing is left to be said */
    bool was_short, was_warned, refuses_writes; /* which is told once */
    cw_away away;

    /* At the start. */
    crawl_err err;
    crawl_error error;
    char words[200]; /* of the connection */
    bool is_ready, was_patient, made;
};

static inline cw_joint *cw_joint_of(const crawl_frontier *frontier)
{
    return frontier->store.self;
}

/* --- joint_fault.c --- */

/* The first failure is kept. Under the lock. */
void cw_joint_fail(cw_joint *joint, crawl_err err, const char *words);
/* Not under the lock, from the thread; wakes those who sleep. */
void cw_joint_break(cw_joint *joint, crawl_err err, const char *words);
/* The crawl is not there any more. where: the keys that are meant; empty: all. The thread's. */
void cw_joint_lose(cw_joint *joint, cw_shared_loss loss, crawl_slice where);
/* A fault of a call that may go again: whether it passes decides what follows. The thread's. */
void cw_joint_fault(cw_joint *joint, crawl_redis_fault fault, const char *words);
/* The server has carried out what writes. The thread's. */
void cw_joint_takes_writes(cw_joint *joint);

/* --- clock.c --- */

/* Under the lock: a date of callers as one of the server, and the reverse; never too soon. */
int64_t cw_joint_to_server(const cw_joint *joint, int64_t at_ms);
int64_t cw_joint_from_server(const cw_joint *joint, int64_t at_ms);

/* --- store.c --- */

/* All of the frontier's store but its close, stop and free, which are those of whoever opens it. */
void cw_joint_store(crawl_frontier *frontier, cw_joint *joint);

/* --- offer.c --- */

void cw_joint_offer(crawl_frontier *frontier, cw_frontier_batch *batch, crawl_slice parent, int64_t now_ms);
crawl_err cw_joint_met(const crawl_frontier *frontier, const crawl_fingerprint *fingerprint);
/* What was offered goes to the outbox, as one epoch. The thread's. */
void cw_joint_send_offered(cw_joint *joint);
void cw_joint_offer_free(cw_joint *joint);

/* Under the lock: leaves a link for the thread. */
void cw_joint_offer_link(cw_joint *joint, cw_joint_link *link);

/* --- hold.c --- all under the lock */

/* The hold of a host; NULL: it is not this process's. */
cw_joint_hold *cw_joint_hold_of(const cw_joint *joint, const cw_frontier_host *host);
/* Makes the session's host known, and queues its requests. items and ids are read; the items are its own from then on.
 * CRAWL_ENOMEM: nothing of it is queued. */
crawl_err cw_joint_hold_begin(cw_joint_hold *hold, const cw_shared_session *session, cw_frontier_item **items,
                              int64_t now);
/* May requests be leased from it, by what Redis knows? */
bool cw_joint_hold_is_safe(const cw_joint_hold *hold);
/* Its stage may have changed. */
void cw_joint_hold_place(cw_joint_hold *hold, int64_t now);
/* What is queued here of it is dropped, and nothing of it is leased any more. */
void cw_joint_hold_leave(cw_joint_hold *hold, cw_joint_stage stage, int64_t now);
/* Has it nothing more to do here? */
bool cw_joint_hold_is_over(cw_joint_hold *hold, int64_t now);
/* What became of one of its requests. bytes: may be NULL; its own from then on. */
void cw_joint_hold_note(cw_joint_hold *hold, cw_shared_how how, uint64_t id, int64_t at_ms, uint64_t level,
                        crawl_buf *bytes);
/* Writes its record, and when it may be asked again, for what is to be sent. CRAWL_ENOMEM. */
crawl_err cw_joint_hold_compose(cw_joint_hold *hold);
void cw_joint_hold_free(cw_joint_hold *hold);

/* --- budget.c --- the thread's */

void cw_joint_budget_open(cw_joint *joint);
void cw_joint_budget_tell(cw_joint *joint, int64_t now_us);
/* Does Redis know all, and has every ticket back that was not taken? */
bool cw_joint_budget_is_told(const cw_joint *joint);

/* --- joint_crew.c --- the thread's */

/* Tells, where there is something new, and reads what others have told, where somebody wants to know. */
void cw_joint_crew_turn(cw_joint *joint, int64_t now_us);
/* Tells that this process ends. True: it is told, or is not to be. */
bool cw_joint_crew_end(cw_joint *joint);
void cw_joint_crew_free(cw_joint *joint);
/* Under the lock: what was read last. CRAWL_AGAIN: nothing yet. CRAWL_ENOMEM. */
crawl_err cw_joint_crew_copy(cw_joint *joint, crawl_shared_crew *out);

/* --- room.c --- under the lock */

/* Is as much queued as may be, as far as this process knows? */
bool cw_joint_is_full(const cw_joint *joint);
/* Or half of it? */
bool cw_joint_fills_up(const cw_joint *joint);

/* --- places.c --- */

/* The thread's: takes tickets where they are wanted, and gives back those that nobody takes. */
void cw_joint_places_tell(cw_joint *joint, int64_t now_us);
/* Does Redis know all, and has every ticket back that was not taken? */
bool cw_joint_places_are_told(cw_joint *joint);
void cw_joint_places_free(cw_joint *joint);

/* --- joint_bodies.c --- the thread's */

void cw_joint_bodies_ask(cw_joint *joint);
void cw_joint_bodies_free(cw_joint *joint);

/* --- runs.c --- the thread's */

/* Takes part in a run as long as this process goes on. */
void cw_joint_runs_tell(cw_joint *joint, int64_t now_us);
/* Is it known what is due? */
bool cw_joint_runs_are_known(const cw_joint *joint);
/* Does Redis know that this process takes part no more? */
bool cw_joint_runs_are_left(const cw_joint *joint);

/* --- joint_stir.c --- the thread's */

/* What nobody tells of, as that somebody died, is looked for so often. */
int64_t cw_joint_rest_ms(const cw_joint *joint);

/* There is something new in the partition, once this epoch is acknowledged. */
void cw_joint_stir(cw_joint *joint, unsigned partition, uint64_t epoch);
/* Says what there is to say; and, where hosts are wanted, finds out what others have said. */
void cw_joint_stir_turn(cw_joint *joint, bool is_hungry, int64_t now_us);

/* --- stray.c --- */

/* Under the lock. So many urgent requests more are queued at hosts that this process does not have. */
static inline void cw_joint_stray_count(cw_joint *joint, int64_t more)
{
    joint->stray_requests += (uint64_t)more;
}

/* Likewise. Is the host sought? */
static inline bool cw_joint_stray_has(const cw_joint *joint, const cw_frontier_host *host)
{
    for (const cw_joint_stray *stray = joint->strays; stray; stray = stray->next)
        if (stray->host == host)
            return true;
    return false;
}

crawl_err cw_joint_stray_put(crawl_frontier *frontier, cw_frontier_host *host, cw_heap_key key,
                             const cw_frontier_item *item);
/* The thread's: asks Redis for the hosts that are sought. */
void cw_joint_stray_seek(cw_joint *joint, int64_t now_us);
void cw_joint_stray_free(cw_joint *joint);

/* --- joint_forget.c --- */

/* The thread's: tells on_leave of the holds that leave. */
void cw_joint_tell_leaving(cw_joint *joint);
/* Under the lock: this process has the host no more, or never had it. Does nothing where it has it anew. */
void cw_joint_forget_later(cw_joint *joint, cw_frontier_host *host);
/* The thread's: forgets those that nothing refers to any more. */
void cw_joint_forget_hosts(cw_joint *joint);

/* --- joint_notes.c --- */

crawl_err cw_joint_notes_set(crawl_frontier *frontier, crawl_slice name, crawl_slice note);
crawl_err cw_joint_notes_get(crawl_frontier *frontier, crawl_slice name, crawl_buf *note);
crawl_err cw_joint_notes_walk(crawl_frontier *frontier, crawl_slice prefix, crawl_slice after, cw_each_note *each,
                              void *user);
/* The thread's: sends those that were set, and asks whether others have set some. */
void cw_joint_notes_send(cw_joint *joint);
void cw_joint_notes_ask(cw_joint *joint);
/* Reads all of them. */
void cw_joint_notes_read(cw_joint *joint);
bool cw_joint_notes_are_sent(cw_joint *joint);
void cw_joint_notes_free(cw_joint *joint);

/* --- joint_cookies.c --- the thread's */

crawl_err cw_joint_cookies_open(cw_joint *joint);
void cw_joint_cookies_free(cw_joint *joint);
/* A hold begins, and waits for the cookies of its host; or it is gone, which is said under the lock. */
void cw_joint_cookies_begin(cw_joint_hold *hold);
void cw_joint_cookies_leave(cw_joint_hold *hold);
/* Reads cookies for the holds that wait for them. */
void cw_joint_cookies_ask(cw_joint *joint);
/* Tells what was set here, and finds out now and then what others have set. */
void cw_joint_cookies_turn(cw_joint *joint, int64_t now_us);
/* All epochs up to this one are in, as far as pushes go. */
void cw_joint_pushed(cw_joint *joint, uint64_t number);
/* Does Redis know all? */
bool cw_joint_cookies_are_told(cw_joint *joint);

/* --- joint_sessions.c --- the thread's */

/* A host of this origin may be had now. */
void cw_joint_expect(cw_joint *joint, crawl_slice origin);
/* What a take brought: its hosts are this process's. sent_us: when it was asked. */
void cw_joint_took(cw_joint *joint, const cw_shared_taken *taken, int64_t sent_us);
void cw_joint_take_hosts(cw_joint *joint, int64_t now_us);
void cw_joint_write_hosts(cw_joint *joint);
void cw_joint_renew_hosts(cw_joint *joint, int64_t now_us);
void cw_joint_free_gone(cw_joint *joint);

/* --- look.c --- */

bool cw_joint_look_create_condition(pthread_cond_t *condition);
/* How many of the looks that callers want one would serve that begins now. The thread's. */
uint64_t cw_joint_look_serves(cw_joint *joint);
/* Whether some of what is queued will never be taken: after a lease the frontier fails. The thread's. */
void cw_joint_look_for_stranded(cw_joint *joint, const cw_shared_look *said);

/* --- made.c --- the thread's */

/* Asks which crawl the server has, unless it is asked already; the frontier fails where it is not the one that was
 * joined. */
void cw_joint_made_ask(cw_joint *joint);
/* False: the connection is a new one, and it is not known yet whether the crawl is there; so nothing is to be sent. */
bool cw_joint_made_is_known(cw_joint *joint);

/* --- joint_loop.c --- a turn of the thread */
void cw_joint_turn(cw_joint *joint);

/* crawl_frontier_join of options that are whole and checked. */
crawl_err cw_joint_join(const crawl_shared_options *shared, const crawl_frontier_options *options, crawl_frontier **out,
                        bool *made, crawl_error *error);

#endif

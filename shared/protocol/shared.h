/* One crawl that many workers share through a Redis server: its queue, its seen-set, and who has which host. Here is
 * the protocol alone, as calls that never wait: each sends a script (of the folder scripts/), and what depends on
 * the answer happens in a callback. Nothing here knows how a request is fetched, or what its bytes mean.
 *
 * A host (an origin) belongs to a partition, by its hash. All keys of a partition have one hash tag, and a script
 * touches one partition, all of it or nothing. A worker takes hosts: for a session it alone may ask that host, and has
 * a window of its requests. Every write of a session carries its token, and is refused as a whole where another worker
 * has the host. A session lasts until its deadline, which renewing moves.
 *
 * A call whose answer was lost may be made again: each is written so that the second time does nothing more. A page is
 * done when cw_shared_push has answered for all of its links, and not before: then nothing is lost, whoever dies.
 *
 * Times named now_us are those of a clock of this machine that does not stop while it sleeps (CLOCK_BOOTTIME); times
 * in milliseconds are the server's. Single-thread: that of the connection's loop. */
#pragma once

#include <crawl/sys/shared_view.h>

#define CW_SHARED_FORMAT 2u        /* of keys and values; a crawl of another one is refused */
#define CW_SHARED_PARTITIONS 256u  /* at most so many nodes share the work, and a look at all of them is cheap */
#define CW_SHARED_NAME_MAX 200u    /* bytes of a crawl's name: it stands in every key */
#define CW_SHARED_HOSTS_MAX 64u    /* of one take: bounds how long the server is busy */
#define CW_SHARED_WINDOW_MAX 1000u /* requests given at once, likewise */
#define CW_SHARED_BATCH_MAX 500u   /* requests of one push script, likewise */
#define CW_SHARED_PRINT 20u        /* bytes of a fingerprint */
#define CW_SHARED_MS_MAX \
    ((int64_t)1 << 52) /* of a date or a pause: Lua counts so far, and it is beyond any of either */

typedef struct cw_shared cw_shared;

typedef enum cw_shared_seen {
    CW_SHARED_SCALABLE,  /* a chain of bitmaps of at most 512 MB */
    CW_SHARED_EXACT,     /* a set */
    CW_SHARED_DUPEFILTER /* the set NAME:dupefilter of 40 hexadecimal digits each, which others add to as well; no
                            cluster */
} cw_shared_seen;

/* Something that is decided when the crawl is made. Names do not begin with "crawl.", which are the protocol's own. */
typedef struct cw_shared_choice {
    crawl_slice name, value;
} cw_shared_choice;

typedef struct cw_shared_options {
    crawl_redis *redis; /* borrowed */
    const char *name;   /* of the crawl: 1 to CW_SHARED_NAME_MAX bytes, none of them a brace or a control character */
    const char *worker; /* unlike that of any other worker, ever */
    cw_shared_seen seen;
    double rate;       /* scalable: share of new requests that are taken for seen, over the whole; 1e-9 to 0.5 */
    uint64_t capacity; /* scalable: fingerprints that are expected; it grows with more */
    bool newest_first; /* what is pushed goes before what its level has; what one call pushes keeps its order */
    int64_t lease_ms;  /* how long a session lasts unless it is renewed, 100 to 3,600,000 */
    unsigned replicas; /* that must have what an outbox sends before it is acknowledged */
} cw_shared_options;

/* CRAWL_EINVAL: an option out of its range, error names it. CRAWL_ENOMEM. */
crawl_err cw_shared_create(const cw_shared_options *options, cw_shared **out, crawl_error *error);
/* Not before all answers have come, which crawl_redis_free sees to. */
void cw_shared_free(cw_shared *shared);

/* For tests: the time that scripts take for the server's from now on; 0: the server's again. */
void cw_shared_set_now(cw_shared *shared, int64_t now_ms);

/* The partition that a host belongs to, the same on every machine. */
unsigned cw_shared_partition(crawl_slice origin);

/* --- join --- */

/* CRAWL_OK: made says whether the crawl is new. CRAWL_EINVAL: it was made with other choices, or the server drops keys
 * when its memory is full. CRAWL_ECORRUPT: another format, or another program's keys. CRAWL_ENET: the server refuses.
 * error says all of it for a person. */
typedef void cw_shared_joined(void *user, crawl_err err, const crawl_error *error, bool made);

/* Makes the crawl, or joins it. feeding: this worker has seeds to push, see cw_shared_feed. choices are read within the
 * call. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_join(cw_shared *shared, const cw_shared_choice *choices, size_t count, bool feeding,
                         cw_shared_joined *done, void *user);

/* How many workers had been lost while they had seeds, when this one joined. */
uint64_t cw_shared_unfed(const cw_shared *shared);

/* Asks which crawl it is: a text that no other crawl has, also none of the same name. nil: there is none. As
 * crawl_redis_send. */
crawl_err cw_shared_read_made(cw_shared *shared, crawl_redis_done done, void *user);
/* Is the crawl with this text the one that was joined? */
bool cw_shared_is_joined(const cw_shared *shared, crawl_slice made);

typedef enum cw_shared_loss {
    CW_SHARED_NO_LOSS,
    CW_SHARED_LOST, /* nothing of the crawl is there */
    CW_SHARED_OTHER /* another crawl is, of the same name */
} cw_shared_loss;

/* After a join every call is refused, before it has changed anything, by a server or a node that does not have what the
 * crawl had in the partition. Do the words of a fault REFUSED say so? */
cw_shared_loss cw_shared_loss_in(const char *words);

/* --- runs --- */

typedef void cw_shared_ran(void *user, crawl_redis_fault fault, const char *words);

/* This worker takes part in a run, and knows its date when the answer has come; or it does not take part any more. All
 * that are there at once are of one run, whose date is the time at which the first of them came: what was written as
 * CW_SHARED_LATER for a date no later than that is given to them, and keeps them from being drained. To be called at
 * least three times a lease by whoever takes part. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_run(cw_shared *shared, bool takes_part, cw_shared_ran *done, void *user);
/* 0: not known. */
int64_t cw_shared_run_date(const cw_shared *shared);

/* --- notes --- */

/* Writes notes of the crawl, names and notes by turns; an empty note: there is none any more. Answers the number of the
 * notes, which goes up by one. As crawl_redis_send. */
crawl_err cw_shared_write_notes(cw_shared *shared, const crawl_slice *texts, size_t count, crawl_redis_done done,
                                void *user);

/* --- push --- */

typedef struct cw_shared_request {
    crawl_slice origin;
    const uint8_t *print; /* CW_SHARED_PRINT bytes */
    uint64_t level;       /* lower ones of a host go first; within one first come first served, or newest_first */
    int64_t at_ms;        /* not before; 0: now */
    bool is_forced;       /* queued though it was seen */
    crawl_slice bytes;
} cw_shared_request;

typedef enum cw_shared_fate {
    CW_SHARED_OWED = 0, /* no answer yet */
    CW_SHARED_QUEUED,
    CW_SHARED_WAS_SEEN,
    CW_SHARED_NO_ROOM /* the seen-set is as large as it may be */
} cw_shared_fate;

/* Comes once, when everything of a call was answered. fault: the first one; words are for a person. */
typedef void cw_shared_done(void *user, crawl_redis_fault fault, const char *words);

/* Queues those that were not seen. fates: one for each, which the caller has filled with OWED and keeps until `done`;
 * those that are something else are passed over. So after a fault the same call sends what is still owed (one that was
 * carried out and whose answer was lost is then WAS_SEEN). *has_news, kept likewise, becomes true where a host can be
 * taken, now or at its time, that could not before; it is not known of what had no answer. requests are read within the
 * call. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_push(cw_shared *shared, const cw_shared_request *requests, size_t count, uint8_t *fates,
                         bool *has_news, cw_shared_done *done, void *user);

/* --- sessions --- */

typedef struct cw_shared_item {
    uint64_t id; /* grows, within a host */
    uint64_t level;
    crawl_slice bytes;
} cw_shared_item;

typedef struct cw_shared_session {
    crawl_slice origin;
    uint64_t token;
    int64_t pause_ms;   /* as it was written last, or 0 */
    crawl_slice record; /* likewise; empty: none */
    const cw_shared_item *items;
    size_t item_count;
} cw_shared_session;

typedef struct cw_shared_taken {
    crawl_redis_fault fault;
    const char *words;
    int64_t now_ms;
    int64_t next_ms; /* when there may be more, unless something is pushed; -1: never */
    /* Of all these: nothing may be asked from here on, unless they are renewed. Before their deadline, whatever the
     * network and the two clocks do. */
    int64_t until_us;
    const cw_shared_session *sessions; /* borrowed for the call, with all they have */
    size_t count;
} cw_shared_taken;

typedef void cw_shared_took(void *user, const cw_shared_taken *taken);

/* Takes sessions of at most so many hosts of a partition that may be asked now, each with at most `window` requests,
 * and ends those whose deadline has passed. After a fault UNKNOWN sessions may have begun that nobody knows of; they
 * end at their deadline. CRAWL_EINVAL: beyond a maximum. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_take(cw_shared *shared, unsigned partition, unsigned hosts, unsigned window, int64_t now_us,
                         cw_shared_took *done, void *user);

/* Takes the session of this host alone, if it may be asked now, whether it has requests or not. Otherwise as
 * cw_shared_take; taken->count is 0 as long as it is another's. */
crawl_err cw_shared_seek(cw_shared *shared, crawl_slice origin, unsigned window, int64_t now_us, cw_shared_took *done,
                         void *user);

typedef struct cw_shared_hold {
    crawl_slice origin;
    uint64_t token;
    int64_t until_us; /* after a renewal that was answered: as of cw_shared_taken */
    bool is_lost;     /* after such a one: the host is another's, and what was fetched meanwhile is fetched again */
    bool is_wanted;   /* likewise: another worker seeks this host */
} cw_shared_hold;

/* The heartbeat: renews all these at once. holds stay the caller's, and must stay until `done`. CRAWL_FULL,
 * CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_renew(cw_shared *shared, cw_shared_hold *holds, size_t count, int64_t now_us, cw_shared_done *done,
                          void *user);

typedef enum cw_shared_how {
    CW_SHARED_FINISHED, /* was asked, for good */
    CW_SHARED_BACK,     /* comes again in its place, or at at_ms */
    CW_SHARED_AGAIN,    /* the same, with this level and these bytes */
    CW_SHARED_LATER     /* the same, and in no run but one that begins at its date or after it */
} cw_shared_how;

typedef struct cw_shared_change {
    cw_shared_how how;
    uint64_t id;
    int64_t at_ms; /* 0: now */
    uint64_t level;
    crawl_slice bytes;
} cw_shared_change;

#define CW_SHARED_SAME (-1) /* of a time: as it is */

typedef struct cw_shared_write {
    crawl_slice origin;
    uint64_t token;
    int64_t pause_ms;          /* what is kept from the deadline on where this worker dies; or CW_SHARED_SAME */
    int64_t open_ms;           /* the host may not be taken before; or CW_SHARED_SAME */
    const crawl_slice *record; /* NULL: as it is */
    const cw_shared_change *changes;
    size_t change_count;
    unsigned more; /* requests that are wanted besides; not with is_end */
    bool is_end;   /* the session ends: what it still has goes back in order */
} cw_shared_write;

typedef struct cw_shared_written {
    crawl_redis_fault fault;
    const char *words;
    bool is_stale;   /* another worker has the host, or the request: nothing was written */
    int64_t open_ms; /* after the end of a session: when the host may be taken; -1: it has nothing */
    const cw_shared_item *items;
    size_t item_count;
} cw_shared_written;

typedef void cw_shared_wrote(void *user, const cw_shared_written *written);

/* Everything that a session says, as one step. All is read within the call. CRAWL_EINVAL: beyond a maximum, or more
 * than CW_SHARED_WINDOW_MAX changes. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_write_session(cw_shared *shared, const cw_shared_write *write, cw_shared_wrote *done, void *user);

/* What a worker says of a request that its session has put off and that it has still. */
typedef struct cw_shared_settling {
    crawl_slice origin;
    int64_t from_ms, to_ms;  /* the dates that it was put off to last, for all that is known */
    cw_shared_change change; /* BACK with a date: put off anew, and still had */
} cw_shared_settling;

/* All is read within the call. Answers as the end of a session. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_settle(cw_shared *shared, const cw_shared_settling *settling, cw_shared_wrote *done, void *user);

/* How often the data of a partition may have come back without something that was acknowledged. */
uint64_t cw_shared_returns(const cw_shared *shared, unsigned partition);
/* After that: the pause, the next date and the record of a host that this worker had, whose session is not there or
 * ends by itself. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_restore(cw_shared *shared, const cw_shared_write *known, crawl_slice record, cw_shared_done *done,
                            void *user);

/* --- tickets --- */

/* Sums since the worker began, so that a call may be made again. */
typedef struct cw_shared_wish {
    crawl_slice place; /* whose pages these tickets are for, any name; empty: for all pages */
    uint64_t limit;    /* tickets that there are for all workers together */
    uint64_t wanted;   /* that this worker wants to have had; below what it had: the rest is given back */
    uint64_t used;     /* up, of these */
    uint64_t bytes;    /* fetched by this worker */
} cw_shared_wish;

typedef struct cw_shared_tickets {
    crawl_redis_fault fault;
    const char *words;
    uint64_t had;    /* by this worker so far */
    uint64_t left;   /* that nobody has had */
    uint64_t others; /* where none is left: those that other workers have and have not used up, unless they died */
    uint64_t bytes;  /* of all workers */
} cw_shared_tickets;

typedef void cw_shared_ticketed(void *user, const cw_shared_tickets *tickets);

/* Takes tickets, as many as are wanted or fewer, gives some back, or only tells. Those of a worker that dies are lost.
 * To be called at least three times a lease, so that others count on what it has. CRAWL_FULL, CRAWL_ENOMEM: nothing was
 * sent. */
crawl_err cw_shared_take_tickets(cw_shared *shared, const cw_shared_wish *wish, cw_shared_ticketed *done, void *user);

/* --- turns --- */

#define CW_SHARED_TURNS_MAX 64u /* of one call: bounds how long the server is busy */

/* A place that one worker alone may ask at a time. */
typedef struct cw_shared_turn {
    crawl_slice place;
    uint64_t number; /* of this worker's turn there, counted up with each that it gives back */
    bool is_wanted;  /* or kept; otherwise it is given back */
    int64_t ago_ms;  /* when this worker asked there last, rounded down; negative: not since it said so */

    /* After a call that was answered: */
    bool is_had;
    bool is_waited_for; /* by another worker */
    int64_t quiet_ms;   /* how long ago somebody asked there at the latest, before the answer */
    int64_t until_us;   /* as of cw_shared_taken */
} cw_shared_turn;

/* Takes turns, keeps them or gives them back; one that is kept is to be asked for at least three times a lease. turns
 * stay the caller's, and must stay until `done`. CRAWL_EINVAL: beyond the maximum. CRAWL_FULL, CRAWL_ENOMEM: nothing
 * was sent. */
crawl_err cw_shared_take_turns(cw_shared *shared, cw_shared_turn *turns, size_t count, int64_t now_us,
                               cw_shared_done *done, void *user);

/* --- bodies --- */

#define CW_SHARED_BODY_URL_MAX 2048u /* bytes; a page with a longer URL is nobody's original */

/* first: the URL at which the body came before, borrowed for the call; empty: nowhere. */
typedef void cw_shared_body_told(void *user, crawl_redis_fault fault, const char *words, crawl_slice first);

/* Which page had the body with this digest of CW_SHARED_PRINT bytes first? That with this URL, if no other is known;
 * `most` bodies are kept, and with those of each partition that is full no more. CRAWL_FULL, CRAWL_ENOMEM: nothing was
 * sent. */
crawl_err cw_shared_ask_body(cw_shared *shared, const uint8_t *digest, crawl_slice url, uint64_t most,
                             cw_shared_body_told *done, void *user);

/* --- stirs --- */

#define CW_SHARED_STIRS (CW_SHARED_PARTITIONS + 1u) /* the last one: for the crawl as a whole */
#define CW_SHARED_STIR_SIZE 2u                      /* bytes of each */

/* Tells those who have nothing to do that in these partitions, at most all, once each, there is something new.
 * CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_stir(cw_shared *shared, const unsigned *numbers, size_t count, cw_shared_done *done, void *user);
/* The answer is a text of CW_SHARED_STIR_SIZE bytes for each number, which change where somebody told of it; what
 * stands behind its end is 0. It is NULL where nobody told of any. As crawl_redis_send. */
crawl_err cw_shared_read_stirs(cw_shared *shared, crawl_redis_done done, void *user);

/* --- cookies --- */

#define CW_SHARED_COOKIE_HOSTS_MAX 256u   /* of one call: bounds how long the server is busy */
#define CW_SHARED_COOKIE_CHANGES_MAX 128u /* likewise */
#define CW_SHARED_COOKIE_TEXT_MAX 65000u  /* bytes of an id or a value */

/* The cookies of a host, or of a domain with all hosts below it. */
typedef struct cw_shared_jar {
    crawl_slice host;
    uint64_t version; /* another one with each change; 0: it has no cookies */
    const crawl_shared_cookie *cookies;
    size_t count;
} cw_shared_jar;

typedef struct cw_shared_jars {
    crawl_redis_fault fault;
    const char *words;
    int64_t now_ms;            /* 0: nothing has changed */
    const cw_shared_jar *jars; /* those of another version, with what the server has deleted lately; for the call */
    size_t count;
} cw_shared_jars;

typedef void cw_shared_on_jars(void *user, const cw_shared_jars *said);

/* Changes cookies of a site, of which the one that was set last counts, and nothing is taken that was set an hour ago
 * or before; and tells of these hosts those of another version than is known. All of them are of the site, or, where
 * nothing changes, of any site of its partition. room: bytes that all of a partition may have. Everything is read
 * within the call. CRAWL_EINVAL: beyond a maximum. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_tell_cookies(cw_shared *shared, crawl_slice site, uint64_t room, const cw_shared_jar *known,
                                 size_t known_count, const crawl_shared_cookie *changes, size_t change_count,
                                 cw_shared_on_jars *done, void *user);

/* All cookies of a partition, whose versions nobody knows. As above. */
crawl_err cw_shared_all_cookies(cw_shared *shared, unsigned partition, cw_shared_on_jars *done, void *user);

/* As cw_shared_stir and cw_shared_read_stirs, of partitions in which cookies have changed. */
crawl_err cw_shared_stir_cookies(cw_shared *shared, const unsigned *numbers, size_t count, crawl_redis_done done,
                                 void *user);
crawl_err cw_shared_read_cookie_stirs(cw_shared *shared, crawl_redis_done done, void *user);

/* --- the crew --- */

/* Said of this worker besides its report. */
typedef struct cw_shared_state {
    bool has_told; /* it was told before, and answered */
    bool is_idle;  /* it wants a host, and has none */
    bool is_end;   /* this is its last word */
} cw_shared_state;

typedef struct cw_shared_reported {
    crawl_redis_fault fault;
    const char *words;
    /* Nothing was written, since this worker was gone for so long that what it had told was added up with that of
     * others; what it tells from now on is to leave that out. */
    bool was_forgotten;
    uint64_t alive; /* workers, with this one */
    uint64_t idle;  /* others that are */
} cw_shared_reported;

typedef void cw_shared_on_reported(void *user, const cw_shared_reported *said);

/* Tells what this worker has done since it began, and does: of a report all but `is_known`. CRAWL_FULL, CRAWL_ENOMEM:
 * nothing was sent. */
crawl_err cw_shared_report(cw_shared *shared, const crawl_shared_report *report, cw_shared_state state,
                           cw_shared_on_reported *done, void *user);

/* crew: the caller's from then on (crawl_shared_crew_free); NULL with a fault. */
typedef void cw_shared_crew_told(void *user, crawl_redis_fault fault, const char *words, crawl_shared_crew *crew);

/* Who takes part, and what each has told. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_read_crew(cw_shared *shared, cw_shared_crew_told *done, void *user);

/* CRAWL_ENOMEM: *out has nothing. */
crawl_err cw_shared_crew_copy(const crawl_shared_crew *crew, crawl_shared_crew *out);

/* --- the whole --- */

typedef void cw_shared_fed(void *user, crawl_redis_fault fault, const char *words, uint64_t feeders);

typedef enum cw_shared_feeding {
    CW_SHARED_FED,         /* it has none (any more) */
    CW_SHARED_FEEDS,       /* it has seeds that are not all in the crawl; renewed as often as sessions are */
    CW_SHARED_FED_FOR_ALL, /* it has none any more, and nobody misses those of the workers that were lost before */
} cw_shared_feeding;

/* Seeds that this worker has. feeders: how many workers have some. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_feed(cw_shared *shared, cw_shared_feeding feeding, cw_shared_fed *done, void *user);

typedef enum cw_shared_depth {
    CW_SHARED_REQUESTS, /* what is counted of requests */
    CW_SHARED_HOSTS,    /* and hosts that wait, sessions, requests that are due in the run, what is stranded */
    CW_SHARED_END       /* and is_drained */
} cw_shared_depth;

typedef struct cw_shared_look {
    crawl_redis_fault fault;
    const char *words;
    crawl_shared_counts figures; /* of all partitions; without `exact` */
    uint64_t feeders;
    uint64_t unfed; /* workers that were lost while they had seeds, which may not all be in the crawl */
    bool has_some[CW_SHARED_PARTITIONS]; /* requests that are queued, held or due */
    /* Of each partition: requests are queued or held there, and no host has them, which no script leaves so. */
    bool is_stranded[CW_SHARED_PARTITIONS];
    /* Nothing was queued, held, due by the date of the run or about to be pushed as seeds, at one moment, so nothing
     * ever will be unless somebody brings new seeds. */
    bool is_drained;
} cw_shared_look;

typedef void cw_shared_looked(void *user, const cw_shared_look *look);

/* The sums over all partitions. For the end it looks at all of them a second time, if the first found nothing, and so
 * can say is_drained: where both looks found nothing anywhere, and nothing had come or been taken between the two, all
 * were empty at once. Hosts of a dead worker count until somebody's take has ended its sessions. CRAWL_FULL,
 * CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_look_at(cw_shared *shared, cw_shared_depth depth, cw_shared_looked *done, void *user);

/* --- one request --- */

#define CW_SHARED_FIND_MAX 100000u /* requests of a host that are looked at: bounds how long the server is busy */

typedef enum cw_shared_where { CW_SHARED_NOWHERE, CW_SHARED_READY, CW_SHARED_DATED, CW_SHARED_HELD } cw_shared_where;

/* Slices are borrowed for the call. */
typedef struct cw_shared_found {
    crawl_redis_fault fault;
    const char *words;
    int64_t now_ms;
    bool is_seen;
    unsigned link, links; /* of the chain: which one has it, of how many */
    double rate;          /* at which that link takes keys for its own that it never got */
    cw_shared_where where;
    uint64_t before; /* requests of its host that are ready or held and go before; of a dated one, those dated earlier
                      */
    int64_t at_ms;   /* the date of a dated one */
    crawl_slice bytes;
    bool is_whole;      /* the host has no requests that were not looked at */
    bool is_known;      /* the host is */
    crawl_slice worker; /* that has it; empty: none */
    int64_t until_ms;   /* the deadline of its session */
    int64_t open_ms;    /* the host may not be taken before */
    int64_t pause_ms;
    crawl_slice record;
} cw_shared_found;

typedef void cw_shared_found_one(void *user, const cw_shared_found *found);

/* Looks up the request with this fingerprint, whose bytes begin so, and its host. It changes nothing.
 * CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_find(cw_shared *shared, crawl_slice origin, const uint8_t *print, crawl_slice begins,
                         cw_shared_found_one *done, void *user);

typedef void cw_shared_checked(void *user, crawl_redis_fault fault, const char *words, size_t violations);

/* Verifies every invariant of every partition but those of the bytes of requests, and tells `report` of each that does
 * not hold. It walks over all there is. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_check(cw_shared *shared, void (*report)(void *user, const char *violation), cw_shared_checked *done,
                          void *user);

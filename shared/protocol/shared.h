/* The protocol by which many workers share one crawl through a Redis server: its queue, its seen-set, and which
 * worker has which host. No call waits: each sends a script of the folder scripts/ and reports the answer in a
 * callback. Nothing here knows how a request is fetched, or how its bytes are read.
 *
 * A host (an origin) belongs to a partition, by its hash. All keys of a partition have one hash tag. A script
 * touches one partition and either takes full effect or none. A worker takes hosts: for a session it alone may ask
 * the host, and it has a window of the host's requests. Every write of a session carries its token, and is refused
 * as a whole if another worker has the host. A session lasts until its deadline, which a renewal moves.
 *
 * A call whose answer was lost may be repeated: the second time does nothing more, except that a push queues its
 * is_forced requests again. A page is done once
 * cw_shared_push has answered for all of its links, and not before: then no crash of a worker loses anything.
 *
 * Times named now_us are those of a clock of this machine that does not stop while it sleeps (CLOCK_BOOTTIME); times
 * in milliseconds are the server's. Single-thread: that of the connection's loop. */
#pragma once

#include <crawl/sys/shared_view.h>

#define CW_SHARED_FORMAT 2u        /* of keys and values; a crawl of another format is refused */
#define CW_SHARED_PARTITIONS 256u  /* the most nodes that can share the work; a look at all is cheap */
#define CW_SHARED_NAME_MAX 200u    /* bytes of a crawl's name, which is part of every key */
#define CW_SHARED_HOSTS_MAX 64u    /* of one take; bounds how long the server is busy */
#define CW_SHARED_WINDOW_MAX 1000u /* requests given at once; bounds the same */
#define CW_SHARED_BATCH_MAX 500u   /* requests of one push script; bounds the same */
#define CW_SHARED_PRINT 20u        /* bytes of a fingerprint */
#define CW_SHARED_MS_MAX \
    ((int64_t)1 << 52) /* of a date or a pause: Lua counts exactly up to here, and no real value is larger */

typedef struct cw_shared cw_shared;

typedef enum cw_shared_seen {
    CW_SHARED_SCALABLE,  /* a chain of bitmaps of at most 512 MB */
    CW_SHARED_EXACT,     /* a set */
    CW_SHARED_DUPEFILTER /* the set NAME:dupefilter of 40 hexadecimal digits each; others add to it; no cluster */
} cw_shared_seen;

/* A setting that is fixed when the crawl is made. Names must not begin with "crawl.", which the protocol keeps for
 * itself. */
typedef struct cw_shared_choice {
    crawl_slice name, value;
} cw_shared_choice;

typedef struct cw_shared_options {
    crawl_redis *redis; /* borrowed */
    const char *name;   /* of the crawl: 1 to CW_SHARED_NAME_MAX bytes without braces and control characters, not ending
                           in ":p" for a partition p */
    const char *worker; /* never used by another worker */
    cw_shared_seen seen;
    double rate;       /* scalable: the share of new requests taken for seen, over the whole crawl; 1e-9 to 0.5 */
    uint64_t capacity; /* scalable: expected number of fingerprints; the filter grows with more */
    bool newest_first; /* pushed requests precede older ones of their level; a call keeps its order */
    int64_t lease_ms;  /* duration of a session unless renewed, 100 to 3,600,000 */
    unsigned replicas; /* replicas that must have what an outbox sends before it is acknowledged */
} cw_shared_options;

/* CRAWL_EINVAL: an option is out of its range; error names it. CRAWL_ENOMEM. */
crawl_err cw_shared_create(const cw_shared_options *options, cw_shared **out, crawl_error *error);
/* Call after all answers have come; crawl_redis_free ensures that. */
void cw_shared_free(cw_shared *shared);

/* Returns the partition of a host, the same on every machine. */
unsigned cw_shared_partition(crawl_slice origin);

/* --- join --- */

/* CRAWL_OK: made is true if the crawl is new. CRAWL_EINVAL: it was made with other choices, or the server evicts
 * keys when its memory is full. CRAWL_ECORRUPT: another format, or another program's keys. CRAWL_ENET: the server
 * refuses. error has a text for the user in each case. */
typedef void cw_shared_joined(void *user, crawl_err err, const crawl_error *error, bool made);

/* Makes the crawl or joins it. feeding: this worker has seeds to push, see cw_shared_feed. choices are read within
 * the call. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_join(cw_shared *shared, const cw_shared_choice *choices, size_t count, bool feeding,
                         cw_shared_joined *done, void *user);

/* Returns how many workers had been lost with seeds left to push when this one joined. */
uint64_t cw_shared_unfed(const cw_shared *shared);

/* Asks for the crawl's identity: a text that no other crawl has, not even one of the same name. nil: there is no
 * crawl. As crawl_redis_send. */
crawl_err cw_shared_read_made(cw_shared *shared, crawl_redis_done done, void *user);
/* Returns true if this text is that of the crawl that was joined. */
bool cw_shared_is_joined(const cw_shared *shared, crawl_slice made);

typedef enum cw_shared_loss {
    CW_SHARED_NO_LOSS,
    CW_SHARED_LOST, /* no key of the crawl is there */
    CW_SHARED_OTHER /* another crawl of the same name is there */
} cw_shared_loss;

/* Reads the loss from the words of a fault REFUSED. After a join, a server or node that lacks what the crawl had in
 * the partition refuses every call, before the call has changed anything. */
cw_shared_loss cw_shared_loss_in(const char *words);

/* --- runs --- */

typedef void cw_shared_ran(void *user, crawl_redis_fault fault, const char *words);

/* Takes part in a run, whose date is known once the answer has come, or leaves it. All workers that are there at
 * once share one run, whose date is the time at which the first of them came. Requests written as CW_SHARED_LATER
 * for a date up to that are given to them, and keep the crawl from being drained. A worker that takes part must call
 * this at least three times a lease. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_run(cw_shared *shared, bool takes_part, cw_shared_ran *done, void *user);
/* 0: unknown. */
int64_t cw_shared_run_date(const cw_shared *shared);

/* --- notes --- */

/* Writes notes of the crawl; texts are names and notes in alternation, and an empty note deletes its name. Answers
 * the number of this version of the notes, which grows by one with each write. As crawl_redis_send. */
crawl_err cw_shared_write_notes(cw_shared *shared, const crawl_slice *texts, size_t count, crawl_redis_done done,
                                void *user);

/* --- push --- */

typedef struct cw_shared_request {
    crawl_slice origin;
    const uint8_t *print; /* CW_SHARED_PRINT bytes */
    uint64_t level;       /* a host's lower levels go first; within a level, first come first served, or newest_first */
    int64_t at_ms;        /* earliest date; 0: now */
    bool is_forced;       /* queued even if it was seen */
    crawl_slice bytes;
} cw_shared_request;

typedef enum cw_shared_fate {
    CW_SHARED_OWED = 0, /* no answer yet */
    CW_SHARED_QUEUED,
    CW_SHARED_WAS_SEEN,
    CW_SHARED_NO_ROOM /* the seen-set has reached its maximum */
} cw_shared_fate;

/* Called once, when every answer of a call has come. fault: the first one; words are for the user. */
typedef void cw_shared_done(void *user, crawl_redis_fault fault, const char *words);

/* Queues the requests that were not seen. fates has one entry for each request; the caller fills it with OWED and
 * keeps it until `done`. Requests whose fate is another are skipped, so after a fault the same call sends those
 * still owed. (A request that was queued, and whose answer was lost, is then WAS_SEEN.) *has_news, kept likewise,
 * becomes true if a host can be taken, now or at its time, that could not be before; requests without an answer do
 * not count. requests are read within the call. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
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
    int64_t pause_ms;   /* as last written, or 0 */
    crawl_slice record; /* as last written; empty: none */
    const cw_shared_item *items;
    size_t item_count;
} cw_shared_session;

typedef struct cw_shared_taken {
    crawl_redis_fault fault;
    const char *words;
    int64_t now_ms;
    int64_t next_ms; /* when more may be there, unless something is pushed; -1: never */
    /* Ask nothing of these hosts from this time on, unless their sessions are renewed. It is before their deadline,
     * whatever the network and the two clocks do. */
    int64_t until_us;
    const cw_shared_session *sessions; /* borrowed for the call, with all that they refer to */
    size_t count;
} cw_shared_taken;

typedef void cw_shared_took(void *user, const cw_shared_taken *taken);

/* Takes sessions of up to `hosts` hosts of a partition that may be asked now, each with at most `window` requests,
 * and ends the sessions whose deadline has passed. After a fault UNKNOWN, sessions may have begun that no worker
 * knows of; they end at their deadline. CRAWL_EINVAL: beyond a maximum. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_take(cw_shared *shared, unsigned partition, unsigned hosts, unsigned window, int64_t now_us,
                         cw_shared_took *done, void *user);

/* Takes the session of this one host if it may be asked now, even if it has no requests. Otherwise as
 * cw_shared_take; taken->count is 0 while another worker has the host. */
crawl_err cw_shared_seek(cw_shared *shared, crawl_slice origin, unsigned window, int64_t now_us, cw_shared_took *done,
                         void *user);

typedef struct cw_shared_hold {
    crawl_slice origin;
    uint64_t token;
    int64_t until_us; /* after an answered renewal: as in cw_shared_taken */
    bool is_lost;     /* likewise: the host is another worker's, which fetches again what was fetched meanwhile */
    bool is_wanted;   /* likewise: another worker seeks this host */
} cw_shared_hold;

/* The heartbeat: renews all these sessions at once. holds stay the caller's, and must stay until `done`. CRAWL_FULL,
 * CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_renew(cw_shared *shared, cw_shared_hold *holds, size_t count, int64_t now_us, cw_shared_done *done,
                          void *user);

typedef enum cw_shared_how {
    CW_SHARED_FINISHED, /* done for good */
    CW_SHARED_BACK,     /* comes again in its place, or at at_ms */
    CW_SHARED_AGAIN,    /* as BACK, with this level and these bytes */
    CW_SHARED_LATER     /* as AGAIN, and only in a run that begins at its date or later */
} cw_shared_how;

typedef struct cw_shared_change {
    cw_shared_how how;
    uint64_t id;
    int64_t at_ms; /* 0: now */
    uint64_t level;
    crawl_slice bytes;
} cw_shared_change;

#define CW_SHARED_SAME (-1) /* of a time: unchanged */

typedef struct cw_shared_write {
    crawl_slice origin;
    uint64_t token;
    int64_t pause_ms;          /* kept from the deadline on if this worker dies; or CW_SHARED_SAME */
    int64_t open_ms;           /* the host may not be taken before; or CW_SHARED_SAME */
    const crawl_slice *record; /* NULL: unchanged */
    const cw_shared_change *changes;
    size_t change_count;
    unsigned more; /* requests wanted besides; not with is_end */
    bool is_end;   /* the session ends, and its remaining requests go back in order */
} cw_shared_write;

typedef struct cw_shared_written {
    crawl_redis_fault fault;
    const char *words;
    bool is_stale;   /* another worker has the host or the request: nothing was written */
    int64_t open_ms; /* after the end of a session: when the host may be taken; -1: it has no requests */
    const cw_shared_item *items;
    size_t item_count;
} cw_shared_written;

typedef void cw_shared_wrote(void *user, const cw_shared_written *written);

/* Writes everything that a session has to say, in one step. All is read within the call. CRAWL_EINVAL: beyond a
 * maximum, or more than CW_SHARED_WINDOW_MAX changes. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_write_session(cw_shared *shared, const cw_shared_write *write, cw_shared_wrote *done, void *user);

/* A change to a request that a session has put off and that this worker still has. */
typedef struct cw_shared_settling {
    crawl_slice origin;
    int64_t from_ms, to_ms;  /* the dates to which it was last put off, as far as known */
    cw_shared_change change; /* BACK with a date: it is put off again, and this worker still has it */
} cw_shared_settling;

/* All is read within the call. Answers like the end of a session. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_settle(cw_shared *shared, const cw_shared_settling *settling, cw_shared_wrote *done, void *user);

/* Returns how often the data of a partition may have come back without something that had been acknowledged. */
uint64_t cw_shared_returns(const cw_shared *shared, unsigned partition);
/* Restores, after such a return, the pause, the next date and the record of a host that this worker had, if its
 * session is missing or ends by itself. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_restore(cw_shared *shared, const cw_shared_write *known, crawl_slice record, cw_shared_done *done,
                            void *user);

/* --- tickets --- */

/* Sums since the worker began, so that the call may be repeated. */
typedef struct cw_shared_wish {
    crawl_slice place; /* the place these tickets are for, any name; empty: for all pages */
    uint64_t limit;    /* tickets for all workers together */
    uint64_t wanted;   /* tickets that this worker wants in all; if it had more, the rest is given back */
    uint64_t used;     /* used up, of these */
    uint64_t bytes;    /* fetched by this worker */
} cw_shared_wish;

typedef struct cw_shared_tickets {
    crawl_redis_fault fault;
    const char *words;
    uint64_t had;    /* by this worker so far */
    uint64_t left;   /* not taken by any worker */
    uint64_t others; /* if none is left: tickets that other living workers have and have not used up */
    uint64_t bytes;  /* of all workers */
} cw_shared_tickets;

typedef void cw_shared_ticketed(void *user, const cw_shared_tickets *tickets);

/* Takes tickets, as many as wanted or fewer, gives some back, or only reads the figures. The tickets of a worker
 * that dies are lost. Call at least three times a lease, so that other workers count on this one's tickets.
 * CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_take_tickets(cw_shared *shared, const cw_shared_wish *wish, cw_shared_ticketed *done, void *user);

/* --- turns --- */

#define CW_SHARED_TURNS_MAX 64u /* of one call; bounds how long the server is busy */

/* A place that only one worker at a time may ask. */
typedef struct cw_shared_turn {
    crawl_slice place;
    uint64_t number; /* of this worker's turn there; grows with each turn that it gives back */
    bool is_wanted;  /* to be taken or kept; otherwise it is given back */
    int64_t ago_ms;  /* time since this worker last asked there, rounded down; negative: not since it last told */

    /* After a call that was answered: */
    bool is_had;
    bool is_waited_for; /* by another worker */
    int64_t quiet_ms;   /* at least this long before the answer nobody asked there */
    int64_t until_us;   /* as in cw_shared_taken */
} cw_shared_turn;

/* Takes turns, keeps them or gives them back. Ask for a turn that is kept at least three times a lease. turns stay
 * the caller's, and must stay until `done`. CRAWL_EINVAL: beyond the maximum. CRAWL_FULL, CRAWL_ENOMEM: nothing was
 * sent. */
crawl_err cw_shared_take_turns(cw_shared *shared, cw_shared_turn *turns, size_t count, int64_t now_us,
                               cw_shared_done *done, void *user);

/* --- bodies --- */

#define CW_SHARED_BODY_URL_MAX 2048u /* bytes; a page with a longer URL is never an original */

/* first: the URL at which the body came first, borrowed for the call; empty: none. */
typedef void cw_shared_body_told(void *user, crawl_redis_fault fault, const char *words, crawl_slice first);

/* Asks which page had the body with this digest of CW_SHARED_PRINT bytes first, and records this URL if none is
 * known. Keeps at most `most` bodies; a partition that has its share of them records no more. CRAWL_FULL,
 * CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_ask_body(cw_shared *shared, const uint8_t *digest, crawl_slice url, uint64_t most,
                             cw_shared_body_told *done, void *user);

/* --- stirs --- */

#define CW_SHARED_STIRS (CW_SHARED_PARTITIONS + 1u) /* the last one is for the crawl as a whole */
#define CW_SHARED_STIR_SIZE 2u                      /* bytes of each */

/* Tells idle workers that these partitions have something new. numbers may name all of them, each once. CRAWL_FULL,
 * CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_stir(cw_shared *shared, const unsigned *numbers, size_t count, cw_shared_done *done, void *user);
/* Answers a text of CW_SHARED_STIR_SIZE bytes for each number, which change when somebody stirs it. Bytes beyond its
 * end are 0. NULL: nobody has stirred any. As crawl_redis_send. */
crawl_err cw_shared_read_stirs(cw_shared *shared, crawl_redis_done done, void *user);

/* --- cookies --- */

#define CW_SHARED_COOKIE_HOSTS_MAX 256u   /* of one call; bounds how long the server is busy */
#define CW_SHARED_COOKIE_CHANGES_MAX 128u /* of one call; bounds the same */
#define CW_SHARED_COOKIE_TEXT_MAX 65000u  /* bytes of an id or a value */

/* The cookies of a host, or of a domain with all hosts below it. */
typedef struct cw_shared_jar {
    crawl_slice host;
    uint64_t version; /* differs after each change; 0: it has no cookies */
    const crawl_shared_cookie *cookies;
    size_t count;
} cw_shared_jar;

typedef struct cw_shared_jars {
    crawl_redis_fault fault;
    const char *words;
    int64_t now_ms;            /* 0: nothing has changed */
    const cw_shared_jar *jars; /* of another version, with recent deletions; borrowed for the call */
    size_t count;
} cw_shared_jars;

typedef void cw_shared_on_jars(void *user, const cw_shared_jars *said);

/* Changes cookies of a site, and answers the cookies of these hosts whose version is not the known one. Of two
 * changes to a cookie the one set last counts; one set an hour ago or earlier is ignored. All hosts are of the site
 * or, if nothing changes, of any site of its partition. room: bytes for all cookies of a partition. Everything is
 * read within the call. CRAWL_EINVAL: beyond a maximum. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_tell_cookies(cw_shared *shared, crawl_slice site, uint64_t room, const cw_shared_jar *known,
                                 size_t known_count, const crawl_shared_cookie *changes, size_t change_count,
                                 cw_shared_on_jars *done, void *user);

/* Reads all cookies of a partition, when no version is known. As above. */
crawl_err cw_shared_all_cookies(cw_shared *shared, unsigned partition, cw_shared_on_jars *done, void *user);

/* As cw_shared_stir and cw_shared_read_stirs, for partitions whose cookies have changed. */
crawl_err cw_shared_stir_cookies(cw_shared *shared, const unsigned *numbers, size_t count, crawl_redis_done done,
                                 void *user);
crawl_err cw_shared_read_cookie_stirs(cw_shared *shared, crawl_redis_done done, void *user);

/* --- the crew --- */

/* The state of this worker, sent with its report. */
typedef struct cw_shared_state {
    bool has_told; /* an earlier report was answered */
    bool is_idle;  /* it wants a host and has none */
    bool is_end;   /* this is its last report */
} cw_shared_state;

typedef struct cw_shared_reported {
    crawl_redis_fault fault;
    const char *words;
    /* Nothing was written: this worker was gone for so long that its figures were added to those of others. Later
     * reports must leave them out. */
    bool was_forgotten;
    uint64_t alive; /* workers, including this one */
    uint64_t idle;  /* other workers that are idle */
} cw_shared_reported;

typedef void cw_shared_on_reported(void *user, const cw_shared_reported *said);

/* Reports what this worker does, and what it has done since it began: all of a report but `is_known`. CRAWL_FULL,
 * CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_report(cw_shared *shared, const crawl_shared_report *report, cw_shared_state state,
                           cw_shared_on_reported *done, void *user);

/* crew: the callback takes ownership (crawl_shared_crew_free); NULL with a fault. */
typedef void cw_shared_crew_told(void *user, crawl_redis_fault fault, const char *words, crawl_shared_crew *crew);

/* Asks which workers take part, and what each has reported. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_read_crew(cw_shared *shared, cw_shared_crew_told *done, void *user);

/* CRAWL_ENOMEM: *out is empty. */
crawl_err cw_shared_crew_copy(const crawl_shared_crew *crew, crawl_shared_crew *out);

/* --- the whole --- */

typedef void cw_shared_fed(void *user, crawl_redis_fault fault, const char *words, uint64_t feeders);

typedef enum cw_shared_feeding {
    CW_SHARED_FED,         /* it has no seeds, or none any more */
    CW_SHARED_FEEDS,       /* it has seeds that are not all in the crawl; renew as often as sessions */
    CW_SHARED_FED_FOR_ALL, /* it has none any more, and those of lost workers are no longer missed */
} cw_shared_feeding;

/* Tells whether this worker has seeds. feeders: the number of workers that have some. CRAWL_FULL, CRAWL_ENOMEM:
 * nothing was sent. */
crawl_err cw_shared_feed(cw_shared *shared, cw_shared_feeding feeding, cw_shared_fed *done, void *user);

typedef enum cw_shared_depth {
    CW_SHARED_REQUESTS, /* the counts of requests */
    CW_SHARED_HOSTS,    /* also waiting hosts, sessions, requests due in the run, and stranded requests */
    CW_SHARED_END       /* also is_drained */
} cw_shared_depth;

typedef struct cw_shared_look {
    crawl_redis_fault fault;
    const char *words;
    crawl_shared_counts figures; /* of all partitions; without `exact` */
    uint64_t feeders;
    uint64_t unfed;                      /* workers lost with seeds that may not all be in the crawl */
    bool has_some[CW_SHARED_PARTITIONS]; /* requests queued, held or due */
    /* For each partition: requests are queued or held there that no host has. No script leaves it so. */
    bool is_stranded[CW_SHARED_PARTITIONS];
    /* At one moment nothing was queued, held, due by the date of the run or about to be pushed as a seed; so nothing
     * ever will be unless new seeds come. */
    bool is_drained;
} cw_shared_look;

typedef void cw_shared_looked(void *user, const cw_shared_look *look);

/* Adds up the figures of all partitions. For CW_SHARED_END it looks at all of them a second time if the first look
 * found nothing: if both found nothing anywhere, and nothing had come or been taken between the two, all were empty
 * at once. Hosts of a dead worker count until a take has ended its sessions. CRAWL_FULL, CRAWL_ENOMEM: nothing was
 * sent. */
crawl_err cw_shared_look_at(cw_shared *shared, cw_shared_depth depth, cw_shared_looked *done, void *user);

/* --- one request --- */

#define CW_SHARED_FIND_MAX 100000u /* requests of a host that are searched; bounds how long the server is busy */

typedef enum cw_shared_where { CW_SHARED_NOWHERE, CW_SHARED_READY, CW_SHARED_DATED, CW_SHARED_HELD } cw_shared_where;

/* Slices are borrowed for the call. */
typedef struct cw_shared_found {
    crawl_redis_fault fault;
    const char *words;
    int64_t now_ms;
    bool is_seen;
    unsigned link, links; /* of the chain: the link that has it, and the number of links */
    double rate;          /* at which that link takes a key that it never got for its own */
    cw_shared_where where;
    uint64_t before; /* ready or held requests of its host before it; of a dated one, those dated earlier */
    int64_t at_ms;   /* of a dated one */
    crawl_slice bytes;
    bool is_whole;      /* all requests of the host were searched */
    bool is_known;      /* the host is known */
    crawl_slice worker; /* the worker that has the host; empty: none */
    int64_t until_ms;   /* the deadline of its session */
    int64_t open_ms;    /* earliest time at which the host may be taken */
    int64_t pause_ms;
    crawl_slice record;
} cw_shared_found;

typedef void cw_shared_found_one(void *user, const cw_shared_found *found);

/* Looks up the request with this fingerprint, whose bytes begin with `begins`, and its host. Changes nothing.
 * CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_find(cw_shared *shared, crawl_slice origin, const uint8_t *print, crawl_slice begins,
                         cw_shared_found_one *done, void *user);

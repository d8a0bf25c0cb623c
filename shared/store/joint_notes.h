/* Notes. The notes of an origin travel with its host, in the record of its session. The others are in one hash of the
 * crawl, of which this process has a copy; a number beside it rises with each write. It is asked for after each take
 * that brought hosts. If it differs from the copy's, the hash is read before any request of these hosts is leased: the
 * notes that led to those requests were written before. */
#pragma once

#include "shared/store/joint.h"

typedef struct cw_joint_notes {
    /* Under the lock. */
    cw_map *map;
    cw_map *read; /* those that were read so far; take the place of map when all are read */
    struct cw_joint_note *unsent, *unsent_last;

    /* Belongs to the thread. */
    struct cw_joint_note *sending;
    uint64_t version;
    unsigned questions; /* questions for the version under way */
    uint64_t least;     /* notes that there were when the reading began */
    unsigned tries;     /* readings in a row that had fewer */
    bool is_writing, is_reading, reads_again;
    bool brings;   /* the server may have lost some of map: what it lacks is sent again */
    bool compares; /* the reading under way began since then */
    bool are_read; /* for the first time: a joining process waits only for this */
} cw_joint_notes;

/* The store's set_notes, get_note and notes. */
crawl_err cw_joint_notes_set(crawl_frontier *frontier, const crawl_note *notes, size_t count);
crawl_err cw_joint_notes_get(crawl_frontier *frontier, crawl_slice name, crawl_buf *note);
crawl_err cw_joint_notes_walk(crawl_frontier *frontier, crawl_slice prefix, crawl_slice after, cw_each_note *each,
                              void *user);

/* On the thread: sends the notes that were set; asks whether others have set some. */
void cw_joint_notes_send(cw_joint *joint);
void cw_joint_notes_ask(cw_joint *joint);
/* Asks again if that is owed. */
void cw_joint_notes_ask_again(cw_joint *joint);
/* The server may have lost some: reads all of them again, and sends those that it lacks. */
void cw_joint_notes_bring(cw_joint *joint);
/* Reads all of them. */
void cw_joint_notes_read(cw_joint *joint);
bool cw_joint_notes_are_sent(cw_joint *joint);

/* Reads notes in parts, since their number has no limit: from this cursor on; "0": from the start. As
 * crawl_redis_send. A note that is written meanwhile may be missing, and one may come twice. If the hash moves to
 * another server of a Redis Cluster meanwhile, more may be missing. */
crawl_err cw_joint_notes_scan(crawl_redis *redis, const char *name, const char *cursor, crawl_redis_done done,
                              void *user);
/* Returns names and notes in alternation, and the next cursor: "0" after the last part. NULL: no such reply. */
const crawl_redis_reply *cw_joint_notes_scanned(const crawl_redis_reply *reply, crawl_slice *next);
void cw_joint_notes_free(cw_joint_notes *notes);

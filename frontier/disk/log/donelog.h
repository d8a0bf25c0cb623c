/* The log of requests that are done: a file to which every ended request appends one short record, in place of a
 * deletion in the database. Where the file system allows it, the append is a store into memory (mapping.h). The
 * requests it names are deleted from the database later, many at once and sorted, at a fraction of the cost. Each
 * settling starts a new log; the one before it is kept until the requests it names are deleted.
 *
 *   done-G     G: the log's number, as the database knows it; while a settling is under way, done-(G+1) as well
 *
 * The last two settled logs are kept for a while: a reader of the directory may have seen the database as it was before
 * they were settled.
 *
 * A record says which request it is, what is known of its record in the database, and after which write of the database
 * it came: if a power cut loses that write, the record is lost with it. So everything that came of a done request is on
 * disk: the links it led to, and what was noted about its host. */
#pragma once

#include "frontier/disk/disk_record.h"
#include "frontier/disk/log/mapping.h"

#include <pthread.h>

#define CW_DISK_DONE_MAX \
    65536u /* records of one log: bounds the read after a crash and the memory for requests not yet deleted */

enum {
    CW_DONE_MOVED = 1, /* the request's record was written more than once */
    CW_DONE_STAGED = 2 /* it is only in the stage: there is nothing to delete */
};

typedef struct cw_disk_done {
    cw_disk_queue_key name;
    uint8_t flags;
} cw_disk_done;

/* The requests named by the records of a log. */
typedef struct cw_disk_done_names {
    cw_disk_done *all;
    uint32_t count;
    uint32_t *table; /* by hash: index + 1; 0: free */
} cw_disk_done_names;

typedef struct cw_disk_donelog {
    const char *directory; /* the store's */
    uint64_t generation;
    uint64_t oldest; /* generation of the oldest file that may exist */
    uint32_t room;   /* records allowed, at most CW_DISK_DONE_MAX */
    cw_disk_done_names names;
    cw_disk_done_names before; /* of the previous log, while it is being settled */
    cw_disk_mapping mapping;   /* of the file, for the appending thread */
    int file;
    int file_before;       /* negative: that log is settled */
    int next;              /* file of the next generation; negative: none yet */
    pthread_mutex_t guard; /* of the files, generation and oldest, which the sync thread reads */
} cw_disk_donelog;

/* Creates an empty log of this generation. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_disk_donelog_open(cw_disk_donelog *log, const char *directory, uint64_t generation, crawl_error *error);
void cw_disk_donelog_close(cw_disk_donelog *log);

static inline bool cw_disk_donelog_is_full(const cw_disk_donelog *log)
{
    return log->names.count >= log->room;
}

/* Appends a record, for which there must be room. sequence: of the database's last write. CRAWL_EIO. */
crawl_err cw_disk_donelog_append(cw_disk_donelog *log, cw_disk_queue_key name, uint8_t flags, uint64_t sequence,
                                 crawl_error *error);
/* Returns true if the request is done and still in the queue on disk. */
bool cw_disk_donelog_has(const cw_disk_donelog *log, cw_disk_queue_key name);

/* Start a new log: prepare creates the file before the database is told of it, turn switches to it. The log before must
 * be settled. CRAWL_EIO. */
crawl_err cw_disk_donelog_prepare(cw_disk_donelog *log, crawl_error *error);
void cw_disk_donelog_turn(cw_disk_donelog *log);
/* Forgets the previous log, once its requests are deleted from the database and the database knows the generation. */
void cw_disk_donelog_settled(cw_disk_donelog *log);

/* Flushes all appended records to disk. From any thread. *generation: the files of earlier logs are no longer needed
 * once the database is synced too. CRAWL_EIO. */
crawl_err cw_disk_donelog_sync(cw_disk_donelog *log, uint64_t *generation, crawl_error *error);
/* Removes the files before this generation. From any thread. */
void cw_disk_donelog_sweep(cw_disk_donelog *log, uint64_t generation);

/* Removes the files of all other generations. */
void cw_disk_donelog_remove_others(const cw_disk_donelog *log);

/* Reads the log that a process left: the records of a generation up to the first that is torn, or that came after a
 * later write than `sequence`. The caller frees *out with free(). CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_disk_donelog_read(const char *directory, uint64_t generation, uint64_t sequence, cw_disk_done **out,
                               size_t *count, crawl_error *error);

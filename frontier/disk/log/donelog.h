/* The log of requests that are done: a file to which every end of a request appends one short record, in place of a
 * deletion in the database; a store into memory where the file system allows it (mapping.h). Requests that it names are
 * deleted there later, many at once and sorted, which costs a fraction. The log begins anew with each settling: the one
 * before it is kept until what it names is deleted.
 *
 *   done-G     G: how often it began anew, as the database knows it; while a settling is under way, done-(G+1) as well
 *
 * Two settled logs stay for a while: whoever looks into the directory meanwhile may have seen the database as it was
 * before they were settled.
 *
 * A record says which request, what is known of its record in the database, and after which write of the database it
 * came: where a power cut took that write, it takes what was done after it too. Of a request that is done all that came
 * of it is on the disk, then: the links it led to, what was noted of its host. */
#pragma once

#include "frontier/disk/disk_record.h"
#include "frontier/disk/log/mapping.h"

#include <pthread.h>

#define CW_DISK_DONE_MAX \
    65536u /* records of one log: what opening after a crash reads, and the memory for those not deleted yet */

enum {
    CW_DONE_MOVED = 1, /* the request's record was written more than once */
    CW_DONE_STAGED = 2 /* it is in the stage alone: nothing is to be deleted */
};

typedef struct cw_disk_done {
    cw_disk_queue_key name;
    uint8_t flags;
} cw_disk_done;

/* The requests that the records of a log name. */
typedef struct cw_disk_done_names {
    cw_disk_done *all;
    uint32_t count;
    uint32_t *table; /* by hash: index + 1; 0: free */
} cw_disk_done_names;

typedef struct cw_disk_donelog {
    const char *directory; /* the store's */
    uint64_t generation;
    uint64_t oldest; /* generation of the oldest file that may be there */
    uint32_t room;   /* records that there may be, CW_DISK_DONE_MAX at most */
    cw_disk_done_names names;
    cw_disk_done_names before; /* of the log before, while it is settled */
    cw_disk_mapping mapping;   /* of the file, for the thread that appends */
    int file;
    int file_before;       /* negative: that log is settled */
    int next;              /* file of the next generation; negative: none yet */
    pthread_mutex_t guard; /* of the files, generation and oldest, which the thread that syncs looks at */
} cw_disk_donelog;

/* An empty log of this generation. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_disk_donelog_open(cw_disk_donelog *log, const char *directory, uint64_t generation, crawl_error *error);
void cw_disk_donelog_close(cw_disk_donelog *log);

static inline bool cw_disk_donelog_is_full(const cw_disk_donelog *log)
{
    return log->names.count >= log->room;
}

/* There is room. sequence: of the database's last write. CRAWL_EIO. */
crawl_err cw_disk_donelog_append(cw_disk_donelog *log, cw_disk_queue_key name, uint8_t flags, uint64_t sequence,
                                 crawl_error *error);
/* Is it done, and in the queue on disk still? */
bool cw_disk_donelog_has(const cw_disk_donelog *log, cw_disk_queue_key name);

/* Beginning anew: the file is made before the database is told of it, and used from then on. CRAWL_EIO. The log before
 * it was settled. */
crawl_err cw_disk_donelog_prepare(cw_disk_donelog *log, crawl_error *error);
void cw_disk_donelog_turn(cw_disk_donelog *log);
/* The requests that the log before names are deleted in the database, which was told of the generation. */
void cw_disk_donelog_settled(cw_disk_donelog *log);

/* Brings to the disk what was appended. From any thread. *generation: of all logs before it, the files are needed no
 * more once the database is on the disk too. CRAWL_EIO. */
crawl_err cw_disk_donelog_sync(cw_disk_donelog *log, uint64_t *generation, crawl_error *error);
/* Removes the files before this generation. From any thread. */
void cw_disk_donelog_sweep(cw_disk_donelog *log, uint64_t generation);

/* Removes the files of all other generations. */
void cw_disk_donelog_remove_others(const cw_disk_donelog *log);

/* Reads the remains of a process: the records of a generation up to the first that is torn, or came after a later write
 * than `sequence`. *out is for free(). CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_disk_donelog_read(const char *directory, uint64_t generation, uint64_t sequence, cw_disk_done **out,
                               size_t *count, crawl_error *error);

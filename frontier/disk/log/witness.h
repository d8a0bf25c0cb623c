/* How far the files of a directory must go: a short file of its own, `written`, records after each write how many there
 * were. A database whose log or MANIFEST (the list of its files) was truncated, changed or removed opens as if less had
 * ever been written; checked against the witness, the loss is detected before anything is built on it.
 *
 * A power failure may lose whatever was not yet on disk, including the witness' own last entries: after a reboot only
 * the synced part counts. Without the file, a run accepts what is left. */
#pragma once

#include "frontier/disk/log/mapping.h"

#include <crawl/base.h>

#include <stdatomic.h>

#define CW_DISK_WITNESS_FILE "written"

typedef struct cw_disk_witness {
    const char *directory; /* the store's; NULL: not open */
    int file;
    char boot[16];
    uint64_t written;        /* sequence number of the last write of the database, */
    _Atomic uint64_t synced; /* of the last one that is on disk, */
    _Atomic bool untold;     /* which is not recorded in the file yet, */
    uint64_t generation;     /* and the log of done requests, with its number of records */
    uint64_t done;
    cw_disk_mapping mapping; /* of the file */
    int list;                /* the MANIFEST; negative: none is known */
    uint64_t list_number;
} cw_disk_witness;

/* The testimony that a process has left. */
typedef struct cw_disk_testimony {
    bool same_boot; /* the machine has not rebooted since */
    uint64_t written;
    uint64_t synced;
    uint64_t generation;
    uint64_t done;
    uint64_t list_number; /* of the MANIFEST, which each write brings to disk; 0: none */
    uint64_t list_bytes;
} cw_disk_testimony;

/* CRAWL_ABSENT: there is none, *out is zero. CRAWL_ECORRUPT: it is damaged. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_disk_witness_read(const char *directory, cw_disk_testimony *out, crawl_error *error);

/* Checks that the MANIFEST of the directory's database is as long as it was. Reads the files, so call it before the
 * database is opened. CRAWL_ECORRUPT: it is shorter. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_disk_testimony_of_list(const cw_disk_testimony *testimony, const char *directory, crawl_error *error);
/* Checks that a database whose last write has this number holds all that was written. CRAWL_ECORRUPT: it does not. */
crawl_err cw_disk_testimony_of_writes(const cw_disk_testimony *testimony, uint64_t sequence, crawl_error *error);
/* Checks the same of this log of done requests. */
crawl_err cw_disk_testimony_of_done(const cw_disk_testimony *testimony, uint64_t generation, uint64_t records,
                                    crawl_error *error);

/* Starts the witness of an open database: the file and its name are on disk when this returns. CRAWL_EIO,
 * CRAWL_ENOMEM. */
crawl_err cw_disk_witness_open(cw_disk_witness *witness, const char *directory, uint64_t sequence, uint64_t generation,
                               crawl_error *error);
void cw_disk_witness_close(cw_disk_witness *witness);

/* Record a write of the database, or of the log. Call under the frontier's lock. CRAWL_EIO. */
crawl_err cw_disk_witness_wrote(cw_disk_witness *witness, uint64_t sequence, crawl_error *error);
crawl_err cw_disk_witness_done(cw_disk_witness *witness, crawl_error *error);
/* Records that the log of done requests begins anew. Likewise. */
crawl_err cw_disk_witness_turned(cw_disk_witness *witness, crawl_error *error);
/* Notes that everything up to this write is on disk. From any thread; the next of the other calls records it in the
 * file. */
void cw_disk_witness_synced(cw_disk_witness *witness, uint64_t sequence);
/* Writes the last entry: everything is on disk, including this. CRAWL_EIO. */
crawl_err cw_disk_witness_end(cw_disk_witness *witness, uint64_t sequence, crawl_error *error);

/* How far the files of a directory must go: a short file of its own, `written`, says after each write how many there
 * were. A database whose log or MANIFEST (the list of its files) was cut, changed or taken away opens as if less had
 * ever been written; held against the witness it is known for what it is, before anything is made of it.
 *
 * Power that fails may take what was not brought to the disk yet, the witness' own last words among it: in another boot
 * of the machine only that counts which was on the disk. Without the file, a run takes what is left. */
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
    _Atomic uint64_t synced; /* of the last one that is on the disk, */
    _Atomic bool untold;     /* which is not written down yet, */
    uint64_t generation;     /* and the log of what is done, with its records */
    uint64_t done;
    cw_disk_mapping mapping; /* of the file */
    int list;                /* the MANIFEST; negative: none is known */
    uint64_t list_number;
} cw_disk_witness;

/* The testimony that a process has left. */
typedef struct cw_disk_testimony {
    bool same_boot; /* the machine has not been started since */
    uint64_t written;
    uint64_t synced;
    uint64_t generation;
    uint64_t done;
    uint64_t list_number; /* of the MANIFEST, which is brought to the disk by each write; 0: none */
    uint64_t list_bytes;
} cw_disk_testimony;

/* CRAWL_ABSENT: there is none, *out is zero. CRAWL_ECORRUPT: it is damaged. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_disk_witness_read(const char *directory, cw_disk_testimony *out, crawl_error *error);

/* Is the MANIFEST of the directory's database as long as it was? It is a question to its files: before it is opened.
 * CRAWL_ECORRUPT: it is not. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_disk_testimony_of_list(const cw_disk_testimony *testimony, const char *directory, crawl_error *error);
/* Does a database whose last write has this number hold all that was written? CRAWL_ECORRUPT: it does not. */
crawl_err cw_disk_testimony_of_writes(const cw_disk_testimony *testimony, uint64_t sequence, crawl_error *error);
/* And this log of what is done? */
crawl_err cw_disk_testimony_of_done(const cw_disk_testimony *testimony, uint64_t generation, uint64_t records,
                                    crawl_error *error);

/* Begins to bear witness of an open database: on the disk, with its name, when this returns. CRAWL_EIO,
 * CRAWL_ENOMEM. */
crawl_err cw_disk_witness_open(cw_disk_witness *witness, const char *directory, uint64_t sequence, uint64_t generation,
                               crawl_error *error);
void cw_disk_witness_close(cw_disk_witness *witness);

/* One of these was written. Under the lock of the frontier. CRAWL_EIO. */
crawl_err cw_disk_witness_wrote(cw_disk_witness *witness, uint64_t sequence, crawl_error *error);
crawl_err cw_disk_witness_done(cw_disk_witness *witness, crawl_error *error);
/* The log of what is done begins anew. Likewise. */
crawl_err cw_disk_witness_turned(cw_disk_witness *witness, crawl_error *error);
/* All up to this write is on the disk. From any thread; it is written down with the next of the others. */
void cw_disk_witness_synced(cw_disk_witness *witness, uint64_t sequence);
/* The last word: all is on the disk, this included. CRAWL_EIO. */
crawl_err cw_disk_witness_end(cw_disk_witness *witness, uint64_t sequence, crawl_error *error);

/* Keeps small entries beyond the end of the process, in notes with many entries each. Entries are gathered in memory
 * and written now and then by a function that the caller gives, so that they cost next to nothing. A kill loses the
 * entries since the last write. */
#pragma once

#include <crawl/base.h>

#include <pthread.h>

/* Thread-safe except for init, keep and free. */
typedef struct cw_note_log {
    const char *prefix; /* of the notes' names; a number of 20 digits follows */
    size_t note_max;    /* bytes of a note at most */
    crawl_err (*set)(void *user, crawl_slice name, crawl_slice note); /* NULL: nothing is kept */
    void *user;
    pthread_mutex_t lock;
    crawl_buf pending; /* entries, each after its size in 4 bytes, the lowest first */
    uint64_t next;     /* number of the next note */
} cw_note_log;

/* prefix is borrowed. note_max: the most bytes of a note, at least twice CW_NOTE_ENTRY_MAX. */
void cw_note_log_init(cw_note_log *log, const char *prefix, size_t note_max);
void cw_note_log_free(cw_note_log *log);

/* To be called for each note of earlier runs, in any order: calls the function for each entry until it returns false.
 * CRAWL_ECORRUPT: this is no such note. */
crawl_err cw_note_log_read(cw_note_log *log, crawl_slice name, crawl_slice note,
                           bool (*each)(crawl_slice entry, void *user), void *user);

/* Sets the function that writes notes; entries are kept from now on. */
void cw_note_log_keep(cw_note_log *log, crawl_err (*set)(void *user, crawl_slice name, crawl_slice note), void *user);
/* Adds an entry that consists of head and tail, CW_NOTE_ENTRY_MAX bytes at most. CRAWL_ENOMEM. */
crawl_err cw_note_log_add(cw_note_log *log, crawl_slice head, crawl_slice tail);
#define CW_NOTE_ENTRY_MAX ((size_t)64 << 10)
/* Writes the entries that were added. Returns what set returns. */
crawl_err cw_note_log_flush(cw_note_log *log);

/* Stores small entries beyond the end of the process, in notes of many entries each. Entries are collected in memory
 * and written now and then by a function of the caller's, so they cost very little. A kill loses the entries since the
 * last write. */
#pragma once

#include <crawl/base.h>

#include <pthread.h>

/* Thread-safe except for init, keep and free. */
typedef struct cw_note_log {
    const char *prefix; /* of the notes' names, followed by a number of 20 digits */
    size_t note_max;    /* maximum bytes of a note */
    crawl_err (*set)(void *user, crawl_slice name, crawl_slice note); /* NULL: nothing is stored */
    void *user;
    pthread_mutex_t lock;
    crawl_buf pending; /* entries, each preceded by its size in 4 bytes, little-endian */
    uint64_t next;     /* number of the next note */
} cw_note_log;

/* Initialises a log. prefix is borrowed. note_max: maximum bytes of a note, at least twice CW_NOTE_ENTRY_MAX. */
void cw_note_log_init(cw_note_log *log, const char *prefix, size_t note_max);
void cw_note_log_free(cw_note_log *log);

/* Must be called for each note of earlier runs, in any order. Calls each for every entry until it returns false.
 * CRAWL_ECORRUPT: not such a note. */
crawl_err cw_note_log_read(cw_note_log *log, crawl_slice name, crawl_slice note,
                           bool (*each)(crawl_slice entry, void *user), void *user);

/* Sets the function that writes notes. Entries are stored from now on. */
void cw_note_log_keep(cw_note_log *log, crawl_err (*set)(void *user, crawl_slice name, crawl_slice note), void *user);
/* Adds an entry made of head and tail, at most CW_NOTE_ENTRY_MAX bytes; ignores a longer one. CRAWL_ENOMEM. */
crawl_err cw_note_log_add(cw_note_log *log, crawl_slice head, crawl_slice tail);
#define CW_NOTE_ENTRY_MAX ((size_t)64 << 10)
/* Writes the added entries. Returns the result of set. */
crawl_err cw_note_log_flush(cw_note_log *log);

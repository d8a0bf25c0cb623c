/* Entries that outlive the process in notes, many in each: they are gathered in memory and written now and then by a
 * call that is given in, so that they cost next to nothing. A kill loses the entries since the last time. */
#ifndef CW_NOTE_LOG_H
#define CW_NOTE_LOG_H

#include <crawl/base.h>

#include <pthread.h>

/* Thread-safe but for init, keep and free. */
typedef struct cw_note_log {
    const char *prefix; /* of the notes' names; a number of 20 digits follows */
    size_t note_max;    /* bytes of a note at most */
    crawl_err (*set)(void *user, crawl_slice name, crawl_slice note); /* NULL: nothing is kept */
    void *user;
    pthread_mutex_t lock;
    crawl_buf pending; /* entries, each behind its size in 4 bytes, the lowest first */
    uint64_t next;     /* number of the next note */
} cw_note_log;

/* prefix is borrowed. note_max: bytes that a note can have, twice CW_NOTE_ENTRY_MAX at least. */
void cw_note_log_init(cw_note_log *log, const char *prefix, size_t note_max);
void cw_note_log_free(cw_note_log *log);

/* For each note of runs before, in any order: calls for each entry until one call answers false. CRAWL_ECORRUPT: no
 * such note. */
crawl_err cw_note_log_read(cw_note_log *log, crawl_slice name, crawl_slice note,
                           bool (*each)(crawl_slice entry, void *user), void *user);

/* Entries are kept from now on, by this call. */
void cw_note_log_keep(cw_note_log *log, crawl_err (*set)(void *user, crawl_slice name, crawl_slice note), void *user);
/* head and tail make an entry, of CW_NOTE_ENTRY_MAX bytes at most. CRAWL_ENOMEM. */
crawl_err cw_note_log_add(cw_note_log *log, crawl_slice head, crawl_slice tail);
#define CW_NOTE_ENTRY_MAX ((size_t)64 << 10)
/* Writes down what was added. As set. */
crawl_err cw_note_log_flush(cw_note_log *log);

#endif

/* Shared by the files of this folder: the object and its scripts, how the arguments of a script are built, and how
 * replies are read. */
#pragma once

#include "shared/protocol/shared.h"
#include "shared/protocol/sizes.h"

typedef enum cw_shared_script {
    CW_SHARED_JOIN,
    CW_SHARED_FEED,
    CW_SHARED_PUSH,
    CW_SHARED_TAKE,
    CW_SHARED_RENEW,
    CW_SHARED_WRITE,
    CW_SHARED_SETTLE,
    CW_SHARED_RESTORE,
    CW_SHARED_RUN,
    CW_SHARED_BODIES,
    CW_SHARED_NOTES,
    CW_SHARED_STIR,
    CW_SHARED_TICKETS,
    CW_SHARED_TURNS,
    CW_SHARED_FIGURES,
    CW_SHARED_REPORT,
    CW_SHARED_CREW,
    CW_SHARED_VIEW,
    CW_SHARED_FIND,
    CW_SHARED_CHECK,
    CW_SHARED_COOKIES,
    CW_SHARED_SCRIPTS
} cw_shared_script;

#define CW_SHARED_SIGN 16u /* hexadecimal digits by which scripts recognise the crawl that was joined */

struct cw_shared {
    cw_shared_options options; /* texts are copies */
    crawl_redis_script *scripts[CW_SHARED_SCRIPTS];
    char sizes[CW_SHARED_LINKS * CW_SHARED_SIZE];
    int64_t now_ms;                /* for scripts, set by tests; 0: the server's */
    int64_t due_ms;                /* the date of the run; 0: no run */
    char sign[CW_SHARED_SIGN + 1]; /* of the crawl; empty: not joined */
    uint64_t unfed;                /* see cw_shared_unfed */
};

#define CW_SHARED_WHOLE CW_SHARED_PARTITIONS /* as a partition: the keys of the crawl as a whole */

/* The arguments of a script. All memory is reserved first, so adding a word cannot fail. */
typedef struct cw_shared_words {
    crawl_slice *words;
    char (*digits)[24]; /* of the words that are numbers */
    size_t count;
} cw_shared_words;

/* Makes room for `most` words, and adds the key of the partition and the time, with the crawl's sign once it is
 * joined. CRAWL_ENOMEM. */
crawl_err cw_shared_words_make(const cw_shared *shared, unsigned partition, size_t most, cw_shared_words *out);
void cw_shared_words_free(cw_shared_words *words);
void cw_shared_add(cw_shared_words *words, crawl_slice word);
void cw_shared_add_number(cw_shared_words *words, int64_t number);
/* Adds 16 digits, which sort as texts like the numbers. */
void cw_shared_add_level(cw_shared_words *words, uint64_t level);

/* Sends the words, and frees them in any case. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_send(cw_shared *shared, cw_shared_script script, cw_shared_words *words, crawl_redis_done done,
                         void *user);

#define CW_SHARED_KEY_MAX (CW_SHARED_NAME_MAX + 32u) /* bytes of a key of the crawl as a whole */

/* CRAWL_EINVAL: a crawl may not have this name; error says why. */
crawl_err cw_shared_check_name(const char *name, crawl_error *error);
/* Returns the bytes of ":p" at the start of text, where p is a partition as keys have it, without leading zeros; 0:
 * text begins otherwise. */
size_t cw_shared_partition_size(crawl_slice text);

/* Writes "{NAME:p}:word" for a partition or "{NAME}:word" for the crawl as a whole, with a NUL. */
void cw_shared_write_key_of(const cw_shared *shared, unsigned partition, const char *word, char key[CW_SHARED_KEY_MAX]);
/* Asks for the text stored under a word of the crawl as a whole. As crawl_redis_send. */
crawl_err cw_shared_get(cw_shared *shared, const char *word, crawl_redis_done done, void *user);

/* Returns the name by which scripts know the kind of the seen-set. */
const char *cw_shared_seen_word(const cw_shared *shared);
/* Writes what scripts look up for a fingerprint, in CW_SHARED_PRINT bytes: for a chain the number of its block, and
 * its byte and bit in each lane. */
void cw_shared_write_key(const cw_shared *shared, const uint8_t *print, uint8_t *key);

/* --- protocol_crew.c --- */

/* Adds the answer of crew.lua to a crew that has only processes or nothing yet. False: out of memory. */
bool cw_shared_crew_take(crawl_shared_crew *crew, const crawl_redis_reply *reply);
/* Returns the process of this name, which it makes if it is new. NULL: out of memory. */
crawl_shared_process *cw_shared_crew_get(crawl_shared_crew *crew, crawl_slice name);
/* Completes a crew: sorts it by name and computes the sum. */
void cw_shared_crew_finish(crawl_shared_crew *crew);

/* Returns the number in a text; 0 if it is no number, or beyond what Lua can count to. */
double cw_shared_number_in(crawl_slice text);
/* Returns the text of a reply; empty if it is no text. */
crawl_slice cw_shared_text_of(const crawl_redis_reply *reply);

/* Returns an item of an array. NULL: the reply is no array, or has no such item. */
const crawl_redis_reply *cw_shared_item_of(const crawl_redis_reply *reply, size_t index);
/* Returns the number of a reply, or `otherwise` if it is no number. */
int64_t cw_shared_number(const crawl_redis_reply *reply, int64_t otherwise);
/* Reads the answer of counted.lua for a partition; `exact` is unchanged. False: not such an answer. */
bool cw_shared_counts_read(const crawl_redis_reply *reply, crawl_shared_counts *out);
void cw_shared_counts_add(crawl_shared_counts *sum, const crawl_shared_counts *part);

/* One element of a call, and the partition that it goes to. */
typedef struct cw_shared_place {
    unsigned partition;
    crawl_slice origin;
    size_t index;
} cw_shared_place;

cw_shared_place cw_shared_place_of(crawl_slice origin, size_t index);
/* Sorts by partition, then by host; elements of a host keep the order of the call. */
void cw_shared_sort_places(cw_shared_place *places, size_t count);
/* Returns how many of the first places share a partition, at most `most`. */
size_t cw_shared_places_together(const cw_shared_place *places, size_t count, size_t most);

/* The words of a fault for an answer that none of these scripts gives. */
#define CW_SHARED_STRANGE "unexpected answer of the script"

/* The words for a crawl that this program cannot read. */
#define CW_SHARED_FOREIGN "a key of this name is another program's"
#define CW_SHARED_OTHER_FORMAT "the crawl is of format %.20s, and this program has format %.20s"

/* Returns until when a session that was asked for at now_us may be used: a tenth of the lease before its earliest
 * possible deadline, so that requests being sent have left by then. */
int64_t cw_shared_until(const cw_shared *shared, int64_t now_us);

/* Several scripts that answer one call. Freed with the last answer. */
typedef struct cw_shared_round {
    size_t owed;  /* answers, plus one until the call has sent all */
    bool is_sent; /* at least one script was sent */
    crawl_redis_fault fault;
    char words[200]; /* of the first fault */
} cw_shared_round;

/* As cw_shared_send, for a script of the round. */
crawl_err cw_shared_send_in(cw_shared_round *round, cw_shared *shared, cw_shared_script script, cw_shared_words *words,
                            crawl_redis_done done, void *user);
/* As crawl_redis_send, for a command of the round. */
crawl_err cw_shared_ask_in(cw_shared_round *round, cw_shared *shared, const crawl_slice *words, size_t count,
                           crawl_redis_done done, void *user);
/* Call when all were sent, or when err stopped the sending. CRAWL_OK: take the call's own answer, as the last one
 * owed; an error that came after some were sent is reported as a fault. Otherwise nothing was sent, and err is for
 * the caller. */
crawl_err cw_shared_end_sending(cw_shared_round *round, crawl_err err);
void cw_shared_note_fault(cw_shared_round *round, crawl_redis_fault fault, const char *words);
/* Counts one answer. True: it was the last. */
bool cw_shared_is_last(cw_shared_round *round);

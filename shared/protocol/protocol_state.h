/* Shared by the files of this room: the object, its scripts, the arguments of a script as they are put together, and
 * replies as they are read. */
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

#define CW_SHARED_SIGN 16u /* hexadecimal digits by which scripts know the crawl that was joined */

struct cw_shared {
    cw_shared_options options; /* its texts are copies */
    crawl_redis_script *scripts[CW_SHARED_SCRIPTS];
    char sizes[CW_SHARED_LINKS * CW_SHARED_SIZE];
    int64_t now_ms;                /* 0: the server's */
    int64_t due_ms;                /* the date of the run; 0: there are none */
    char sign[CW_SHARED_SIGN + 1]; /* of the crawl; empty: it was not joined */
    uint64_t unfed;                /* see cw_shared_unfed */
};

#define CW_SHARED_WHOLE CW_SHARED_PARTITIONS /* in the place of a partition: the keys of the crawl as a whole */

/* The arguments of a script. Room for all is made first, so that adding them cannot fail. */
typedef struct cw_shared_words {
    crawl_slice *words;
    char (*digits)[24]; /* of those that are numbers */
    size_t count;
} cw_shared_words;

/* With the key of the partition as the first; and the time, behind which the sign stands once the crawl is joined.
 * CRAWL_ENOMEM. */
crawl_err cw_shared_words_make(const cw_shared *shared, unsigned partition, size_t most, cw_shared_words *out);
void cw_shared_words_free(cw_shared_words *words);
void cw_shared_add(cw_shared_words *words, crawl_slice word);
void cw_shared_add_number(cw_shared_words *words, int64_t number);
/* As 16 digits, whose order as texts is that of the numbers. */
void cw_shared_add_level(cw_shared_words *words, uint64_t level);

/* Sends them, and frees them whatever comes of it. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
crawl_err cw_shared_send(cw_shared *shared, cw_shared_script script, cw_shared_words *words, crawl_redis_done done,
                         void *user);

#define CW_SHARED_KEY_MAX (CW_SHARED_NAME_MAX + 32u) /* bytes of a key of the crawl as a whole */

/* May a crawl have this name? */
bool cw_shared_is_name(const char *name);

/* "{NAME:p}:word" of a partition, or "{NAME}:word" of the crawl as a whole, with a NUL. */
void cw_shared_write_key_of(const cw_shared *shared, unsigned partition, const char *word, char key[CW_SHARED_KEY_MAX]);
/* Asks for the text that the crawl as a whole has under a word. As crawl_redis_send. */
crawl_err cw_shared_get(cw_shared *shared, const char *word, crawl_redis_done done, void *user);

/* How scripts name the kind of the seen-set. */
const char *cw_shared_seen_word(const cw_shared *shared);
/* The places that scripts look up for a fingerprint, in CW_SHARED_PRINT bytes: of a chain the number of its block, and
 * the byte and the bit of it in each lane. */
void cw_shared_write_key(const cw_shared *shared, const uint8_t *print, uint8_t *key);

/* The means of a check. */
typedef struct cw_shared_checking {
    crawl_slice seen;  /* how scripts name the kind of the seen-set, */
    const char *sizes; /* and the sizes of its links, CW_SHARED_LINKS * CW_SHARED_SIZE bytes */
    crawl_slice sign;  /* of the crawl; empty: it is not compared */
    bool reads;        /* requests are a frontier's, and are read */
} cw_shared_checking;

/* The arguments of check.lua. */
crawl_err cw_shared_check_words(const cw_shared *shared, unsigned partition, const cw_shared_checking *of,
                                cw_shared_words *out);

/* --- protocol_crew.c --- */

/* The answer of crew.lua, into a crew that has none yet or processes alone. False: no memory. */
bool cw_shared_crew_take(crawl_shared_crew *crew, const crawl_redis_reply *reply);
/* The process of a name, made where it is new. NULL: no memory. */
crawl_shared_process *cw_shared_crew_get(crawl_shared_crew *crew, crawl_slice name);
/* When all is in: by name, and with their sum. */
void cw_shared_crew_finish(crawl_shared_crew *crew);

/* A number that is none, or that Lua cannot count to, is 0. */
double cw_shared_number_in(crawl_slice text);
/* The text of a reply; empty: it is none. */
crawl_slice cw_shared_text_of(const crawl_redis_reply *reply);

/* The item of an array; NULL: the reply is no array, or has none there. */
const crawl_redis_reply *cw_shared_item_of(const crawl_redis_reply *reply, size_t index);
/* A number, or `otherwise` where it is none. */
int64_t cw_shared_number(const crawl_redis_reply *reply, int64_t otherwise);
/* Reads the answer of counted.lua of a partition; `exact` stays as it was. False: it is no such answer. */
bool cw_shared_counts_read(const crawl_redis_reply *reply, crawl_shared_counts *out);
void cw_shared_counts_add(crawl_shared_counts *sum, const crawl_shared_counts *part);

/* One of what a call was given, which goes to a partition. */
typedef struct cw_shared_place {
    unsigned partition;
    crawl_slice origin;
    size_t index;
} cw_shared_place;

cw_shared_place cw_shared_place_of(crawl_slice origin, size_t index);
/* By partition, and within one by host; those of a host in the order of the call. */
void cw_shared_sort_places(cw_shared_place *places, size_t count);
/* How many of the first places are of one partition; `most` at most. */
size_t cw_shared_places_together(const cw_shared_place *places, size_t count, size_t most);

/* Said of an answer that a script of ours does not give. */
#define CW_SHARED_STRANGE "unexpected answer of the script"

/* Said of a crawl that this program does not read. */
#define CW_SHARED_FOREIGN "a key of this name is another program's"
#define CW_SHARED_OTHER_FORMAT "the crawl is of format %.20s, and this program has format %.20s"

/* Until when a session may be used that was asked for at now_us: a tenth of the lease earlier than its deadline could
 * be, so that what is being sent has left by then. */
int64_t cw_shared_until(const cw_shared *shared, int64_t now_us);

/* Several scripts that answer one call. It is freed with the last answer. */
typedef struct cw_shared_round {
    size_t owed;  /* and one for the call that sends them, until it has sent all */
    bool is_sent; /* one of them at least */
    crawl_redis_fault fault;
    char words[200]; /* of the first fault */
} cw_shared_round;

/* As cw_shared_send, for one of them. */
crawl_err cw_shared_send_in(cw_shared_round *round, cw_shared *shared, cw_shared_script script, cw_shared_words *words,
                            crawl_redis_done done, void *user);
/* As crawl_redis_send, for one of them. */
crawl_err cw_shared_ask_in(cw_shared_round *round, cw_shared *shared, const crawl_slice *words, size_t count,
                           crawl_redis_done done, void *user);
/* All were sent, or err stopped it. CRAWL_OK: the call's own answer is to be taken, as the last of those it knows of;
 * an error that came after some were sent is told as a fault. Otherwise nothing was sent, and err is for the caller. */
crawl_err cw_shared_end_sending(cw_shared_round *round, crawl_err err);
void cw_shared_note_fault(cw_shared_round *round, crawl_redis_fault fault, const char *words);
/* One answer less is owed. True: that was the last. */
bool cw_shared_is_last(cw_shared_round *round);

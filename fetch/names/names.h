/* What is known of names: those of the hosts file, and answers of name servers for as long as they hold. Time is an
 * argument, in milliseconds of a clock that does not go back and is the same for all who share the cache.
 * Thread-safe. */
#ifndef CW_NAMES_H
#define CW_NAMES_H

#include <crawl/fetch.h>

typedef enum cw_names_verdict {
    CW_NAME_KNOWN,  /* has addresses */
    CW_NAME_SYSTEM, /* for libcurl's own resolver: the answer does not fit into a datagram */
    CW_NAME_ABSENT, /* there is no such name */
    CW_NAME_EMPTY,  /* it is there, and has no address */
    CW_NAME_FAILED, /* the name servers could not tell */
    CW_NAME_LATE,   /* they did not answer in time */
    CW_NAME_BAD,    /* no name that DNS could hold */
    CW_NAME_MEMORY  /* no memory */
} cw_names_verdict;

/* For a person. Static; "" of KNOWN and SYSTEM. */
const char *cw_names_words(cw_names_verdict verdict);

/* {0} is an empty one. */
typedef struct cw_names_answer {
    cw_names_verdict verdict;
    uint32_t ttl_s;      /* as the servers say it */
    crawl_buf addresses; /* of KNOWN: separated by commas, IPv6 in brackets, as CURLOPT_RESOLVE takes them */
} cw_names_answer;

/* How long an answer is kept, in milliseconds; 0: not at all. */
int64_t cw_names_keep_ms(const cw_names_answer *answer);

/* hosts: path of the hosts file; NULL, or one that cannot be read: none. NULL: no memory. */
crawl_name_cache *cw_names_create(const char *hosts);

/* Fills answer, whose buffer is used again. CRAWL_ABSENT: not known (any more). CRAWL_ENOMEM. name: in lower case. */
crawl_err cw_names_get(crawl_name_cache *cache, crawl_slice name, int64_t now_ms, cw_names_answer *answer);

/* Replaces what was known. The oldest is forgotten for it where the cache is full; without memory nothing is kept. */
void cw_names_put(crawl_name_cache *cache, crawl_slice name, const cw_names_answer *answer, int64_t now_ms);

/* Names kept, without those of the hosts file. */
size_t cw_names_count(crawl_name_cache *cache);

#endif

/* The cache of names: those of the hosts file, and the answers of name servers for as long as they hold. Time is an
 * argument, in milliseconds of a clock that does not go back and that all users of the cache share. Thread-safe. */
#ifndef CW_NAMES_H
#define CW_NAMES_H

#include <crawl/fetch.h>

typedef enum cw_names_verdict {
    CW_NAME_KNOWN,  /* has addresses */
    CW_NAME_SYSTEM, /* libcurl's own resolver has to look it up: the answer does not fit into a datagram */
    CW_NAME_ABSENT, /* there is no such name */
    CW_NAME_EMPTY,  /* the name exists, and has no address */
    CW_NAME_FAILED, /* the name servers could not tell */
    CW_NAME_LATE,   /* they did not answer in time */
    CW_NAME_BAD,    /* DNS cannot hold such a name */
    CW_NAME_MEMORY  /* no memory */
} cw_names_verdict;

/* The verdict in words for a person; static, "" for KNOWN and SYSTEM. */
const char *cw_names_words(cw_names_verdict verdict);

/* What is known of a name. {0} is an empty answer. */
typedef struct cw_names_answer {
    cw_names_verdict verdict;
    uint32_t ttl_s;      /* as the servers say it */
    crawl_buf addresses; /* for KNOWN: separated by commas, IPv6 in brackets, as CURLOPT_RESOLVE takes them */
} cw_names_answer;

/* How long an answer is kept, in milliseconds; 0: it is not kept. */
int64_t cw_names_keep_ms(const cw_names_answer *answer);

/* hosts: the path of the hosts file; NULL or a file that cannot be read: no such names. Returns NULL if there is no
 * memory. */
crawl_name_cache *cw_names_create(const char *hosts);

/* Fills answer, whose buffer is used again. name is in lower case. CRAWL_ABSENT: the name is not known, or not any
 * more. CRAWL_ENOMEM. */
crawl_err cw_names_get(crawl_name_cache *cache, crawl_slice name, int64_t now_ms, cw_names_answer *answer);

/* Keeps an answer in place of an older one for the name. If the cache is full, the oldest name is forgotten; if there
 * is no memory, nothing is kept. */
void cw_names_put(crawl_name_cache *cache, crawl_slice name, const cw_names_answer *answer, int64_t now_ms);

/* How many names are kept, not counting those of the hosts file. */
size_t cw_names_count(crawl_name_cache *cache);

#endif

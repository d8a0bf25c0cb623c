/* The cache of names: those of the hosts file, and the answers of name servers for as long as they hold. Time is an
 * argument, in milliseconds of a clock that does not go back and that all users of the cache share. Thread-safe. */
#pragma once

#include <crawl/base.h>
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

/* The addresses of a name. {0} is an empty answer. */
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

/* Which names the transfers of a fetcher use, so that libcurl can be told to forget those that none does: it keeps what
 * it knows of names in 71 lists, and goes through one of them several times for each connection. Single-thread. */
typedef struct cw_names_uses cw_names_uses;

/* NULL: there is no memory. */
cw_names_uses *cw_names_uses_create(void);

/* NULL is allowed. */
void cw_names_uses_free(cw_names_uses *uses);

/* Counts one user more of a name, which is copied. CRAWL_ENOMEM: it is not counted. */
crawl_err cw_names_uses_add(cw_names_uses *uses, crawl_slice name);

/* Counts one user less of a name that was added. True: it was the last. */
bool cw_names_uses_drop(cw_names_uses *uses, crawl_slice name);

/* Combines the two replies for one name, of its IPv4 and of its IPv6 addresses, into one answer. Pure: no clock, no
 * socket, no global data. */

/* The reply to one question. {0}: it has not come yet. */
typedef struct cw_dns_reply {
    bool there;
    int code;            /* DNS_ERR_... of evdns */
    uint32_t ttl_s;      /* for NONE, and for NOTEXIST and NODATA (RFC 2308, 5) */
    crawl_buf addresses; /* for NONE, a list as cw_fetch_address_list_add makes it */
} cw_dns_reply;

/* Fills reply. addresses: an array of count addresses, of 4 bytes each for the family AF_INET and 16 for AF_INET6.
 * CRAWL_ENOMEM. */
crawl_err cw_dns_reply_set(cw_dns_reply *reply, int code, int family, const void *addresses, int count, int ttl_s);

/* Fills out with both replies. libcurl tries the addresses in their order, the other family 200 ms later. v6_first is
 * true where there is a route for IPv6 (RFC 6724, 6, rule 1). A reply that did not come counts as too late. If both
 * failed, "no such name" goes before "the servers failed", and that before "too late". A reply that was cut leaves the
 * name to libcurl's own resolver, which asks again over TCP. */
void cw_dns_reply_combine(const cw_dns_reply *v6, const cw_dns_reply *v4, bool v6_first, cw_names_answer *out);

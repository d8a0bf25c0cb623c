/* The cache of names: those of the hosts file, and the answers of name servers for as long as they are valid. Time is
 * an argument, in milliseconds of a clock that does not go back and that all users of the cache share. Thread-safe. */
#pragma once

#include <crawl/base.h>
#include <crawl/fetch.h>

typedef enum cw_names_verdict {
    CW_NAME_KNOWN,  /* has addresses */
    CW_NAME_SYSTEM, /* left to libcurl's own resolver: the answer does not fit into a datagram */
    CW_NAME_ABSENT, /* no such name */
    CW_NAME_EMPTY,  /* the name exists, but has no address */
    CW_NAME_FAILED, /* the name servers could not answer */
    CW_NAME_LATE,   /* they did not answer in time */
    CW_NAME_BAD,    /* impossible in DNS */
    CW_NAME_SOCKET, /* no descriptor is left to ask the name servers */
    CW_NAME_MEMORY  /* out of memory */
} cw_names_verdict;

/* Returns the verdict in words for a person; static, "" for KNOWN and SYSTEM. */
const char *cw_names_words(cw_names_verdict verdict);

/* The addresses of a name. {0} is an empty answer. */
typedef struct cw_names_answer {
    cw_names_verdict verdict;
    uint32_t ttl_s;      /* as sent by the servers */
    crawl_buf addresses; /* for KNOWN: separated by commas, IPv6 in brackets, as for CURLOPT_RESOLVE */
} cw_names_answer;

/* Returns how long an answer is stored, in milliseconds; 0: not at all. */
int64_t cw_names_keep_ms(const cw_names_answer *answer);

/* Creates a cache. hosts: the path of the hosts file; NULL or a file that cannot be read: no such names. NULL: out of
 * memory. */
crawl_name_cache *cw_names_create(const char *hosts);

/* Looks up a name, in lower case, and fills answer, whose buffer is reused. CRAWL_ABSENT: the name is not known, or no
 * longer. CRAWL_ENOMEM. */
crawl_err cw_names_get(crawl_name_cache *cache, crawl_slice name, int64_t now_ms, cw_names_answer *answer);

/* Stores an answer in place of an older one for the name. Drops the oldest name if the cache is full; stores nothing if
 * memory is short. */
void cw_names_put(crawl_name_cache *cache, crawl_slice name, const cw_names_answer *answer, int64_t now_ms);

/* Returns the number of names stored, without those of the hosts file. */
size_t cw_names_count(crawl_name_cache *cache);

/* The names used by the transfers of a fetcher, so that libcurl can be told to drop unused names: it stores
 * names in 71 lists, and walks one of them several times per connection. Single-threaded. */
typedef struct cw_names_uses cw_names_uses;

/* NULL: out of memory. */
cw_names_uses *cw_names_uses_create(void);

/* NULL is allowed. */
void cw_names_uses_free(cw_names_uses *uses);

/* Adds a user of a name, which is copied. CRAWL_ENOMEM: not added. */
crawl_err cw_names_uses_add(cw_names_uses *uses, crawl_slice name);

/* Removes a user of a name. True: it was the last. */
bool cw_names_uses_drop(cw_names_uses *uses, crawl_slice name);

/* Combining the two replies for one name, for its IPv4 and its IPv6 addresses, into one answer. Pure: no clock, no
 * socket, no global data. */

/* The reply to one question. {0}: not received yet. */
typedef struct cw_dns_reply {
    bool there;
    int code;            /* DNS_ERR_... of evdns */
    uint32_t ttl_s;      /* for NONE, and for NOTEXIST and NODATA (RFC 2308, 5) */
    crawl_buf addresses; /* for NONE, a list as from cw_fetch_address_list_add */
} cw_dns_reply;

/* Fills reply. addresses: count addresses, of 4 bytes each for the family AF_INET and 16 for AF_INET6. CRAWL_ENOMEM. */
crawl_err cw_dns_reply_set(cw_dns_reply *reply, int code, int family, const void *addresses, int count, int ttl_s);

/* Combines both replies into out. libcurl tries the addresses in order, the other family 200 ms later. v6_first: there
 * is a route for IPv6 (RFC 6724, 6, rule 1). A missing reply counts as too late. If both failed, "no such name" takes
 * precedence over "the servers failed", and that over "too late". A truncated reply leaves the name to libcurl's own
 * resolver, which asks again over TCP. */
void cw_dns_reply_combine(const cw_dns_reply *v6, const cw_dns_reply *v4, bool v6_first, cw_names_answer *out);

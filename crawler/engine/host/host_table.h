/* The hosts that the engine knows: one record per origin ("scheme://host:port").
 *
 * A visit looks up its host once, from its lease, and carries the record until it is over. Records live as long as the
 * table, except in a crawl that processes share, where unused records go away (see cw_host_table_let_go). A record has
 * a part for each file that keeps something about a host: the gate (pacer.c), the verdict of its robots.txt (sites.c),
 * the rules of its section (host_rules.c), the pages that it gave (trap.c). One lock guards the gate and the verdict,
 * and the creation of the rate. The records of a shard share that lock: a record needs no room for its own, and workers
 * rarely wait for each other.
 *
 * Memory: about 290 bytes per host, plus what is known of its robots.txt (see sites.h). A leased host beyond max_hosts
 * has a record too, since its robots.txt must be known, but no pace of its own. The frontier has the same bound, so
 * such hosts come from a directory that was made with a larger one. */
#pragma once

#include "crawler/engine/host/pace.h"
#include "crawler/engine/host/rules/host_rules.h"

#include <pthread.h>
#include <stdatomic.h>

/* The gate's part, see pacer.h. */
typedef struct cw_host_gate {
    cw_host_pace pace;
    int64_t told_us;            /* the pause that the frontier was told */
    struct cw_host_address *at; /* where its last connection led; NULL: unknown */
    int64_t slot_us;            /* its moment at its address; 0: none */
    uint64_t asked;
    uint32_t running; /* requests admitted and not over */
    uint8_t answers;  /* counted until the host is no longer new */
    uint8_t put_off;  /* times put off in a row */
    bool slow;        /* its last request took long, or one under way does */
    bool opened;      /* the fields above are set */
    bool blocked;     /* blocked by the person who runs the crawl */
    bool has_delay;   /* that person has set a delay for it, which overrides the configured one */
    int64_t delay_us; /* valid if has_delay */
} cw_host_gate;

typedef struct cw_host_shard cw_host_shard;

/* Logins and consents of one host that are known: sites have one for each language, or two. */
#define CW_HOST_DETOURS 4

/* site and gate are read and written under the record's lock; shard, origin and is_beyond never change. */
typedef struct cw_host_record {
    cw_host_shard *shard;
    _Atomic(const cw_host_rules *) rules; /* NULL: not looked up yet; see cw_host_record_rules */
    struct cw_host_site *site;            /* NULL: not in memory; see sites.c */
    /* Pages of its name and of its domain, shared with other hosts; NULL: not counted. Under the lock of trap.c. */
    struct cw_scope_counted *pages;
    struct cw_scope_counted *domain_pages;
    cw_host_gate gate;
    crawl_fetch_rate *rate; /* NULL: none, or not looked up yet; see cw_host_record_rate */
    atomic_uint rules_age;  /* age of the book when the rules were looked up */
    atomic_uint home;       /* number of the worker that has its connection, from 1; 0: none; see home.h */
    uint32_t size;          /* of origin */
    atomic_uint detours[CW_HOST_DETOURS]; /* the login and consent pages that its redirects led to; 0: none; see
                                             walls.c */
    atomic_uint guesses;                  /* answers to guesses; see link_kinds.c */
    atomic_bool is_told;     /* the pace in its note was told, or it has no note: see cw_host_sites_recalled */
    atomic_bool is_admitted; /* see cw_host_handover_admit */
    uint32_t users;          /* users of the record, counted for its removal; under the lock */
    bool is_left;            /* the host is no longer this process's; under the lock */
    bool is_beyond;          /* beyond max_hosts: it has no gate */
    char origin[];
} cw_host_record;

typedef struct cw_host_table cw_host_table;

/* max_hosts: the number of hosts with a pace of their own; 0: no limit. NULL: out of memory. */
cw_host_table *cw_host_table_create(uint64_t max_hosts);
void cw_host_table_free(cw_host_table *table);

/* For a process that has a host for a time: the record goes away once the host has left and nobody uses the record. */
typedef struct cw_host_leaving {
    /* Returns true if the host may be removed. Called with the record locked and unused. */
    bool (*may_go)(const cw_host_record *host);
    /* Frees what others keep of the host, which can no longer be found. */
    void (*on_gone)(void *user, cw_host_record *host);
    void *user;
} cw_host_leaving;

/* Lets records go away; without this call, none does. Call before the first record is made. */
void cw_host_table_let_go(cw_host_table *table, const cw_host_leaving *leaving);
/* Marks the host as left: it is no longer this process's until its record is got for a lease again. Thread-safe. */
void cw_host_table_leave(cw_host_table *table, crawl_slice origin);
/* Releases a record. Call once for each record that one of the three functions below has returned. NULL is allowed.
 * Thread-safe. */
void cw_host_record_release(cw_host_record *host);

/* Returns the record of this leased origin, created if there is none yet. NULL: out of memory. Thread-safe. */
cw_host_record *cw_host_table_get(cw_host_table *table, crawl_slice origin);
/* Likewise, for an origin that a stranger names. CRAWL_FULL: it has no record, and a new one would be beyond max_hosts.
 * CRAWL_ENOMEM. */
crawl_err cw_host_table_get_named(cw_host_table *table, crawl_slice origin, cw_host_record **out);
/* NULL: the origin has no record yet. Thread-safe. */
cw_host_record *cw_host_table_find(cw_host_table *table, crawl_slice origin);

uint64_t cw_host_table_count(cw_host_table *table);

/* Locks a record. A thread that holds this lock must not take another record's. */
void cw_host_record_lock(cw_host_record *host);
void cw_host_record_unlock(cw_host_record *host);

static inline crawl_slice cw_host_record_origin(const cw_host_record *host)
{
    return crawl_slice_of(host->origin, host->size);
}

/* Returns the rules of the host. They are looked up in the book on first use and after the book has changed. *first:
 * set on first use. NULL: out of memory. Thread-safe. */
const cw_host_rules *cw_host_record_rules(cw_host_record *host, cw_host_book *book, bool *first);

/* Returns the host's rate of bytes: its group's, or its own, which is created on first use and lives as long as the
 * record. NULL: the rules give it none, or out of memory. Thread-safe. */
crawl_fetch_rate *cw_host_record_rate(cw_host_record *host, const cw_host_rules *rules);

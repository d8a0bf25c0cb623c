/* The hosts that the engine knows: one record for one origin ("scheme://host:port").
 *
 * A visit looks its host up once, from its lease, and carries the record until it is over. No record goes away before
 * the table does, but in a crawl that processes share (see cw_host_table_let_go): there, those go that nobody uses. A
 * record has a part for each file that keeps something of a host: the gate (pacer.c), the verdict of its robots.txt
 * (sites.c), the rules of its section (host_rules.c), the pages that it gave (trap.c). One lock guards the gate and the
 * verdict, and makes the rate of those that have one. It is shared with other records of the same shard, so that a
 * record has no room for a lock of its own and workers rarely wait for each other.
 *
 * Memory: about 280 bytes for each host; what is known of a robots.txt comes on top (see sites.h). A leased host beyond
 * max_hosts has a record too, since its robots.txt must be known, but no pace of its own: the frontier has the same
 * bound, so that such hosts come from a directory that was made with a larger one. */
#pragma once

#include "crawler/engine/host/pace.h"
#include "crawler/engine/host/rules/host_rules.h"

#include <pthread.h>
#include <stdatomic.h>

/* The gate's part, see pacer.h. */
typedef struct cw_host_gate {
    cw_host_pace pace;
    int64_t told_us;            /* the pause that the frontier knows */
    struct cw_host_address *at; /* where its last connection led; NULL: not known */
    int64_t slot_us;            /* the moment it has at its address; 0: none */
    uint64_t asked;
    uint32_t running; /* requests admitted and not over */
    uint8_t answers;  /* up to those after which a host is not new any more */
    uint8_t put_off;  /* times in a row */
    bool slow;        /* its last request took long, or one that is under way does */
    bool opened;      /* the fields above are set */
    bool blocked;     /* whoever runs the crawl has blocked the host */
    bool has_delay;   /* and has set one for it, which goes before what is configured */
    int64_t delay_us; /* of has_delay */
} cw_host_gate;

typedef struct cw_host_shard cw_host_shard;

/* site and gate are read and written under the record's lock; shard, origin and is_beyond never change. */
typedef struct cw_host_record {
    cw_host_shard *shard;
    _Atomic(const cw_host_rules *) rules; /* NULL: not asked for yet; see cw_host_record_rules */
    struct cw_host_site *site;            /* NULL: not in memory; see sites.c */
    /* Pages of its name and of its domain, which other hosts share; NULL: not counted. Under the lock of trap.c. */
    struct cw_scope_counted *pages;
    struct cw_scope_counted *domain_pages;
    cw_host_gate gate;
    crawl_fetch_rate *rate;  /* NULL: none, or not asked for yet; see cw_host_record_rate */
    atomic_uint rules_age;   /* of the book, when they were asked for */
    atomic_uint home;        /* the number of the worker that has its connection, from 1; 0: none; see home.h */
    uint32_t size;           /* of origin */
    atomic_uint detour;      /* the login or consent that its last redirect to one led to; 0: none; see walls.c */
    atomic_uint guesses;     /* answers to guesses: see link_kinds.c */
    atomic_bool is_told;     /* what its note says of its pace was told, or there is none: see cw_host_sites_recalled */
    atomic_bool is_admitted; /* see cw_host_handover_admit */
    uint32_t users;          /* of the record, where records go away, */
    bool is_left;            /* and its host is this process's no more; both under the lock */
    bool is_beyond;          /* of max_hosts: it has no gate */
    char origin[];
} cw_host_record;

typedef struct cw_host_table cw_host_table;

/* max_hosts: those with a pace of their own; 0: no limit. NULL: no memory. */
cw_host_table *cw_host_table_create(uint64_t max_hosts);
void cw_host_table_free(cw_host_table *table);

/* Where this process has a host for a time: its record goes away when the host has left and nobody uses the record. */
typedef struct cw_host_leaving {
    /* May it? Under the lock of the record, which nobody uses. */
    bool (*may_go)(const cw_host_record *host);
    /* Frees what others keep of it, which nobody finds any more. */
    void (*on_gone)(void *user, cw_host_record *host);
    void *user;
} cw_host_leaving;

/* To be called before the first record is made. Otherwise none goes away. */
void cw_host_table_let_go(cw_host_table *table, const cw_host_leaving *leaving);
/* The host has left: this process has it no more, until its record is got for a lease again. Thread-safe. */
void cw_host_table_leave(cw_host_table *table, crawl_slice origin);
/* To be called once for each record that one of the three calls below has given, when it is used no more. NULL is
 * allowed. Thread-safe. */
void cw_host_record_release(cw_host_record *host);

/* The record of this origin, which has been leased, made if there is none yet. NULL: no memory. Thread-safe. */
cw_host_record *cw_host_table_get(cw_host_table *table, crawl_slice origin);
/* The same for an origin that a stranger names. CRAWL_FULL: there is none, and it would be beyond
 * max_hosts. CRAWL_ENOMEM. */
crawl_err cw_host_table_get_named(cw_host_table *table, crawl_slice origin, cw_host_record **out);
/* NULL: there is none yet. Thread-safe. */
cw_host_record *cw_host_table_find(cw_host_table *table, crawl_slice origin);

/* Records there are. */
uint64_t cw_host_table_count(cw_host_table *table);

/* The lock of a record. A thread that holds it takes no other record's. */
void cw_host_record_lock(cw_host_record *host);
void cw_host_record_unlock(cw_host_record *host);

static inline crawl_slice cw_host_record_origin(const cw_host_record *host)
{
    return crawl_slice_of(host->origin, host->size);
}

/* The rules of the host, looked up in the book when they are asked for first and after the book has changed. *first:
 * they were not asked for before. NULL: no memory. Thread-safe. */
const cw_host_rules *cw_host_record_rules(cw_host_record *host, cw_host_book *book, bool *first);

/* Its rate of bytes: that of its group, or one of its own, made when it is asked for first, which lives as long as the
 * record. NULL: it has none by these rules, or there is no memory. Thread-safe. */
crawl_fetch_rate *cw_host_record_rate(cw_host_record *host, const cw_host_rules *rules);

/* The gate that every request passes twice, by the pace of its host (see pace.h): when it is leased
 * (cw_host_pacer_admit) and when it leaves (cw_host_pacer_start). All that it keeps of a host stands in the host's
 * record. The frontier is told of pauses and holds too, so that it rarely leases what must wait; but the gate alone
 * keeps them, and says for the records which pause and hold there was.
 *
 * With per_ip, hosts whose requests went to one address share its pause and its limit of requests at once. A host's
 * first connection tells which address it has: if another host has just been asked there, the request does not leave
 * over this connection but comes back later. From then on each such host is given the next free moment of its address
 * in advance. Without per_ip the same holds more loosely: at an address of the internet there are per_address requests
 * at once at most, address_pause apart, whatever the number of hosts.
 *
 * Thread-safe. The clock is read under the lock of the host and, where its address has a limit, under that of the
 * addresses too, so that all threads agree which of two events at a host or an address came first. Memory: about 100
 * bytes for each address with a limit; max_hosts bounds their number. */
#pragma once

#include "crawler/engine/host/host_table.h"

#include <crawl/frontier.h>

typedef struct cw_host_pacer cw_host_pacer;

/* The rules in a host's record, once it has some, are used in place of rules.delay_us and per_host. */
typedef struct cw_host_pacer_options {
    cw_host_pace_rules rules;
    bool per_ip;
    uint32_t per_host; /* requests at once; the gate keeps it for addresses and, with limits, for hosts */
    bool limits;       /* some hosts have a limit of their own: the frontier, which else keeps it for hosts, knows the
                        * largest alone */
    uint32_t per_address;     /* requests at once to an address, without per_ip; 0: any number */
    int64_t address_pause_us; /* between two of them, without per_ip */
    bool per_address_private; /* at addresses that are not the internet's, too */
    uint64_t max_hosts;       /* the most addresses with a limit; 0: any number */
    uint64_t seed;            /* of jitter */
    bool resumed; /* another process may have asked every host until now, and told the frontier of any pause */
    int64_t (*clock_us)(void); /* does not go back */
    crawl_frontier *shared; /* borrowed; of a crawl that processes share, which take turns at addresses that all hosts
                             * there share, and at groups; NULL: there are no others */
} cw_host_pacer_options;

/* NULL: no memory. To be freed before the records of the hosts. */
cw_host_pacer *cw_host_pacer_create(const cw_host_pacer_options *options);
void cw_host_pacer_free(cw_host_pacer *pacer);

/* Until a request is looked at again that was leased before its host was blocked or held: the frontier leases no other
 * of the host meanwhile. */
#define CW_HOST_BLOCKED_US ((int64_t)5 * 1000 * 1000)

/* A request on its way through the gate; {0} before. */
typedef struct cw_host_pass {
    int64_t pause_us; /* in force when it was admitted */
    cw_host_pace_by by;
    bool probe;
    bool counted;        /* among the host's requests under way */
    bool slow;           /* the host was slow when the request was admitted */
    bool no_share;       /* of WAIT: there is no connection for the host, see cw_host_claim */
    int64_t admitted_us; /* 0: it was not admitted */
    int64_t started_us;  /* 0: it did not leave */
    int64_t ended_us;
    uint64_t seq;    /* its number among the host's requests, from 1; 0: the host has no pace of its own */
    int64_t wait_us; /* of WAIT and AGAIN: from now */
    bool is_held;    /* of WAIT and AGAIN: it waits for a hold of its host, which blocks that in the frontier too */
    struct cw_host_address *address; /* the address that it went to, if that has a limit */
    uint32_t address_limit;          /* requests at once to that address, without per_ip; 0: no limit */
    int64_t address_pause_us;        /* the pause there, without per_ip; 0: none */
    uint32_t limit;                  /* requests to the host at once, in force when it was admitted */
    cw_host_hold_by refused_by;      /* of REFUSE: GIVEN_UP, RETRY_AFTER */
    bool is_wall;                    /* set by the caller before it is done: the answer is a wall or a challenge */
    bool is_first_wall;              /* and, when it is done, the first one of its host */
    bool had_page;                   /* when it is done: the host has answered with a page, now or before */
    char words[128];                 /* of REFUSE */
} cw_host_pass;

/* The limit for a host that is slow or new: as many connections at once as an even share of them all and, if it is
 * slow, none while there is no room for slow hosts. The probe of a host that is given up needs no claim. */
typedef struct cw_host_claim {
    uint32_t share;
    bool has_room;
} cw_host_claim;

/* May the request be made now? CW_ADMIT_WAIT: not before pass->wait_us from now; with pass->no_share for want of a
 * connection, and longer each time in a row. CW_ADMIT_REFUSE: pass->words says why. claim NULL: there are connections
 * enough. */
cw_host_admission cw_host_pacer_admit(cw_host_pacer *pacer, cw_host_record *host, const cw_host_claim *claim,
                                      cw_host_pass *pass);

/* To be called when a request that is under way has become slow (lane.h): so has its host. */
void cw_host_pacer_slow(cw_host_pacer *pacer, cw_host_record *host);

/* May the request leave for this address now? If so, it counts as left. CRAWL_AGAIN: it must not; pass->wait_us says
 * for how long, 0 where cw_host_pacer_admit refuses it. */
crawl_err cw_host_pacer_start(cw_host_pacer *pacer, cw_host_record *host, crawl_slice ip, cw_host_pass *pass);

/* To be called after it when all is done that may have held the request up: pauses of its host and address run from
 * here. CRAWL_AGAIN: it must not leave, since its host has been held meanwhile, or another request was let go;
 * pass->wait_us says for how long. */
crawl_err cw_host_pacer_left(cw_host_pacer *pacer, cw_host_record *host, cw_host_pass *pass);

/* To be called when a request did not leave, and will not: it was under way no more. */
void cw_host_pacer_unasked(cw_host_pacer *pacer, cw_host_record *host, cw_host_pass *pass);

/* The effect of an answer, for the frontier and for the records. */
typedef struct cw_host_pacer_effect {
    bool pause_changed; /* since the effect before */
    int64_t pause_us;   /* the shortest that the next pause may be */
    int64_t hold_us;    /* how long the host is held from now; 0: it is not */
    cw_host_hold_by hold_by;
    bool is_blocked; /* by whoever runs the crawl */
} cw_host_pacer_effect;

/* The request is over; response->error CANCELLED too. retry_after_us: what the host asked for, negative: nothing.
 * quota: what it told beforehand. */
cw_host_pacer_effect cw_host_pacer_done(cw_host_pacer *pacer, cw_host_record *host, const crawl_response *response,
                                        int64_t retry_after_us, const cw_host_quota *quota, cw_host_pass *pass);

/* The host's robots.txt asks for this pause (already cut to its maximum; 0: for none). */
cw_host_pacer_effect cw_host_pacer_crawl_delay(cw_host_pacer *pacer, cw_host_record *host, int64_t delay_us);

/* Sets the delay of all hosts that have no other in a section. */
void cw_host_pacer_set_delay(cw_host_pacer *pacer, int64_t delay_us);
/* The effect of a delay that was set for the host (steer.h). */
cw_host_pacer_effect cw_host_pacer_look(cw_host_pacer *pacer, cw_host_record *host);

/* The rules that hold for the host, and how many requests it may have at once. To be called under the lock of its
 * record. */
cw_host_pace_rules cw_host_pacer_rules(const cw_host_pacer *pacer, const cw_host_record *host);
uint32_t cw_host_pacer_limit(const cw_host_pacer *pacer, const cw_host_record *host);

/* Holds the host for so long, since it has asked for that by a Retry-After that another process got. */
void cw_host_pacer_hold(cw_host_pacer *pacer, cw_host_record *host, int64_t hold_us);

/* How long the host is held from now; 0: it is not. */
int64_t cw_host_pacer_held(cw_host_pacer *pacer, cw_host_record *host, cw_host_hold_by *by);

/* The gate that every request passes twice, by the pace of its host (see pace.h): when it is leased
 * (cw_host_pacer_admit) and when it leaves (cw_host_pacer_start). The host's record has everything that the gate keeps
 * of a host. The frontier is told of pauses and holds too, so that it rarely leases a request that must wait; but only
 * the gate enforces them, and it says for the records which pause and hold applied.
 *
 * With per_ip, hosts whose requests went to one address share its pause and its limit of requests at once. A host's
 * first connection reveals its address: if another host has been asked there too recently, the request does not leave
 * over this connection but comes back later. From then on each such host is given the next free moment of its address
 * in advance. Without per_ip the same holds more loosely: an address of the internet gets at most per_address requests
 * at once, address_pause apart, however many hosts it has.
 *
 * Thread-safe. The clock is read under the lock of the host and, if its address has a limit, under that of the
 * addresses too. So all threads agree which of two events at a host or an address came first. Memory: about 100 bytes
 * per address with a limit; max_hosts bounds their number. */
#pragma once

#include "crawler/engine/host/host_table.h"

#include <crawl/frontier.h>

typedef struct cw_host_pacer cw_host_pacer;

/* The rules in a host's record, once it has some, replace per_host, and rules.delay_us if a section sets a delay. */
typedef struct cw_host_pacer_options {
    cw_host_pace_rules rules;
    bool per_ip;
    uint32_t per_host; /* requests at once; the gate enforces it for addresses and, with limits, for hosts */
    bool limits; /* some hosts have their own limit: the frontier, which otherwise enforces it for hosts, knows only the
                    largest */
    uint32_t per_address;     /* requests at once to an address, without per_ip; 0: any number */
    double address_delay;     /* the pause between two of these, as a part of the delay of all hosts; without per_ip */
    bool per_address_private; /* also at addresses that are not public */
    uint64_t max_hosts;       /* the most addresses with a limit; 0: any number */
    uint64_t seed;            /* of jitter */
    bool resumed; /* another process may have asked every host until now, and told the frontier of any pause */
    int64_t (*clock_us)(void); /* monotonic */
    crawl_frontier *shared;    /* borrowed; of a crawl that processes share: they take turns at groups, and at addresses
                                  that all hosts there share; NULL: not shared */
} cw_host_pacer_options;

/* NULL: out of memory. Free it before the records of the hosts. */
cw_host_pacer *cw_host_pacer_create(const cw_host_pacer_options *options);
void cw_host_pacer_free(cw_host_pacer *pacer);

/* Time until a request that was leased before its host was blocked or held is looked at again. The frontier leases no
 * other request of the host meanwhile. */
#define CW_HOST_BLOCKED_US ((int64_t)5 * 1000 * 1000)

/* A request on its way through the gate; {0} before. */
typedef struct cw_host_pass {
    int64_t pause_us; /* in force when it was admitted */
    cw_host_pace_by by;
    bool probe;
    bool counted;        /* among the host's requests under way */
    bool slow;           /* the host was slow at admission */
    bool no_share;       /* WAIT only: there is no connection for the host; see cw_host_claim */
    int64_t admitted_us; /* 0: not admitted */
    int64_t started_us;  /* 0: it did not leave */
    int64_t ended_us;
    uint64_t seq;    /* its number among the host's requests, from 1; 0: the host has no pace of its own */
    int64_t wait_us; /* WAIT and AGAIN only: from now */
    bool is_held; /* WAIT and AGAIN only: it waits for a hold of its host, which blocks the host in the frontier too */
    struct cw_host_address *address; /* the address that it went to, if the address has a limit */
    uint32_t address_limit;          /* requests at once to that address, without per_ip; 0: no limit */
    int64_t address_pause_us;        /* the pause there, without per_ip; 0: none */
    uint32_t limit;                  /* requests to the host at once, as of admission */
    cw_host_hold_by refused_by;      /* REFUSE only: GIVEN_UP, RETRY_AFTER */
    bool is_wall;       /* set by the caller before cw_host_pacer_done: the answer is a wall or a challenge */
    bool is_retry;      /* likewise: a page that was asked for before, and had no answer that stands */
    bool is_first_wall; /* set by cw_host_pacer_done: this is the first wall of its host */
    bool had_page;      /* set by cw_host_pacer_done: the host has answered with a page, now or before */
    char words[128];    /* REFUSE only */
} cw_host_pass;

/* The limit for a slow or new host: at most an even share of all connections at once. A slow host gets none while there
 * is no room for slow hosts. The probe of a host that is given up needs no claim. */
typedef struct cw_host_claim {
    uint32_t share;
    uint32_t connections; /* of all hosts; at least 1 */
    bool has_room;
} cw_host_claim;

/* Tells whether the request may be made now. CW_ADMIT_WAIT: not before pass->wait_us from now; if no connection is left
 * for the host, pass->no_share is set, and the wait grows each time in a row, and with the number of such hosts.
 * CW_ADMIT_REFUSE: pass->words says why. claim NULL: there are enough connections. */
cw_host_admission cw_host_pacer_admit(cw_host_pacer *pacer, cw_host_record *host, const cw_host_claim *claim,
                                      cw_host_pass *pass);

/* Marks the host as slow. Call when one of its requests under way has become slow (lane.h). */
void cw_host_pacer_slow(cw_host_pacer *pacer, cw_host_record *host);

/* Lets the request leave for this address if it may now; it then counts as left. CRAWL_AGAIN: it must not leave;
 * pass->wait_us says for how long, 0 if cw_host_pacer_admit would refuse it. */
crawl_err cw_host_pacer_start(cw_host_pacer *pacer, cw_host_record *host, crawl_slice ip, cw_host_pass *pass);

/* Starts the pauses of the host and the address. Call after cw_host_pacer_start, once nothing can delay the request any
 * more. CRAWL_AGAIN: it must not leave, since its host was held meanwhile, or another request was let go; pass->wait_us
 * says for how long. */
crawl_err cw_host_pacer_left(cw_host_pacer *pacer, cw_host_record *host, cw_host_pass *pass);

/* Call for an admitted request that did not leave, and will not: it is no longer under way. */
void cw_host_pacer_unasked(cw_host_pacer *pacer, cw_host_record *host, cw_host_pass *pass);

/* The effect of an answer, for the frontier and for the records. */
typedef struct cw_host_pacer_effect {
    bool pause_changed; /* since the last effect */
    int64_t pause_us;   /* the shortest that the next pause may be */
    int64_t hold_us;    /* how long the host is held from now; 0: it is not held */
    cw_host_hold_by hold_by;
    bool is_blocked; /* by the person who runs the crawl */
} cw_host_pacer_effect;

/* The request is over, even if response->error is CANCELLED. retry_after_us: the pause that the host asked for;
 * negative: none. quota: the quota that the host has stated. */
cw_host_pacer_effect cw_host_pacer_done(cw_host_pacer *pacer, cw_host_record *host, const crawl_response *response,
                                        int64_t retry_after_us, const cw_host_quota *quota, cw_host_pass *pass);

/* Sets the pause that the host's robots.txt asks for (already cut to its maximum; 0: none). */
cw_host_pacer_effect cw_host_pacer_crawl_delay(cw_host_pacer *pacer, cw_host_record *host, int64_t delay_us);

/* Sets the delay of all hosts that have no other in a section. */
void cw_host_pacer_set_delay(cw_host_pacer *pacer, int64_t delay_us);
/* Returns the effect of a delay that was set for the host (steer.h). */
cw_host_pacer_effect cw_host_pacer_look(cw_host_pacer *pacer, cw_host_record *host);

/* Return the rules in force for the host, and how many requests it may have at once. Call with its record locked. */
cw_host_pace_rules cw_host_pacer_rules(const cw_host_pacer *pacer, const cw_host_record *host);
uint32_t cw_host_pacer_limit(const cw_host_pacer *pacer, const cw_host_record *host, int64_t now_us);

/* Holds the host for this long, by a Retry-After that another process got. */
void cw_host_pacer_hold(cw_host_pacer *pacer, cw_host_record *host, int64_t hold_us);

/* Returns how long the host is held from now; 0: it is not held. */
int64_t cw_host_pacer_held(cw_host_pacer *pacer, cw_host_record *host, cw_host_hold_by *by);

/* The gate that every request passes twice, by the pace of its host (see pace.h): when it is leased
 * (cw_host_pacer_admit) and when it leaves (cw_host_pacer_start). All that it keeps of a host stands in the host's
 * record. The frontier is told of pauses and holds too, so that it rarely leases what must wait; that they are kept,
 * and stand in the records as they were, is the gate's doing.
 *
 * With per_ip, hosts whose requests went to one address share its pause and its limit at once. Which address that is, a
 * host's first connection tells: if another host has just been asked there, the request does not leave over it but
 * comes back later. From then on each such host is given the next free moment of its address in advance. Without per_ip
 * the same holds more loosely: at an address of the internet there are per_address requests at once at most,
 * address_pause apart, of however many hosts.
 *
 * Thread-safe. The clock is read under the lock of the host and, where its address has a limit, under that of the
 * addresses too, so that all threads agree which of two events at a host or an address came first. Memory: about 100
 * bytes for each address with a limit; max_hosts bounds their number. */
#ifndef CW_PACER_H
#define CW_PACER_H

#include "crawler/engine/host/host_table.h"

typedef struct cw_host_pacer cw_host_pacer;

typedef struct cw_host_pacer_options {
    cw_host_pace_rules rules;
    bool per_ip;
    uint32_t per_host; /* requests at once; kept here for addresses, for hosts by the frontier or, with limits, here too
                        */
    bool limits;       /* the frontier lets more of a host through */
    uint32_t per_address;     /* requests at once to an address, without per_ip; 0: any number */
    int64_t address_pause_us; /* likewise between two of them */
    bool per_address_private; /* at addresses that are not the internet's, too */
    uint64_t max_hosts;       /* addresses with a limit, 0: any number; hosts beyond that of the table keep to the delay
                                 alone */
    uint64_t seed;            /* of jitter */
    bool resumed; /* another process may have asked every host until now, and told the frontier of any pause */
    int64_t (*clock_us)(void); /* does not go back */
} cw_host_pacer_options;

/* NULL: no memory. To be freed before the records of the hosts. */
cw_host_pacer *cw_host_pacer_create(const cw_host_pacer_options *options);
void cw_host_pacer_free(cw_host_pacer *pacer);

/* A request on its way through the gate; {0} before. */
typedef struct cw_host_pass {
    int64_t pause_us; /* in force when it was admitted */
    cw_host_pace_by by;
    bool probe;
    bool counted;        /* among the host's requests under way */
    bool slow;           /* the host was, when it was admitted */
    bool no_share;       /* of WAIT: all connections that the host may have are in use */
    int64_t admitted_us; /* 0: was not */
    int64_t started_us;  /* 0: did not leave */
    int64_t ended_us;
    uint64_t seq;               /* of the host's requests, from 1; 0: the host has no pace of its own */
    int64_t wait_us;            /* of WAIT and AGAIN: from now */
    void *place;                /* where it went, if its address has a limit */
    uint32_t address_limit;     /* of it, without per_ip; 0: none */
    int64_t address_pause_us;   /* likewise */
    uint32_t limit;             /* requests at once, when it was admitted */
    cw_host_hold_by refused_by; /* of REFUSE: GIVEN_UP, RETRY_AFTER */
    char words[128];            /* of REFUSE */
} cw_host_pass;

/* The rules of a host's record, where they are known, go before rules.delay_us and per_host. */

/* The connections that a host may have at once if it is slow, or has hardly answered yet: an even share of them, and
 * none while there is no room for slow hosts. One that is given up needs none. */
typedef struct cw_host_claim {
    uint32_t share;
    bool has_room;
} cw_host_claim;

/* CW_ADMIT_WAIT: pass->wait_us; with pass->no_share for want of a connection, longer each time that it was in vain.
 * CW_ADMIT_REFUSE: pass->words. claim: NULL: there are connections enough. */
cw_host_admission cw_host_pacer_admit(cw_host_pacer *pacer, cw_host_record *host, const cw_host_claim *claim,
                                      cw_host_pass *pass);

/* A request to the host takes longer than an answer should. */
void cw_host_pacer_slow(cw_host_pacer *pacer, cw_host_record *host);

/* The request leaves for this address now. CRAWL_AGAIN: it must not leave; pass->wait_us says for how long, 0 where
 * cw_host_pacer_admit refuses it. */
crawl_err cw_host_pacer_start(cw_host_pacer *pacer, cw_host_record *host, crawl_slice ip, cw_host_pass *pass);

/* The request did not leave, and will not. */
void cw_host_pacer_unasked(cw_host_pacer *pacer, cw_host_record *host, cw_host_pass *pass);

/* The effect of an answer, for the frontier and for the records. */
typedef struct cw_host_pacer_effect {
    bool pause_changed;
    int64_t pause_us; /* the least that the next one may be */
    int64_t hold_us;  /* from now; 0: none in force */
    cw_host_hold_by hold_by;
    bool is_blocked; /* by whoever runs the crawl */
} cw_host_pacer_effect;

/* The request is over; response->error CANCELLED too. retry_after_us: what the host asked for, negative: nothing. */
cw_host_pacer_effect cw_host_pacer_done(cw_host_pacer *pacer, cw_host_record *host, const crawl_response *response,
                                        int64_t retry_after_us, cw_host_pass *pass);

/* The host's robots.txt asks for this pause (already cut to its maximum; 0: for none). */
cw_host_pacer_effect cw_host_pacer_crawl_delay(cw_host_pacer *pacer, cw_host_record *host, int64_t delay_us);

/* Sets the delay of all hosts that have no other in a section. */
void cw_host_pacer_set_delay(cw_host_pacer *pacer, int64_t delay_us);
/* The pause that holds after the delay of the host was changed (steer.h). */
cw_host_pacer_effect cw_host_pacer_look(cw_host_pacer *pacer, cw_host_record *host);

/* The rules that hold for the host. To be called under the lock of its record. */
cw_host_pace_rules cw_host_pacer_rules(const cw_host_pacer *pacer, const cw_host_record *host);
uint32_t cw_host_pacer_limit(const cw_host_pacer *pacer, const cw_host_record *host);

/* The host has asked for this by a Retry-After that another process got. */
void cw_host_pacer_hold(cw_host_pacer *pacer, cw_host_record *host, int64_t hold_us);

/* How long the host is held from now; 0: it is not. */
int64_t cw_host_pacer_held(cw_host_pacer *pacer, cw_host_record *host, cw_host_hold_by *by);

#endif

/* The connections of a worker, and how many of them slow hosts may have: hosts that hang must not take them all.
 *
 * A transfer is slow when its host was slow the last time, and otherwise as soon as it has taken CW_HOST_SLOW_US. A
 * slow host gets another connection only as long as slow transfers leave a quarter of the connections free. A host that
 * hangs cannot be told from others before it does. So when all connections are taken and other hosts wait, slow
 * transfers whose hosts were not known as slow when they began go back to the queue, the youngest first, until a
 * quarter of the connections at most is left to such transfers, and three quarters to slow ones of both sorts; from
 * then on their hosts are known as slow. So three quarters of the connections come free every second for hosts that
 * were not asked yet. (Of fewer than four connections none is left free.) Pure: times go in, in microseconds of a clock
 * that does not go back. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

/* Longer than most answers take, and short against the time after which a transfer is given up. */
#define CW_HOST_SLOW_US ((int64_t)1000 * 1000)

/* A transfer, as the lane counts it. */
typedef struct cw_host_lane_entry {
    TAILQ_ENTRY(cw_host_lane_entry) link;
    int64_t since_us;
    bool inside; /* it is in a lane */
    bool slow;
    bool known;    /* its host was known as slow when it began: it does not yield */
    bool yielding; /* it was told to go back to the queue */
} cw_host_lane_entry;

typedef struct cw_host_lane {
    TAILQ_HEAD(cw_lane_list, cw_host_lane_entry) entries; /* first begun first */
    cw_host_lane_entry *young;                            /* the first whose time is not over; NULL: there is none */
    unsigned capacity;
    unsigned count;
    unsigned slow;
    unsigned strange;  /* of the slow ones, those that were not known as slow */
    unsigned yielding; /* of the strange ones, those that were told to go back */
} cw_host_lane;

void cw_host_lane_init(cw_host_lane *lane, unsigned capacity);

/* Is there a connection for a host that is slow? */
bool cw_host_lane_has_room(const cw_host_lane *lane);

/* Adds a transfer that begins now. known: its host is known as slow. */
void cw_host_lane_enter(cw_host_lane *lane, cw_host_lane_entry *entry, bool known, int64_t now_us);
/* Takes the transfer out of the lane; does nothing where it is in none. */
void cw_host_lane_leave(cw_host_lane *lane, cw_host_lane_entry *entry);

/* Marks the next transfer as slow that has become so; NULL: there is no other. */
cw_host_lane_entry *cw_host_lane_turned_slow(cw_host_lane *lane, int64_t now_us);

/* Microseconds from now until a request that is under way may count as slow; INT64_MAX: none will. */
int64_t cw_host_lane_next_us(const cw_host_lane *lane, int64_t now_us);

/* Marks the next transfer that has to go back to the queue. To be called while other hosts wait for a connection; NULL:
 * not all connections are taken, or none has to. */
cw_host_lane_entry *cw_host_lane_yield(cw_host_lane *lane);

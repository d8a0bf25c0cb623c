/* The connections of a worker, and how many of them slow hosts may have: hosts that hang must not take them all.
 *
 * A transfer is slow from the start if its host was slow the last time, and otherwise once it has taken
 * CW_HOST_SLOW_US. A slow host gets another connection only while slow transfers leave a quarter of the connections
 * free. A host that hangs looks like any other until it does. So if all connections are taken and other hosts wait,
 * slow transfers whose hosts were not known as slow at their start go back to the queue, the youngest first. They do so
 * until they have at most a quarter of the connections, and all slow transfers together at most three quarters. Their
 * hosts are known as slow from then on. So every second three quarters of the connections become free for hosts that
 * were not asked yet. (With fewer than four connections none is kept free.) Pure: times are arguments, in microseconds
 * of a monotonic clock. */
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
    bool inside; /* in a lane */
    bool slow;
    bool known;    /* its host was known as slow at the start: it does not yield */
    bool stays;    /* it must not be sent twice: it does not yield */
    bool yielding; /* told to go back to the queue */
} cw_host_lane_entry;

typedef struct cw_host_lane {
    TAILQ_HEAD(cw_lane_list, cw_host_lane_entry) entries; /* in the order of their start */
    cw_host_lane_entry *young;                            /* the first that is not due to turn slow; NULL: none */
    unsigned capacity;
    unsigned count;
    unsigned slow;
    unsigned strange;  /* slow transfers whose hosts were not known as slow */
    unsigned yielding; /* strange transfers that were told to go back */
} cw_host_lane;

void cw_host_lane_init(cw_host_lane *lane, unsigned capacity);

/* Returns true if a slow host may have another connection. */
bool cw_host_lane_has_room(const cw_host_lane *lane);

/* Adds a transfer that begins now. known: its host is known as slow. */
void cw_host_lane_enter(cw_host_lane *lane, cw_host_lane_entry *entry, bool known, int64_t now_us);
/* Takes the transfer out of its lane; does nothing if it is in none. */
void cw_host_lane_leave(cw_host_lane *lane, cw_host_lane_entry *entry);

/* Marks the next transfer that has turned slow as slow. NULL: no more. */
cw_host_lane_entry *cw_host_lane_turned_slow(cw_host_lane *lane, int64_t now_us);

/* Returns the microseconds until a request under way may count as slow; INT64_MAX: none will. */
int64_t cw_host_lane_next_us(const cw_host_lane *lane, int64_t now_us);

/* Marks the next transfer that has to go back to the queue. Call while other hosts wait for a connection. NULL: a
 * connection is free, or no transfer has to go: without a capacity it would go for nobody. */
cw_host_lane_entry *cw_host_lane_yield(cw_host_lane *lane);

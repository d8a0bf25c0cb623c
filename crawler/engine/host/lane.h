/* The connections of a worker, and those among them that do not come to an end: hosts that hang must not take them all.
 *
 * A transfer is slow when its host was slow the last time, or from CW_HOST_SLOW_US on. Hosts that are slow get further
 * connections only as long as slow transfers leave a quarter free. They cannot be told from others before they hang:
 * should the last connection be taken while other hosts wait, those that nobody knew go back to the queue as soon as
 * they are slow, the youngest first, until they have a quarter of the connections, and slow ones no more than three
 * quarters; from then on their hosts are known. So every second three quarters of the connections come to hosts that
 * were not asked yet. (Of fewer than four connections none is left free.) Pure: times go in, in microseconds of a clock
 * that does not go back. */
#ifndef CW_LANE_H
#define CW_LANE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

/* Longer than most answers take, and short against the time after which a transfer is given up. */
#define CW_HOST_SLOW_US ((int64_t)1000 * 1000)
typedef struct cw_host_lane_entry {
    TAILQ_ENTRY(cw_host_lane_entry) link;
    int64_t since_us;
    bool inside; /* of a lane */
    bool slow;
    bool known;    /* as slow, when it began: does not yield */
    bool yielding; /* has been told to go back */
} cw_host_lane_entry;

typedef struct cw_host_lane {
    TAILQ_HEAD(cw_lane_list, cw_host_lane_entry) entries; /* first begun first */
    cw_host_lane_entry *young;                            /* the first whose time is not over; NULL: there is none */
    unsigned capacity;
    unsigned count;
    unsigned slow;
    unsigned strange;  /* of the slow ones, those that were not known as slow */
    unsigned yielding; /* of these */
} cw_host_lane;

void cw_host_lane_init(cw_host_lane *lane, unsigned capacity);

/* Is there a connection for a host that is slow? */
bool cw_host_lane_has_room(const cw_host_lane *lane);

/* known: its host is slow. */
void cw_host_lane_enter(cw_host_lane *lane, cw_host_lane_entry *entry, bool known, int64_t now_us);
/* Nothing where it is not inside. */
void cw_host_lane_leave(cw_host_lane *lane, cw_host_lane_entry *entry);

/* The next one that has become slow; NULL: no more. */
cw_host_lane_entry *cw_host_lane_turned_slow(cw_host_lane *lane, int64_t now_us);

/* Microseconds from now until a request that is under way may count as slow; INT64_MAX: none will. */
int64_t cw_host_lane_next_us(const cw_host_lane *lane, int64_t now_us);

/* The next one that has to go back, where all connections are taken and other hosts wait for one; NULL: none. */
cw_host_lane_entry *cw_host_lane_yield(cw_host_lane *lane);

#endif

/* The invariants of a shared crawl's store, for check_frontier. */
#pragma once

#include "shared/store/hold.h"
#include "shared/store/joint.h"
#include "shared/store/joint_notes.h"
#include "tests/support/frontier_check.h"

static inline uint64_t count_strays(const crawl_frontier *frontier)
{
    uint64_t count = 0;
    size_t cursor = 0;
    for (const cw_frontier_host *host; (host = cw_map_next(frontier->hosts.map, &cursor));)
        if (!cw_joint_hold_of(cw_joint_of(frontier), host))
            count += cw_frontier_queue_count(&host->queues[CW_URGENT]);
    return count;
}

static inline const char *check_joint(crawl_frontier *frontier, uint64_t *bytes)
{
    const cw_joint *joint = cw_joint_of(frontier);
    size_t held = 0;
    *bytes += bytes_of_notes(joint->notes->map);
    *bytes += bytes_of_notes(joint->notes->read);
    for (size_t i = 0; i < joint->holds->numbers; i++) {
        const cw_joint_hold *hold = joint->holds->by_number[i];
        held += hold != NULL;
        if (hold && hold->host->number != i)
            return "J1: a hold stands under the number of another host";
        if (hold && hold->host->away != (hold->stage != CW_JOINT_HELD || hold->yields))
            return "J2: a host may be leased from that is not held or yields, or the reverse";
    }
    if (count_strays(frontier) != joint->holds->stray_requests)
        return "J4: another number of urgent requests at hosts without a hold";
    return held == joint->holds->held ? NULL : "J3: another number of holds";
}

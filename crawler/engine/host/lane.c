#include "crawler/engine/host/lane.h"

#include <stddef.h>

static unsigned most_slow(const cw_host_lane *lane)
{
    return lane->capacity - lane->capacity / 4;
}

/* Returns how many slow transfers of hosts that were not known as slow may stay while other hosts wait. */
static unsigned most_strange(const cw_host_lane *lane)
{
    return (lane->capacity + 3) / 4;
}

void cw_host_lane_init(cw_host_lane *lane, unsigned capacity)
{
    *lane = (cw_host_lane){.capacity = capacity};
    TAILQ_INIT(&lane->entries);
}

bool cw_host_lane_has_room(const cw_host_lane *lane)
{
    return lane->slow < most_slow(lane);
}

void cw_host_lane_enter(cw_host_lane *lane, cw_host_lane_entry *entry, bool known, int64_t now_us)
{
    *entry = (cw_host_lane_entry){.since_us = now_us, .inside = true, .slow = known, .known = known};
    TAILQ_INSERT_TAIL(&lane->entries, entry, link);
    if (!lane->young)
        lane->young = entry;
    lane->count++;
    lane->slow += known;
}

void cw_host_lane_leave(cw_host_lane *lane, cw_host_lane_entry *entry)
{
    if (!entry->inside)
        return;
    if (lane->young == entry)
        lane->young = TAILQ_NEXT(entry, link);
    TAILQ_REMOVE(&lane->entries, entry, link);
    lane->count--;
    lane->slow -= entry->slow;
    lane->strange -= entry->slow && !entry->known;
    lane->yielding -= entry->yielding;
    entry->inside = false;
}

cw_host_lane_entry *cw_host_lane_turned_slow(cw_host_lane *lane, int64_t now_us)
{
    while (lane->young && now_us - lane->young->since_us >= CW_HOST_SLOW_US) {
        cw_host_lane_entry *entry = lane->young;
        lane->young = TAILQ_NEXT(entry, link);
        if (entry->slow)
            continue;
        entry->slow = true;
        lane->slow++;
        lane->strange++;
        return entry;
    }
    return NULL;
}

int64_t cw_host_lane_next_us(const cw_host_lane *lane, int64_t now_us)
{
    int64_t turns_us = lane->young ? lane->young->since_us + CW_HOST_SLOW_US : INT64_MAX;
    return turns_us == INT64_MAX ? turns_us : turns_us > now_us ? turns_us - now_us : 0;
}

static bool may_yield(const cw_host_lane_entry *entry)
{
    return entry->slow && !entry->known && !entry->stays && !entry->yielding;
}

cw_host_lane_entry *cw_host_lane_yield(cw_host_lane *lane)
{
    bool too_many =
        lane->strange - lane->yielding > most_strange(lane) || lane->slow - lane->yielding > most_slow(lane);
    bool is_full = lane->capacity && lane->count >= lane->capacity;
    if (!is_full || !too_many)
        return NULL;
    cw_host_lane_entry *entry = TAILQ_LAST(&lane->entries, cw_lane_list);
    while (entry && !may_yield(entry))
        entry = TAILQ_PREV(entry, cw_lane_list, link);
    if (!entry)
        return NULL;
    entry->yielding = true;
    lane->yielding++;
    return entry;
}

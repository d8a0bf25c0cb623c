#include "redis/owners.h"

#include "redis/redis_slots.h"

#include <stdlib.h>

void cw_redis_owners_free(cw_redis_owners *owners)
{
    free(owners->nodes);
    free(owners->returns);
    owners->nodes = NULL;
    owners->returns = NULL;
}

bool cw_redis_owners_begin(cw_redis_owners *owners, cw_redis_node *node)
{
    if (owners->nodes)
        return true;
    owners->nodes = calloc(CW_REDIS_SLOTS, sizeof(cw_redis_node *));
    owners->returns = calloc(CW_REDIS_SLOTS, sizeof *owners->returns);
    owners->is_guess = true;
    if (!owners->nodes || !owners->returns) {
        cw_redis_owners_free(owners);
        return false;
    }
    for (size_t slot = 0; slot < CW_REDIS_SLOTS; slot++)
        owners->nodes[slot] = node;
    return true;
}

/* Returns true if the node gets a slot that another node had. */
static bool is_moved(const cw_redis_owners *owners, unsigned slot, const cw_redis_node *node)
{
    const cw_redis_node *before = owners->nodes[slot];
    return !owners->is_guess && before && node && node != before;
}

static void set_owner(cw_redis_owners *owners, unsigned slot, cw_redis_node *node)
{
    if (is_moved(owners, slot, node))
        owners->returns[slot] += cw_redis_node_is_away(owners->nodes[slot]);
    owners->moves += !owners->is_guess && owners->nodes[slot] != node;
    owners->nodes[slot] = node;
}

void cw_redis_owners_move(cw_redis_owners *owners, unsigned slot, cw_redis_node *node)
{
    bool moved = is_moved(owners, slot, node);
    set_owner(owners, slot, node);
    if (moved)
        cw_redis_node_inherit(node);
}

void cw_redis_owners_take(cw_redis_owners *owners, cw_redis_node *const *nodes)
{
    cw_redis_node *heir = NULL;
    for (unsigned slot = 0; slot < CW_REDIS_SLOTS; slot++) {
        bool moved = is_moved(owners, slot, nodes[slot]);
        set_owner(owners, slot, nodes[slot]);
        if (moved && nodes[slot] != heir) { /* slots of a node are adjacent */
            heir = nodes[slot];
            cw_redis_node_inherit(heir);
        }
    }
    owners->is_guess = false;
}

void cw_redis_owners_return(cw_redis_owners *owners, const cw_redis_node *node)
{
    owners->returns_before += !owners->nodes;
    for (unsigned slot = 0; owners->nodes && slot < CW_REDIS_SLOTS; slot++)
        owners->returns[slot] += owners->nodes[slot] == node;
}

uint64_t cw_redis_owners_returns(const cw_redis_owners *owners, int slot)
{
    return owners->returns_before + (owners->nodes && slot != CW_REDIS_NO_SLOT ? owners->returns[slot] : 0);
}

int cw_redis_owners_first(const cw_redis_owners *owners, const cw_redis_node *node)
{
    for (int slot = 0; owners->nodes && slot < (int)CW_REDIS_SLOTS; slot++)
        if (owners->nodes[slot] == node)
            return slot;
    return CW_REDIS_NO_SLOT;
}

size_t cw_redis_owners_unserved(const cw_redis_owners *owners)
{
    size_t count = 0;
    for (size_t slot = 0; owners->nodes && slot < CW_REDIS_SLOTS; slot++)
        count += !owners->nodes[slot];
    return count;
}

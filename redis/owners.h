/* Which node of a Redis Cluster has which slot, as far as is known; and how often the keys of each slot may have come
 * back without something that was acknowledged. */
#pragma once

#include "redis/node.h"

/* {0}: it is no cluster, as far as known. */
typedef struct cw_redis_owners {
    cw_redis_node **nodes;   /* of the slots; NULL in place of one that nobody has */
    uint32_t *returns;       /* likewise */
    uint64_t returns_before; /* of the one server that there was before there were slots */
    bool is_guess;           /* nobody has said who has them */
} cw_redis_owners;

void cw_redis_owners_free(cw_redis_owners *owners);

/* Makes a table in which one node has all slots, unless there is one. False: no memory. */
bool cw_redis_owners_begin(cw_redis_owners *owners, cw_redis_node *node);
/* The slot has another node. One that is moved takes its keys along; a replica that takes over may have fewer than its
 * master had. */
void cw_redis_owners_move(cw_redis_owners *owners, unsigned slot, cw_redis_node *node);
/* Takes over what nodes[slot] says of all slots. */
void cw_redis_owners_take(cw_redis_owners *owners, cw_redis_node *const *nodes);
/* The data of the node may have gone back. */
void cw_redis_owners_return(cw_redis_owners *owners, const cw_redis_node *node);

/* How often that may have happened to a slot, or CW_REDIS_NO_SLOT. */
uint64_t cw_redis_owners_returns(const cw_redis_owners *owners, int slot);

/* The first slot that a node has, or CW_REDIS_NO_SLOT. */
int cw_redis_owners_first(const cw_redis_owners *owners, const cw_redis_node *node);
/* Slots that nobody has. */
size_t cw_redis_owners_unserved(const cw_redis_owners *owners);

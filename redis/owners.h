/* The table of a Redis Cluster: the node of each slot, as far as known, and how often acknowledged data of each slot
 * may have been lost. */
#pragma once

#include "redis/node.h"

/* {0}: not a cluster, as far as known. */
typedef struct cw_redis_owners {
    cw_redis_node **nodes;   /* by slot; NULL: nobody has it */
    uint32_t *returns;       /* by slot */
    uint64_t returns_before; /* of the only server, before slots were known */
    uint64_t moves;          /* slots that have changed their node */
    bool is_guess;           /* no node has told the owners yet */
} cw_redis_owners;

void cw_redis_owners_free(cw_redis_owners *owners);

/* Gives all slots to one node, unless there is a table already. False: out of memory. */
bool cw_redis_owners_begin(cw_redis_owners *owners, cw_redis_node *node);
/* Assigns the slot to another node. A moved slot takes its keys along; a replica that takes over may have fewer keys
 * than its master had. */
void cw_redis_owners_move(cw_redis_owners *owners, unsigned slot, cw_redis_node *node);
/* Takes over the owners of all slots from nodes[slot]. */
void cw_redis_owners_take(cw_redis_owners *owners, cw_redis_node *const *nodes);
/* Counts that the data of the node may have gone back. */
void cw_redis_owners_return(cw_redis_owners *owners, const cw_redis_node *node);

/* Returns how often data of a slot, or of CW_REDIS_NO_SLOT, may have gone back. */
uint64_t cw_redis_owners_returns(const cw_redis_owners *owners, int slot);

/* Returns the first slot of a node, or CW_REDIS_NO_SLOT. */
int cw_redis_owners_first(const cw_redis_owners *owners, const cw_redis_node *node);
/* Counts the slots that nobody has. */
size_t cw_redis_owners_unserved(const cw_redis_owners *owners);

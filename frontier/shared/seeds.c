/* See seeds.h. */
#include "frontier/shared/state.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of seeds that are kept, with all that belongs to them. */
#define SEEDS_BYTES ((size_t)4 << 20)

cw_joint_link *cw_joint_link_copy(const cw_joint_link *link)
{
    cw_joint_link *copy = malloc(link->size);
    if (!copy)
        return NULL;
    memcpy(copy, link, link->size);
    copy->next = NULL;
    copy->request.origin.data = copy->texts;
    copy->request.print = copy->print;
    copy->request.bytes.data = copy->texts + copy->request.origin.size;
    return copy;
}

void cw_joint_seed_keep(cw_joint *joint, const cw_joint_link *link)
{
    bool has_room = joint->seeds.bytes + link->size <= SEEDS_BYTES;
    cw_joint_link *copy = has_room ? cw_joint_link_copy(link) : NULL;
    joint->seeds.are_cut = joint->seeds.are_cut || !copy;
    if (!copy)
        return;
    copy->next = joint->seeds.first;
    joint->seeds.first = copy;
    joint->seeds.bytes += copy->size;
}

void cw_joint_seeds_free(cw_joint *joint)
{
    while (joint->seeds.first) {
        cw_joint_link *next = joint->seeds.first->next;
        free(joint->seeds.first);
        joint->seeds.first = next;
    }
}

#include "shared/store/joint_state.h"

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

void cw_joint_seeds_note_unfed(cw_joint *joint, uint64_t unfed, bool is_end)
{
    bool is_told = unfed > joint->seeds.unfed || (unfed && is_end);
    joint->seeds.unfed = unfed;
    if (is_told && joint->options.on_words)
        joint->options.on_words(joint->options.user,
                                "seeds may be missing: a process of this crawl ended before all of its seeds were in "
                                "Redis; give them again");
}

void cw_joint_feed(cw_joint *joint, bool feeding)
{
    cw_frontier_enter(joint->frontier, INT64_MIN);
    joint->feeding = feeding;
    joint->is_drained = joint->is_drained && !feeding;
    joint->fed_epoch = joint->epoch;
    cw_frontier_leave(joint->frontier);
}

cw_shared_feeding cw_joint_seeds_done(const cw_joint *joint)
{
    bool had_some = joint->seeds.first || joint->seeds.are_cut;
    return joint->seeds.are_for_all && had_some ? CW_SHARED_FED_FOR_ALL : CW_SHARED_FED;
}

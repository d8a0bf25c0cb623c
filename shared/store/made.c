/* Whether the crawl that this process has joined is still there. A server that keeps nothing comes back empty, a node
 * of a cluster gets slots without their keys, and another server may have come to an address: that nothing is left
 * there does not mean that this crawl is over, and what this process has found does not belong there. Every script
 * finds out before it does anything (shared/protocol/scripts/common.lua). What is read without one is read after the
 * question which crawl it is, that is asked before all else whenever the connection is made anew, and with each look at
 * the whole. */
#include "shared/store/joint_state.h"

static void made_take_answer(cw_joint *joint, const crawl_redis_reply *reply)
{
    crawl_slice made = reply->type == CRAWL_REDIS_TEXT ? reply->text : (crawl_slice){0};
    joint->knows_crawl = cw_shared_is_joined(joint->shared, made);
    if (!joint->knows_crawl)
        cw_joint_lose(joint, made.size ? CW_SHARED_OTHER : CW_SHARED_LOST, (crawl_slice){0});
}

static void on_made(void *user, const crawl_redis_answer *said)
{
    cw_joint *joint = user;
    joint->is_asking_made = false;
    if (said->fault)
        cw_joint_fault(joint, said->fault, said->words);
    else
        made_take_answer(joint, said->reply);
}

void cw_joint_made_ask(cw_joint *joint)
{
    if (!joint->is_asking_made)
        joint->is_asking_made = cw_shared_read_made(joint->shared, on_made, joint) == CRAWL_OK;
}

bool cw_joint_made_is_known(cw_joint *joint)
{
    if (joint->is_up && !joint->knows_crawl)
        cw_joint_made_ask(joint);
    return !joint->is_up || joint->knows_crawl;
}

/* Whether the crawl that this process has joined is still there. A server that keeps nothing comes back empty, and
 * another server may have come to its address: that nothing is left there does not mean that this crawl is over, and
 * what this process has found does not belong there. So it asks which crawl it is, before all else, whenever the
 * connection is made anew, and with each look at the whole. */
#include "frontier/shared/state.h"

#include "base/bytes.h"
#include "redis/shared/shared.h"

static const char lost_words[] =
    "redis has lost the crawl: its server came back without it, and what was queued is gone; see appendonly in "
    "redis.conf";
static const char other_words[] = "redis has another crawl of this name than the one that was joined";

/* The text of a reply as it is kept, cut where it is longer. */
static crawl_slice text_of(const crawl_redis_reply *reply)
{
    crawl_slice text = reply->type == CRAWL_REDIS_TEXT ? reply->text : (crawl_slice){0};
    return crawl_slice_of(text.data, text.size < CW_JOINT_MADE ? text.size : CW_JOINT_MADE);
}

static void take_answer(cw_joint *joint, crawl_slice made)
{
    if (made.size && !joint->made_size) {
        memcpy(joint->made_text, made.data, made.size);
        joint->made_size = made.size;
    }
    joint->knows_crawl = made.size && crawl_slice_equal(made, crawl_slice_of(joint->made_text, joint->made_size));
    if (!joint->knows_crawl)
        cw_joint_break(joint, CRAWL_EIO, made.size ? other_words : lost_words);
}

static void on_made(void *user, const crawl_redis_answer *said)
{
    cw_joint *joint = user;
    joint->is_asking_made = false;
    if (said->fault)
        cw_joint_fault(joint, said->fault, said->words);
    else
        take_answer(joint, text_of(said->reply));
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

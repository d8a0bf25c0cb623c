/* How processes that have nothing to do hear of what others bring, without asking all partitions time and again: each
 * process says now and then in which partitions it has stirred something up, by pushing requests or by giving a host
 * back, and whoever wants hosts reads what all have said, in one question. A word may be lost with the process that was
 * to say it; so each partition is asked now and then all the same. */
#include "base/clock.h"
#include "shared/store/joint_state.h"

#include <string.h>

enum { TELL_US = 100 * 1000, READ_US = 250 * 1000, SIZE = CW_SHARED_STIR_SIZE };

int64_t cw_joint_rest_ms(const cw_joint *joint)
{
    int64_t third_ms = joint->options.lease_ms / 3;
    int64_t rest_ms = third_ms < CW_JOINT_REST_MS ? third_ms : CW_JOINT_REST_MS;
    return rest_ms > CW_JOINT_LOOK_MS ? rest_ms : CW_JOINT_LOOK_MS;
}

/* ---- said ---- */

void cw_joint_stir(cw_joint *joint, unsigned partition, uint64_t epoch)
{
    cw_joint_stir_word *word = &joint->stirs[partition];
    if (!word->is_due)
        word->epoch = epoch;
    word->is_due = true;
    word->last_epoch = epoch;
    joint->has_moved = true;
}

static void joint_stir_on_told(void *user, crawl_redis_fault fault, const char *words)
{
    cw_joint *joint = user;
    joint->is_telling_stirs = false;
    for (unsigned i = 0; i < CW_SHARED_STIRS; i++) {
        joint->stirs[i].is_due = joint->stirs[i].is_due || (fault && joint->stirs[i].is_out);
        joint->stirs[i].is_out = false;
    }
    if (fault)
        cw_joint_fault(joint, fault, words);
}

/* What was pushed in an epoch that is not acknowledged may not be there yet. */
static size_t joint_stir_gather(cw_joint *joint, unsigned numbers[CW_SHARED_STIRS])
{
    size_t count = 0;
    for (unsigned i = 0; i < CW_SHARED_STIRS; i++) {
        if (!joint->stirs[i].is_due || joint->stirs[i].epoch > joint->acknowledged)
            continue;
        joint->stirs[i].is_due = joint->stirs[i].last_epoch > joint->acknowledged;
        joint->stirs[i].epoch = joint->stirs[i].last_epoch;
        joint->stirs[i].is_out = true;
        numbers[count++] = i;
    }
    return count;
}

static void joint_stir_tell(cw_joint *joint, int64_t now_us)
{
    unsigned numbers[CW_SHARED_STIRS];
    if (joint->is_telling_stirs || now_us - joint->stirs_told_us < TELL_US)
        return;
    size_t count = joint_stir_gather(joint, numbers);
    if (!count)
        return;
    joint->stirs_told_us = now_us;
    joint->is_telling_stirs = true;
    if (cw_shared_stir(joint->shared, numbers, count, joint_stir_on_told, joint))
        joint_stir_on_told(joint, CRAWL_REDIS_UNSENT, "");
}

/* ---- read ---- */

/* Asks those partitions at the next turns whose word is another than the last time. */
static bool joint_stir_compare(cw_joint *joint, crawl_slice said)
{
    bool has_changed = false;
    for (size_t i = 0; i < CW_SHARED_STIRS; i++) {
        char now[SIZE] = {0};
        if ((i + 1) * SIZE <= said.size)
            memcpy(now, said.data + i * SIZE, SIZE);
        if (memcmp(now, joint->stirs_read + i * SIZE, SIZE) == 0)
            continue;
        memcpy(joint->stirs_read + i * SIZE, now, SIZE);
        has_changed = true;
        if (i < CW_SHARED_PARTITIONS)
            joint->partitions[i].due_us = 0;
    }
    return has_changed;
}

static void joint_stir_on_read(void *user, const crawl_redis_answer *said)
{
    cw_joint *joint = user;
    joint->is_reading_stirs = false;
    if (said->fault) {
        cw_joint_fault(joint, said->fault, said->words);
        return;
    }
    bool has_text = said->reply->type == CRAWL_REDIS_TEXT;
    joint->is_stirred = joint_stir_compare(joint, has_text ? said->reply->text : (crawl_slice){0});
    joint->has_moved = joint->has_moved || joint->is_stirred;
}

void cw_joint_stir_turn(cw_joint *joint, bool is_hungry, int64_t now_us)
{
    if (!joint->is_up)
        return;
    joint_stir_tell(joint, now_us);
    if (!is_hungry || joint->is_reading_stirs || now_us - joint->stirs_read_us < READ_US)
        return;
    joint->stirs_read_us = now_us;
    joint->is_reading_stirs = cw_shared_read_stirs(joint->shared, joint_stir_on_read, joint) == CRAWL_OK;
}

#include "shared/store/partitions.h"

#include "base/clock.h"
#include "shared/store/joint_clock.h"
#include "shared/store/spread.h"

enum {
    TELL_US = 100 * 1000,
    READ_US = 250 * 1000,
    OWN_US = 60 * 1000, /* within this time a process that wants hosts has asked for one it knows */
    SIZE = CW_SHARED_STIR_SIZE
};

/* ---- telling ---- */

/* Sets when to say it; the earliest time counts. */
static void partitions_say_at(cw_joint_stir_word *word, int64_t at_us)
{
    if (!word->due_us || at_us < word->due_us)
        word->due_us = at_us;
}

/* If this process takes the host itself as soon as possible, others need not look for it in vain. */
void cw_joint_stir(cw_joint *joint, unsigned partition, int64_t open_ms)
{
    int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
    cw_joint_stir_word *word = &joint->partitions->stirs[partition];
    if (partition == CW_SHARED_PARTITIONS) {
        joint->partitions->has_moved = true;
        partitions_say_at(word, now_us);
        return;
    }
    cw_joint_partition *of = &joint->partitions->of[partition];
    int64_t open_us = open_ms * 1000 - joint->clock->server_us;
    open_us = open_us > now_us ? open_us : now_us;
    of->is_sure = true;
    of->due_us = open_us < of->due_us ? open_us : of->due_us;
    partitions_say_at(word, cw_joint_spread_takes(joint) ? open_us + OWN_US : now_us);
}

void cw_joint_stir_host(cw_joint *joint, crawl_slice origin, int64_t open_ms)
{
    if (open_ms >= 0)
        cw_joint_stir(joint, cw_shared_partition(origin), open_ms);
    else if (!joint->holds->held)
        cw_joint_stir(joint, CW_SHARED_PARTITIONS, 0);
}

/* A time beyond half a lease is the deadline of a session, which needs no word. */
void cw_joint_stir_asked(cw_joint_partition *of)
{
    cw_joint *joint = of->joint;
    cw_joint_stir_word *word = &joint->partitions->stirs[of - joint->partitions->of];
    int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
    bool has_more = of->due_us - now_us < joint->options.lease_ms * 1000 / 2;
    if (word->due_us)
        word->due_us = has_more ? (of->due_us > now_us ? of->due_us : now_us) + OWN_US : 0;
}

static void partitions_on_told(void *user, crawl_redis_fault fault, const char *words)
{
    cw_joint *joint = user;
    joint->partitions->is_telling = false;
    for (unsigned i = 0; i < CW_SHARED_STIRS; i++) {
        cw_joint_stir_word *word = &joint->partitions->stirs[i];
        if (fault && word->is_out)
            word->due_us = 1;
        word->is_out = false;
    }
    if (fault)
        cw_joint_fault(joint, fault, words);
}

static size_t partitions_gather(cw_joint *joint, int64_t now_us, unsigned numbers[CW_SHARED_STIRS])
{
    size_t count = 0;
    for (unsigned i = 0; i < CW_SHARED_STIRS; i++) {
        cw_joint_stir_word *word = &joint->partitions->stirs[i];
        word->is_out = word->due_us && word->due_us <= now_us;
        if (!word->is_out)
            continue;
        word->due_us = 0;
        numbers[count++] = i;
    }
    return count;
}

static void partitions_tell(cw_joint *joint, int64_t now_us)
{
    unsigned numbers[CW_SHARED_STIRS];
    cw_joint_partitions *partitions = joint->partitions;
    bool is_closing = atomic_load(&joint->thread.closing); /* all is said at once: nobody says it later */
    if (partitions->is_telling || (!is_closing && now_us - partitions->told_us < TELL_US))
        return;
    size_t count = partitions_gather(joint, is_closing ? INT64_MAX : now_us, numbers);
    if (!count)
        return;
    partitions->told_us = now_us;
    partitions->is_telling = true;
    if (cw_shared_stir(joint->shared, numbers, count, partitions_on_told, joint))
        partitions_on_told(joint, CRAWL_REDIS_UNSENT, "");
}

bool cw_joint_stirs_are_told(const cw_joint *joint)
{
    const cw_joint_partitions *partitions = joint->partitions;
    bool is_told = !partitions->is_telling;
    for (unsigned i = 0; i < CW_SHARED_STIRS && is_told; i++)
        is_told = !partitions->stirs[i].due_us;
    return is_told;
}

/* ---- reading ---- */

/* Compares the words with the last reading. Partitions with a new word are asked in the next turns. */
static bool partitions_compare(cw_joint_partitions *partitions, crawl_slice said)
{
    bool has_changed = false;
    int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
    for (size_t i = 0; i < CW_SHARED_STIRS; i++) {
        char now[SIZE] = {0};
        if ((i + 1) * SIZE <= said.size)
            memcpy(now, said.data + i * SIZE, SIZE);
        if (memcmp(now, partitions->read + i * SIZE, SIZE) == 0)
            continue;
        memcpy(partitions->read + i * SIZE, now, SIZE);
        has_changed = true;
        if (i < CW_SHARED_PARTITIONS)
            partitions->of[i].due_us = now_us;
        else
            partitions->has_moved = true;
    }
    return has_changed;
}

static void partitions_on_read(void *user, const crawl_redis_answer *said)
{
    cw_joint *joint = user;
    cw_joint_partitions *partitions = joint->partitions;
    partitions->is_reading = false;
    if (said->fault) {
        cw_joint_fault(joint, said->fault, said->words);
        return;
    }
    bool has_text = said->reply->type == CRAWL_REDIS_TEXT;
    partitions->is_stirred = partitions_compare(partitions, has_text ? said->reply->text : (crawl_slice){0});
}

void cw_joint_stir_turn(cw_joint *joint, bool is_hungry, int64_t now_us)
{
    cw_joint_partitions *partitions = joint->partitions;
    if (!joint->is_up)
        return;
    partitions_tell(joint, now_us);
    if (!is_hungry || partitions->is_reading || now_us - partitions->read_us < READ_US)
        return;
    partitions->read_us = now_us;
    partitions->is_reading = cw_shared_read_stirs(joint->shared, partitions_on_read, joint) == CRAWL_OK;
}

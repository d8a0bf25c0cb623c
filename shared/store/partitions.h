/* Partitions, known without asking, and how processes that have nothing to do hear of what others bring, without
 * asking all partitions time and again: each process says now and then in which partitions a host can be taken
 * that could not before, since it pushed requests or gave a host back, and whoever wants hosts reads what all have
 * said, in one question. A word may be lost with the process that was to say it; so a find of a look
 * (look.h) counts as one, too. All of it is the thread's. */
#pragma once

#include "shared/store/joint.h"

typedef struct cw_joint_partition {
    cw_joint *joint;
    int64_t due_us;  /* not worth asking before; INT64_MAX: it has nothing, as far as this process knows */
    bool is_sure;    /* it has something then, as far as this process knows */
    int64_t sent_us; /* of the question that is under way */
    bool is_out, is_back;
    uint64_t returns;    /* of its data, that are known; is_back: one was not */
    int64_t quiet_us;    /* no host is taken before */
    int64_t stranded_us; /* since when it has requests that no host has; 0: it has none */
} cw_joint_partition;

/* The news of a partition, or of the crawl as a whole. */
typedef struct cw_joint_stir_word {
    int64_t due_us; /* it is to be said then; 0: there is none */
    bool is_out;    /* it was sent */
} cw_joint_stir_word;

typedef struct cw_joint_partitions {
    cw_joint_partition of[CW_SHARED_PARTITIONS];
    unsigned next; /* to be asked */
    cw_joint_stir_word stirs[CW_SHARED_STIRS];
    char read[CW_SHARED_STIRS * CW_SHARED_STIR_SIZE]; /* words of others, as they were read last, at read_us */
    int64_t read_us, told_us;
    bool is_reading, is_telling;
    bool is_stirred; /* the last reading was another than the one before */
    bool has_moved;  /* since the last look: this process has pushed, or somebody says that the end may be near */
} cw_joint_partitions;

static inline cw_joint_partition *cw_joint_partition_of(const cw_joint *joint, crawl_slice origin)
{
    return &joint->partitions->of[cw_shared_partition(origin)];
}

/* A host of the partition can be taken that could not before: from this time of the server's on, or, with 0, perhaps
 * now. Or, with CW_SHARED_PARTITIONS, the crawl as a whole may be at its end. */
void cw_joint_stir(cw_joint *joint, unsigned partition, int64_t open_ms);
/* This process has asked the partition, and would find nothing more there before its due_us. */
void cw_joint_stir_asked(cw_joint_partition *of);
/* Says what there is to say; and, where hosts are wanted, finds out what others have said. */
void cw_joint_stir_turn(cw_joint *joint, bool is_hungry, int64_t now_us);

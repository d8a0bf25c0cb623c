/* What is known of partitions without asking, and how processes that have nothing to do hear of what others bring,
 * without asking all partitions time and again: each process says now and then in which partitions it has stirred
 * something up, by pushing requests or by giving a host back, and whoever wants hosts reads what all have said, in one
 * question. A word may be lost with the process that was to say it; so each partition is asked now and then all the
 * same. All of it is the thread's. */
#ifndef CW_JOINT_PARTITIONS_H
#define CW_JOINT_PARTITIONS_H

#include "shared/store/joint.h"

typedef struct cw_joint_partition {
    cw_joint *joint;
    int64_t due_us;  /* not worth asking before */
    bool is_sure;    /* it has something then, as far as this process knows */
    int64_t sent_us; /* of the question that is under way */
    bool is_out, is_back;
    uint64_t returns;    /* of its data, that are known; is_back: one was not */
    int64_t quiet_us;    /* no host is taken before */
    int64_t stranded_us; /* since when it has requests that no host has; 0: it has none */
} cw_joint_partition;

/* What is to be said of a partition, or of the crawl as a whole. */
typedef struct cw_joint_stir_word {
    bool is_due;                /* it is to be said, */
    uint64_t epoch, last_epoch; /* when the former is acknowledged, and again when the latter is */
    bool is_out;                /* it was sent */
} cw_joint_stir_word;

typedef struct cw_joint_partitions {
    cw_joint_partition of[CW_SHARED_PARTITIONS];
    unsigned next; /* to be asked */
    cw_joint_stir_word stirs[CW_SHARED_STIRS];
    char read[CW_SHARED_STIRS * CW_SHARED_STIR_SIZE]; /* words of others, as they were read last, at read_us */
    int64_t read_us, told_us;
    bool is_reading, is_telling;
    bool is_stirred; /* the last reading was another than the one before */
    bool has_moved;  /* there was something new since the last look */
} cw_joint_partitions;

static inline cw_joint_partition *cw_joint_partition_of(const cw_joint *joint, crawl_slice origin)
{
    return &joint->partitions->of[cw_shared_partition(origin)];
}

/* A host of this origin may be had now. */
void cw_joint_expect(cw_joint *joint, crawl_slice origin);
/* Something may be due anywhere. */
void cw_joint_expect_all(cw_joint *joint);
/* There is something new in the partition, once this epoch is acknowledged. */
void cw_joint_stir(cw_joint *joint, unsigned partition, uint64_t epoch);
/* Says what there is to say; and, where hosts are wanted, finds out what others have said. */
void cw_joint_stir_turn(cw_joint *joint, bool is_hungry, int64_t now_us);

#endif

/* The knowledge of this process about each partition, and how idle processes hear of news without asking all partitions
 * again and again. Each process says now and then which partitions have a host that can be taken now, because it pushed
 * requests or gave a host back. A process that wants hosts reads the words of all in one question. A word may be lost
 * with the process that was to say it, so a find of a look (look.h) counts too. All of it belongs to the thread. */
#pragma once

#include "shared/store/joint.h"

typedef struct cw_joint_partition {
    cw_joint *joint;
    int64_t due_us;  /* not worth asking before; INT64_MAX: it has nothing, as far as known */
    bool is_sure;    /* it has something then, as far as known */
    int64_t sent_us; /* when the question under way was sent */
    bool is_out, is_back;
    uint64_t returns;    /* known returns of its data; is_back: one of them was not known */
    int64_t quiet_us;    /* no host is taken before */
    int64_t stranded_us; /* since when it has requests without a host; 0: it has none */
} cw_joint_partition;

/* News of a partition, or of the whole crawl. */
typedef struct cw_joint_stir_word {
    int64_t due_us; /* when to say it; 0: no news */
    bool is_out;    /* it was sent */
} cw_joint_stir_word;

typedef struct cw_joint_partitions {
    cw_joint_partition of[CW_SHARED_PARTITIONS];
    unsigned next; /* to ask */
    cw_joint_stir_word stirs[CW_SHARED_STIRS];
    char read[CW_SHARED_STIRS * CW_SHARED_STIR_SIZE]; /* words of others as read at read_us */
    int64_t read_us, told_us;
    bool is_reading, is_telling;
    bool is_stirred; /* the last reading differed from the one before */
    bool has_moved;  /* since the last look this process has pushed, or somebody says that the end may be near */
} cw_joint_partitions;

static inline cw_joint_partition *cw_joint_partition_of(const cw_joint *joint, crawl_slice origin)
{
    return &joint->partitions->of[cw_shared_partition(origin)];
}

/* Tells that a host of the partition can be taken: from this time of the server's clock on; 0: perhaps now. With
 * CW_SHARED_PARTITIONS: the whole crawl may be at its end. */
void cw_joint_stir(cw_joint *joint, unsigned partition, int64_t open_ms);
/* Tells of a host that got a new state in Redis and has no session: when it may be taken, or -1 if it has no requests,
 * as write.lua and settle.lua answer. */
void cw_joint_stir_host(cw_joint *joint, crawl_slice origin, int64_t open_ms);
/* Notes that this process has asked the partition, and expects nothing more there before its due_us. */
void cw_joint_stir_asked(cw_joint_partition *of);
/* Says the news. If hosts are wanted, reads the words of others. */
void cw_joint_stir_turn(cw_joint *joint, bool is_hungry, int64_t now_us);
/* Returns true if Redis has all news. */
bool cw_joint_stirs_are_told(const cw_joint *joint);

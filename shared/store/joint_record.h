/* What Redis keeps of a host as its record, as bytes. */
#ifndef CW_JOINT_RECORD_H
#define CW_JOINT_RECORD_H

#include <crawl/base.h>

typedef struct cw_joint_record {
    int64_t block_ms; /* until, by the server's clock; 0: no block */
    int64_t pause_ms; /* -1: the frontier's */
    uint16_t share;   /* 1 and up */
    crawl_slice note; /* of the origin; of one that was read, within its bytes */
} cw_joint_record;

/* Appends it. CRAWL_ENOMEM. */
crawl_err cw_joint_record_write(const cw_joint_record *record, crawl_buf *out);
/* An empty one is that of a host that nobody had yet. False: it is none of ours. */
bool cw_joint_record_read(crawl_slice bytes, cw_joint_record *out);

#endif

/* The inner loops of a table, compiled for each instruction set that is worth it; see table_loops.c. */
#pragma once

#include "bloom/table/table.h"

/* Like the functions of struct cw_kind. */
typedef struct cw_table_loops {
    crawl_err (*add)(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t *where);
    crawl_err (*add_many)(crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *fresh,
                          uint32_t *where);
    bool (*test)(const crawl_bloom *bloom, cw_bloom_hash hash);
    void (*test_many)(const crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *present);
    crawl_err (*forget)(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t where);
} cw_table_loops;

#define CW_TABLE_LOOPS 3

/* Lists the versions that this machine can run, the fastest first, and returns how many. All give the same answers and
 * leave the same memory behind. The last one runs on any machine. */
size_t cw_table_loops_all(const cw_table_loops *out[CW_TABLE_LOOPS]);

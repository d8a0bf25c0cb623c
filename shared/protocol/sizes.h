/* The sizes of the links of a seen-set's chain, and how many fingerprints each may take. They follow from the promises
 * made when the crawl was created, so that all workers compute the same. */
#pragma once

#include <stdint.h>

#define CW_SHARED_LINKS 24u /* the last ones have 512 MB each: 256 partitions hold 1e11 fingerprints at 1e-3 */
#define CW_SHARED_SIZE 8u   /* bytes per link in the text for scripts: two numbers, highest byte first */

typedef struct cw_shared_link {
    uint32_t blocks; /* of 64 bytes */
    uint32_t capacity;
} cw_shared_link;

/* Returns link `number` of a partition's chain. rate: of the whole chain; capacity: expected fingerprints of one
 * partition. */
cw_shared_link cw_shared_link_of(unsigned number, double rate, uint64_t capacity);

/* Returns the rate of one link with this number of keys. */
double cw_shared_link_rate(cw_shared_link link, double keys);

/* The size and the rate of a chain with this number of links. The newest link has `newest` keys, the others are
 * full. */
typedef struct cw_shared_chain {
    double keys, capacity, blocks;
    double bits; /* bits set */
    double rate; /* for a key that is new now */
    double lost; /* expected number of new keys taken for seen */
} cw_shared_chain;

cw_shared_chain cw_shared_chain_of(const cw_shared_link *links, unsigned count, uint64_t newest);

/* Writes CW_SHARED_LINKS * CW_SHARED_SIZE bytes. */
void cw_shared_sizes_write(double rate, uint64_t capacity, char *out);

/* How large the links of a seen-set's chain are, and how many fingerprints each may take: fixed by what is promised
 * when the crawl is made, so that all workers reckon alike. */
#pragma once

#include <stdint.h>

#define CW_SHARED_LINKS 24u /* the last ones have 512 MB each: 256 partitions hold 1e11 fingerprints at 1e-3 */
#define CW_SHARED_SIZE 8u   /* bytes of one link's in the text that scripts read: two numbers, the highest byte first */

typedef struct cw_shared_link {
    uint32_t blocks; /* of 64 bytes */
    uint32_t capacity;
} cw_shared_link;

/* The link with this number of a partition's chain. rate: of the whole chain; capacity: fingerprints of one partition
 * that are expected. */
cw_shared_link cw_shared_link_of(unsigned number, double rate, uint64_t capacity);

/* The rate of one link that has so many keys. */
double cw_shared_link_rate(cw_shared_link link, double keys);

/* The size and the rate of a chain of so many links, of which the newest has `newest` keys and the others are full. */
typedef struct cw_shared_chain {
    double keys, capacity, blocks;
    double bits; /* that are set */
    double rate; /* of a key that is new now */
    double lost; /* keys that were new and taken for seen, as is to be expected */
} cw_shared_chain;

cw_shared_chain cw_shared_chain_of(const cw_shared_link *links, unsigned count, uint64_t newest);

/* Writes CW_SHARED_LINKS * CW_SHARED_SIZE bytes. */
void cw_shared_sizes_write(double rate, uint64_t capacity, char *out);

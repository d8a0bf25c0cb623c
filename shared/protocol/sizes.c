/* See sizes.h. A fingerprint sets one bit in each of the 8 lanes of a 512-bit block, so that reading 64 bytes answers
 * for it. Blocks hold unequal numbers of keys: the rate is that of each number, weighted by its Poisson probability.
 * The rates of the links form a series with the promised sum: 6/pi^2 of it, then a quarter, a ninth, ... of that. */
#include "shared/protocol/sizes.h"

#include <math.h>

enum { LANES = 8, LANE_BITS = 64, BLOCKS_MIN = 16, BLOCKS_MAX = 1 << 23 /* 512 MB, the longest string of a server */ };

/* Returns the rate of false positives for an average of `load` keys per block. */
static double sizes_rate_of(double load)
{
    double sum = 0;
    double probability = exp(-load);
    for (int keys = 0; keys < load || probability > 1e-15; keys++) {
        double lane_taken = 1 - pow(1 - 1.0 / LANE_BITS, keys);
        sum += probability * pow(lane_taken, LANES);
        probability *= load / (keys + 1);
    }
    return sum;
}

static double load_for(double rate)
{
    double low = 0;
    double high = 256;
    for (int step = 0; step < 40; step++) {
        double middle = (low + high) / 2;
        if (sizes_rate_of(middle) <= rate)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double rate_of_link(unsigned number, double rate)
{
    double pi = acos(-1);
    return rate * 6 / (pi * pi) / ((number + 1.0) * (number + 1.0));
}

/* Returns the number of blocks of the first link: a power of two, with room for all expected keys. */
static uint32_t first_blocks(double rate, uint64_t capacity)
{
    double needed = (double)capacity / load_for(rate_of_link(0, rate));
    uint32_t blocks = BLOCKS_MIN;
    while (blocks < BLOCKS_MAX && blocks < needed)
        blocks *= 2;
    return blocks;
}

static cw_shared_link link_from(uint32_t first, unsigned number, double rate)
{
    uint32_t blocks = first;
    for (unsigned i = 0; i < number && blocks < BLOCKS_MAX; i++)
        blocks *= 2;
    double capacity = floor(blocks * load_for(rate_of_link(number, rate)));
    return (cw_shared_link){.blocks = blocks, .capacity = capacity < 1 ? 1 : (uint32_t)capacity};
}

cw_shared_link cw_shared_link_of(unsigned number, double rate, uint64_t capacity)
{
    return link_from(first_blocks(rate, capacity), number, rate);
}

static char *sizes_put_big(char *at, uint32_t number)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *at++ = (char)(number >> shift);
    return at;
}

void cw_shared_sizes_write(double rate, uint64_t capacity, char *out)
{
    uint32_t first = first_blocks(rate, capacity);
    for (unsigned i = 0; i < CW_SHARED_LINKS; i++) {
        cw_shared_link link = link_from(first, i, rate);
        out = sizes_put_big(sizes_put_big(out, link.blocks), link.capacity);
    }
}

double cw_shared_link_rate(cw_shared_link link, double keys)
{
    return sizes_rate_of(keys / link.blocks);
}

/* Returns how many keys are lost while a link gets `keys` keys. */
static double lost_in(double keys, double blocks)
{
    enum { STEPS = 8 };
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += sizes_rate_of(keys * (i + 0.5) / STEPS / blocks);
    return sum / STEPS * keys;
}

/* A key that is new to a link was compared with all links before it, which were full by then. */
cw_shared_chain cw_shared_chain_of(const cw_shared_link *links, unsigned count, uint64_t newest)
{
    cw_shared_chain chain = {0};
    for (unsigned i = 0; i < count; i++) {
        double keys = i + 1 < count ? links[i].capacity : (double)newest;
        double load = keys / links[i].blocks;
        chain.lost += lost_in(keys, links[i].blocks) + keys * chain.rate;
        chain.rate += sizes_rate_of(load);
        chain.bits += (1 - pow(1 - 1.0 / LANE_BITS, load)) * LANES * LANE_BITS * links[i].blocks;
        chain.keys += keys;
        chain.capacity += links[i].capacity;
        chain.blocks += links[i].blocks;
    }
    return chain;
}

/* Keys of 20 random bytes for benchmarks, each made from its number. */
#ifndef BENCH_KEYS_H
#define BENCH_KEYS_H

#include <stdint.h>
#include <string.h>

#define KEY 20

/* SplitMix64 (Steele, Lea, Flood 2014). */
static inline uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* KEY bytes. */
static inline void make_key(uint64_t number, char *key)
{
    uint64_t words[3] = {mix(number), mix(number ^ (uint64_t)1 << 62), mix(number ^ (uint64_t)1 << 63)};
    memcpy(key, words, KEY);
}

#endif

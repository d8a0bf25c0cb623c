/* Random numbers, and keys of 20 random bytes made from a number: the same in every run. For benchmarks and tests. */
#pragma once

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

/* Returns the next number of a sequence, uniform. */
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t number = mix(*state);
    *state += 0x9e3779b97f4a7c15;
    return number;
}

/* Writes KEY bytes. */
static inline void make_key(uint64_t number, char *key)
{
    uint64_t words[3] = {mix(number), mix(number ^ (uint64_t)1 << 62), mix(number ^ (uint64_t)1 << 63)};
    memcpy(key, words, KEY);
}

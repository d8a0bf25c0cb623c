/* A 128-bit hash (XXH3) with a random secret. Two different texts have the same hash with a chance of 2^-128, and
 * nobody can search for such a pair without the secret, so the hash may stand for the text. It is not a cryptographic
 * hash: strangers must not see it. */
#pragma once

#include <crawl/base.h>

typedef struct cw_keyed_hash {
    uint64_t low, high;
} cw_keyed_hash;

typedef struct cw_hash_secret {
    uint64_t words[24];
} cw_hash_secret;

void cw_hash_secret_draw(cw_hash_secret *secret);

cw_keyed_hash cw_keyed_hash_of(const cw_hash_secret *secret, crawl_slice text);

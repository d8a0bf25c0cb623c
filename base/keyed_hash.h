/* A hash of 128 bits (XXH3) under a secret that is drawn at random. Two texts that differ have the same hash with a
 * chance of 2^-128, and nobody who does not know the secret can look for two that do: so the hash may stand for the
 * text. It is no cryptographic hash: strangers must not be shown it. */
#ifndef CW_KEYED_HASH_H
#define CW_KEYED_HASH_H

#include <crawl/base.h>

typedef struct cw_keyed_hash {
    uint64_t low, high;
} cw_keyed_hash;

typedef struct cw_hash_secret {
    uint64_t words[24];
} cw_hash_secret;

void cw_hash_secret_draw(cw_hash_secret *secret);

cw_keyed_hash cw_keyed_hash_of(const cw_hash_secret *secret, crawl_slice text);

#endif

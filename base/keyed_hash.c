#include "base/keyed_hash.h"

#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(cw_hash_secret) >= XXH3_SECRET_SIZE_MIN, "XXH3 takes secrets of this size");

/* Falls back to the address of the secret if the system gives no random bytes. */
void cw_hash_secret_draw(cw_hash_secret *secret)
{
    const uintptr_t address = (uintptr_t)secret;
    if (getrandom(secret->words, sizeof secret->words, 0) == (ssize_t)sizeof secret->words)
        return;
    for (size_t i = 0; i < sizeof secret->words / sizeof *secret->words; i++)
        secret->words[i] = XXH3_64bits_withSeed(&address, sizeof address, i);
}

cw_keyed_hash cw_keyed_hash_of(const cw_hash_secret *secret, crawl_slice text)
{
    XXH128_hash_t hash = XXH3_128bits_withSecret(text.data, text.size, secret->words, sizeof secret->words);
    return (cw_keyed_hash){.low = hash.low64, .high = hash.high64};
}

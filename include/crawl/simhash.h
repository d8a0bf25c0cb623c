/* SimHash: 64 bits per text, which differ in few places if the texts differ little (Charikar 2002), and a search within
 * a distance that avoids a scan (Manku, Jain, Das Sarma 2007). For near-duplicate pages: mirrors, print versions,
 * session traps. */
#ifndef CRAWL_SIMHASH_H
#define CRAWL_SIMHASH_H

#include <crawl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Words of a shingle. A shorter text is one shingle. */
#define CRAWL_SIMHASH_WORDS 3

/* Computes the SimHash of a text over all its shingles of consecutive words, each counted as often as it occurs. A word
 * is a run of letters and digits, ASCII in any case; Chinese and Japanese characters are words by themselves, and so
 * are every four letters of Thai, Lao, Tibetan, Burmese and Khmer; everything else separates. text is UTF-8. The result
 * is the same on every machine. Returns the number of shingles; 0: there is no word, and *out is 0. With few shingles
 * the hash says little: one more word changes most of its bits. */
CRAWL_API size_t crawl_simhash_text(crawl_slice text, uint64_t *out);

/* Returns the SimHash of the caller's own features, each a uniform 64-bit hash: bit i is the majority of their bits i,
 * 0 if there is none. */
CRAWL_API uint64_t crawl_simhash_of(const uint64_t *features, size_t count);

/* Returns the number of differing bits, 0 to 64; about 32 for unrelated texts. */
CRAWL_API unsigned crawl_simhash_distance(uint64_t a, uint64_t b);

/* An index of hashes by distance. Single-threaded; concurrent searches are allowed. */
typedef struct crawl_simhash_index crawl_simhash_index;

/* Maximum distance in bits of two hashes considered near. */
#define CRAWL_SIMHASH_MAX_DISTANCE 7

/* Maximum number of hashes that a search examines. Random hashes share a list with few others; lists grow long only if
 * somebody crafts texts to that end, and the rest of such a list is ignored. */
#define CRAWL_SIMHASH_MAX_STEPS 100000

/* Creates an index. distance: the largest that is searched for, 0 to CRAWL_SIMHASH_MAX_DISTANCE. A hash takes 12 bytes,
 * plus 8 for each of (distance + 2) * (distance + 1) / 2 tables: 92 for a distance of 3; twice that before the memory
 * is filled. max_hashes: 1 to 2^31. CRAWL_EINVAL, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_simhash_index_create(unsigned distance, size_t max_hashes, crawl_simhash_index **out);
CRAWL_API void crawl_simhash_index_free(crawl_simhash_index *index);

/* Adds a hash with the value that find returns. CRAWL_FULL: max_hashes. CRAWL_ENOMEM: not added. */
CRAWL_API crawl_err crawl_simhash_index_add(crawl_simhash_index *index, uint64_t hash, uint32_t value);

/* Finds the nearest hash. CRAWL_EXISTS: one is within the distance; *value and *distance (both may be NULL) are those
 * of the nearest, of several the one added first. CRAWL_ABSENT: there is none. */
CRAWL_API crawl_err crawl_simhash_index_find(const crawl_simhash_index *index, uint64_t hash, uint32_t *value,
                                             unsigned *distance);

/* Returns the bytes of memory held. */
CRAWL_API size_t crawl_simhash_index_bytes(const crawl_simhash_index *index);

#ifdef __cplusplus
}
#endif
#endif

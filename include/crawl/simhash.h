/* SimHash: 64 bits of a text that differ in few places where the texts differ little (Charikar 2002), and a search for
 * those within a distance that does not scan (Manku, Jain, Das Sarma 2007). For pages that are nearly the same:
 * mirrors, print versions, session traps. */
#ifndef CRAWL_SIMHASH_H
#define CRAWL_SIMHASH_H

#include <crawl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Words of a shingle. A text with fewer is one shingle. */
#define CRAWL_SIMHASH_WORDS 3

/* SimHash of a text: of all its shingles of consecutive words, each as often as it occurs. A word is a run of letters
 * and digits, ASCII in any case; characters of Chinese and Japanese are words by themselves; everything else separates.
 * text is UTF-8. The same on every machine, whenever. Returns the number of shingles; 0: there is no word, and *out is
 * 0. Of a text of few shingles the hash says little: one more word changes most of its bits. */
CRAWL_API size_t crawl_simhash_text(crawl_slice text, uint64_t *out);

/* SimHash of features of your own, each a uniform 64-bit hash: bit i is the majority of their bits i, 0 if there is
 * none. */
CRAWL_API uint64_t crawl_simhash_of(const uint64_t *features, size_t count);

/* In how many bits two hashes differ, 0 to 64; those of texts that have nothing to do with each other in 32 or so. */
CRAWL_API unsigned crawl_simhash_distance(uint64_t a, uint64_t b);

/* Hashes to be searched by distance. Single-thread; searches beside each other. */
typedef struct crawl_simhash_index crawl_simhash_index;

/* The most bits in which two hashes that are near may differ. */
#define CRAWL_SIMHASH_MAX_DISTANCE 7

/* Hashes that a search looks at, at most. Random ones share a list with few others; lists grow long only where somebody
 * makes up texts to that end, and then the rest of them is not looked at. */
#define CRAWL_SIMHASH_MAX_STEPS 100000

/* distance: the largest that is searched for, 0 to CRAWL_SIMHASH_MAX_DISTANCE. A hash takes 12 bytes, and 8 for each of
 * (distance + 2) * (distance + 1) / 2 tables: 92 for a distance of 3; twice that before the memory is filled.
 * max_hashes: 1 to 2^31. CRAWL_EINVAL, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_simhash_index_create(unsigned distance, size_t max_hashes, crawl_simhash_index **out);
CRAWL_API void crawl_simhash_index_free(crawl_simhash_index *index);

/* value: what find shall give. CRAWL_FULL: max_hashes. CRAWL_ENOMEM: not added. */
CRAWL_API crawl_err crawl_simhash_index_add(crawl_simhash_index *index, uint64_t hash, uint32_t value);

/* CRAWL_EXISTS: there is one within the distance; *value and *distance (both may be NULL) are of the nearest, of
 * several the one added first. CRAWL_ABSENT: there is none. */
CRAWL_API crawl_err crawl_simhash_index_find(const crawl_simhash_index *index, uint64_t hash, uint32_t *value,
                                             unsigned *distance);

/* Bytes of memory held. */
CRAWL_API size_t crawl_simhash_index_bytes(const crawl_simhash_index *index);

#ifdef __cplusplus
}
#endif
#endif

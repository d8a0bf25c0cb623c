/* Filters: sets of keys in a few bytes each that answer "seen before?". All kinds share one interface.
 *
 * Keys are any bytes, hashed once with XXH3-128 and the filter's seed. A fingerprint (20 uniform bytes) is a key
 * like any other: hashing it again with the seed costs 3 ns and keeps outsiders from choosing URLs that share a
 * cache line.
 *
 * Threads. Without shards (options.shards 0), calls that take a const crawl_bloom may run beside each other; any
 * other call must run alone. With shards, any call may run beside any other in any number of threads; only
 * crawl_bloom_free must run alone. The filter is then split into that many parts by the hash of the key. Each part
 * has a lock, which a batch takes once for all its keys of that part. For each key, calls take effect one after the
 * other. A batch, or figures of the whole, are many steps, and other calls may come in between; a save is one step. */
#ifndef CRAWL_BLOOM_H
#define CRAWL_BLOOM_H

#include <crawl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a filter stores its keys. */
typedef enum crawl_bloom_kind {
    CRAWL_BLOOM_SCALABLE, /* a chain of bloom filters, each larger than the one before (Almeida et al., 2007) and
                             blocked in cache lines; grows without limit; false positives below fpr, never a false
                             negative */
    CRAWL_BLOOM_COUNTING, /* the same chain with 4-bit counters instead of bits; keys can be forgotten */
    CRAWL_BLOOM_EXACT,   /* 16-byte hashes in an open-addressing table, 171 to 341 bits per key. Any two of n keys share
                            a hash with a probability below n^2 / 2^129, 2e-19 for 1e10 keys: false positives do not
                            occur in practice. Keys can be forgotten. */
    CRAWL_BLOOM_CLASSIC, /* one bloom filter of a fixed size (Bloom, 1970), unblocked, with the rate of the theory.
                            Takes keys beyond its capacity, at a rising rate. Named "bloom". */
    CRAWL_BLOOM_TABLE,   /* short fingerprints in cache-line buckets; grows by splitting buckets, and keys can be
                            forgotten. False positives are below fpr up to 16384 times the capacity (or 20000 keys, if
                            that is more), and rise by up to a 16th of fpr with each doubling beyond; see fpr_now */
    CRAWL_BLOOM_ROTATING, /* generations of blocked filters; forgets keys older than the window by itself */
    CRAWL_BLOOM_DIGEST /* 8-byte hashes in an open-addressing table; takes a new key for seen with a probability of n /
                          2^64. Keys can be forgotten. */
} crawl_bloom_kind;

/* The number of kinds. */
#define CRAWL_BLOOM_KINDS 7

/* A filter: a set of keys in a few bytes each. */
typedef struct crawl_bloom crawl_bloom;

/* Options of a filter. crawl_bloom_options_init sets the defaults. */
typedef struct crawl_bloom_options {
    crawl_bloom_kind kind;
    uint64_t capacity; /* keys, 1000 to 2^40. scalable, counting: of the first filter of the chain; exact, digest,
                          table: initial room; bloom: of the whole; rotating: of one window */
    double fpr;    /* false-positive rate of the whole, at any size (bloom: at its capacity); 1e-9 to 0.5. Not used by
                      exact and digest */
    double growth; /* scalable, counting: ratio of each filter's capacity to the one before; 1 to 16. At least 2 is used
                      from the 33rd filter on: a chain has at most 64 filters, the last of which takes all further keys.
                      A filter of 87500 keys or more (counting: 40000) is followed by one of at least 3500000 (1600000),
                      unless max_bytes leaves no room for it: sizes in between cost searches and save nothing */
    double tightening;  /* scalable, counting: ratio of each filter's rate to the one before; 0.05 to 0.95 */
    uint64_t max_bytes; /* maximum memory of the whole; 0: no limit; otherwise at least room for the first capacity.
                           scalable, counting: if the next filter would exceed it, the last one takes all further keys
                           and the rate rises; see fpr_now and expected_false. exact, digest and table: filled as far as
                           possible; then add answers CRAWL_ENOMEM */
    uint64_t seed;      /* of the hash. The same seed and keys in the same order give the same filter. */
    uint64_t bits;   /* bloom: its size m in bits, 8 to 2^46; 0: from capacity and fpr (and hashes). If given, capacity
                        may be as low as 1, and only determines the hashes */
    uint32_t hashes; /* bloom: bits per key, k, 1 to 64; 0: m/n ln 2, rounded */
    uint32_t generations; /* rotating: 2 to 16. A generation ends when it has capacity / generations keys (rounded up),
                             or has lasted window_ms / generations. A key counts until `generations` newer ones have
                             begun, or until its own began window_ms ago. So it is remembered for at most one window,
                             and for at least (generations - 1) / generations of one if only keys or only time end
                             generations; if both do, generations - 1 ends may come sooner. A key seen again is not
                             refreshed. */
    uint64_t window_ms; /* rotating: milliseconds, as given to crawl_bloom_advance; 0: the window is the last `capacity`
                           keys. Otherwise it is the shorter of the two, so that the rate holds. */
    uint32_t shards; /* 0: for one thread. 1, 2, 4 to 256: for many, see above; each shard has its part of the capacity
                        and of max_bytes */
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_bloom_options;

/* Sets scalable, 1,000,000, 1e-4, 2, 0.85, no limit, seed 0, computed bits and hashes, 4 generations, no time
 * window, one thread. */
CRAWL_API void crawl_bloom_options_init(crawl_bloom_options *options);

/* Returns "scalable", "counting", "exact", "bloom", "table", "rotating" or "digest". NULL: no such kind. */
CRAWL_API const char *crawl_bloom_kind_name(crawl_bloom_kind kind);
/* CRAWL_EINVAL: no kind of that name. */
CRAWL_API crawl_err crawl_bloom_kind_named(const char *name, crawl_bloom_kind *out);
/* Returns true if keys of such a filter can be forgotten, see crawl_bloom_forget. */
CRAWL_API bool crawl_bloom_kind_forgets(crawl_bloom_kind kind);

/* CRAWL_EINVAL: an option is out of its range; error (may be NULL) names it, its value and the range. CRAWL_ENOMEM:
 * also for a first filter larger than the machine's memory. */
CRAWL_API crawl_err crawl_bloom_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error);
CRAWL_API void crawl_bloom_free(crawl_bloom *bloom);

/* Tests and adds a key. CRAWL_OK: the key was new and is now in; *where (may be NULL) is the filter of the chain
 * that took it, for crawl_bloom_forget. CRAWL_EXISTS: seen before (or a false positive); unchanged. CRAWL_ENOMEM:
 * not added. */
CRAWL_API crawl_err crawl_bloom_add(crawl_bloom *bloom, const void *key, size_t size, uint32_t *where);

/* The same for count keys of key_size bytes each, one after the other at keys. Overlaps the cache misses of all
 * keys: the larger the filter, the greater the gain over single calls. The answers are those of single calls in the
 * same order: fresh[i] is 1 for a new key and 0 for a seen one (a key twice in one batch is new once). where may be
 * NULL; where[i] is written for new keys only. CRAWL_ENOMEM: not all could be added; fresh is right for each: the
 * keys before the failure are in and, with shards, perhaps some after it. */
CRAWL_API crawl_err crawl_bloom_add_many(crawl_bloom *bloom, const void *keys, size_t key_size, size_t count,
                                         uint8_t *fresh, uint32_t *where);

/* The same for keys of any size each, such as the lines of a text. */
CRAWL_API crawl_err crawl_bloom_add_slices(crawl_bloom *bloom, const crawl_slice *keys, size_t count, uint8_t *fresh,
                                           uint32_t *where);

/* CRAWL_EXISTS: the key is in (or a false positive). CRAWL_ABSENT: it is certainly not in. */
CRAWL_API crawl_err crawl_bloom_test(const crawl_bloom *bloom, const void *key, size_t size);
CRAWL_API void crawl_bloom_test_many(const crawl_bloom *bloom, const void *keys, size_t key_size, size_t count,
                                     uint8_t *present);
CRAWL_API void crawl_bloom_test_slices(const crawl_bloom *bloom, const crawl_slice *keys, size_t count,
                                       uint8_t *present);

/* Where a key is, and how reliable that is. */
typedef struct crawl_bloom_found {
    uint32_t filter;  /* in the chain, or the generation from the oldest on; without shards, the index for
                         crawl_bloom_stats_of */
    uint32_t filters; /* the number of filters; 1 for a single one. With shards, filter and filters are those of the
                         key's shard */
    double fpr; /* the rate at which that filter, at its present fill, takes a key that it never got for its own */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_bloom_found;

/* Like crawl_bloom_test. With CRAWL_EXISTS, *out tells which filter has the key, or the newest that seems to. Reads
 * at most 4096 blocks to compute the rate. */
CRAWL_API crawl_err crawl_bloom_find(const crawl_bloom *bloom, const void *key, size_t size, crawl_bloom_found *out);

/* Forgets a key. where is what add gave for it: with it, a forget never harms another key. Use only for keys that
 * add called new: a false positive is not in, and its cells belong to other keys. A saturated counter stays; a
 * counter never goes below zero. The freed room is used again before a chain grows. CRAWL_ABSENT: the key is visibly
 * not in that filter; refused and counted, unchanged. CRAWL_REFUSED: the kind cannot forget. CRAWL_EINVAL: no such
 * filter in the chain. */
CRAWL_API crawl_err crawl_bloom_forget(crawl_bloom *bloom, const void *key, size_t size, uint32_t where);

/* The same for count keys of key_size bytes each; where[i] is what add gave for the i-th. gone[i] is 1 if the key
 * was forgotten, 0 if not: visibly not in, or no such filter. CRAWL_REFUSED: the kind cannot forget; gone is not
 * written. */
CRAWL_API crawl_err crawl_bloom_forget_many(crawl_bloom *bloom, const void *keys, size_t key_size, size_t count,
                                            const uint32_t *where, uint8_t *gone);

/* Sets the time of a filter with a window, in milliseconds since any moment that stays the same for the life of the
 * filter and its files. Keys older than the window are forgotten. Time that goes back is ignored. Other kinds ignore
 * the call. */
CRAWL_API void crawl_bloom_advance(crawl_bloom *bloom, uint64_t now_ms);

/* Figures of the whole filter, or of one filter of the chain. */
typedef struct crawl_bloom_stats {
    uint64_t count;        /* keys in: those added minus those forgotten */
    uint64_t capacity;     /* keys it was sized for */
    uint64_t bytes;        /* memory held */
    double fill;           /* share of set bits, nonzero counters or used slots; 0 to 1 */
    double fpr;            /* rate it was sized for; exact and digest: 0 */
    double fpr_now;        /* rate now, from the actual fill of each block, not from count */
    double fpr_by_count;   /* rate now, computed from count; bloom: (1 - e^(-kn/m))^k */
    double expected_false; /* expected number of new keys so far for which add answered CRAWL_EXISTS, each counted the
                              first time it came. Of one filter of a chain: its share, in proportion to the rates */
    uint64_t saturated;    /* counters that stay at their maximum (counting) */
    uint64_t refused;      /* forgets refused */
    uint64_t bits;         /* bloom: m */
    uint32_t hashes;       /* bloom: k */
    uint32_t filters;      /* in the chain, or generations; 1 for a single one. With shards, those of all */
    uint64_t reserved[8];  /* 0, for later versions */
} crawl_bloom_stats;

/* Reads at most 4096 blocks of each filter, which takes some milliseconds for a long chain of any size. */
CRAWL_API void crawl_bloom_stats_get(const crawl_bloom *bloom, crawl_bloom_stats *out);
/* CRAWL_EINVAL: index is not less than filters. */
CRAWL_API crawl_err crawl_bloom_stats_of(const crawl_bloom *bloom, uint32_t index, crawl_bloom_stats *out);

/* Returns the kind given to crawl_bloom_create, or read from the file. */
CRAWL_API crawl_bloom_kind crawl_bloom_kind_of(const crawl_bloom *bloom);
/* Returns the options given to crawl_bloom_create, or read from the file. */
CRAWL_API const crawl_bloom_options *crawl_bloom_options_of(const crawl_bloom *bloom);

/* A label tells its owner's next run how the keys of a filter are made (from lines, from fingerprints ...), which
 * the filter itself cannot know: two ways in one filter would make it useless. Files keep it; it has no other use.
 * Set it before the filter is shared among threads. CRAWL_EINVAL: longer than CRAWL_BLOOM_LABEL_MAX bytes, which is
 * room for a name. */
#define CRAWL_BLOOM_LABEL_MAX 63
CRAWL_API crawl_err crawl_bloom_set_label(crawl_bloom *bloom, const char *label);
/* Borrowed until it is set again. "": none was set, or the file was written before labels existed. */
CRAWL_API const char *crawl_bloom_label(const crawl_bloom *bloom);

/* Computes the bits m and the hashes k of a bloom filter (unblocked) for `keys` at the rate fpr: m = -n ln p / (ln
 * 2)^2 rounded up, k = m/n ln 2 rounded. keys is 1 to 2^40, fpr 1e-9 to 0.5. */
CRAWL_API void crawl_bloom_size(uint64_t keys, double fpr, uint64_t *bits, uint32_t *hashes);
/* Returns its rate with `keys` in: (1 - e^(-kn/m))^k. */
CRAWL_API double crawl_bloom_rate(uint64_t keys, uint64_t bits, uint32_t hashes);

/* Files. A file has everything that a filter consists of, including its label. The filter read from it gives the
 * same answers, and continues as the written one would have.
 *
 * Writes a temporary file beside path, syncs it and renames it to path: whatever happens in between, path is the old
 * file or the new one. A symbolic link at path is replaced, not followed. The permissions of the old file stay; a
 * new one gets 0644 less the umask. A process killed meanwhile leaves its temporary file, path.XXXXXXXXXXXXXXXX.tmp,
 * which may be deleted. With shards, other calls wait until all is written, but not until it is synced: the file is
 * a snapshot of one moment. CRAWL_EIO: error names the file and says why; path is unchanged, unless only the last
 * step failed, which syncs its new name. */
CRAWL_API crawl_err crawl_bloom_save(const crawl_bloom *bloom, const char *path, crawl_error *error);

/* Reads the whole file into memory and checks all of it. CRAWL_EIO: cannot be read. CRAWL_ECORRUPT: not a filter,
 * another version, truncated or changed; error says which. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_bloom_load(const char *path, crawl_bloom **out, crawl_error *error);

/* Loads a file of any size at once: checks the header and the geometry, and reads the rest when it is needed,
 * without checking its sums; see crawl_bloom_validate. A corrupt file can do no worse than give wrong answers. Keys
 * may be added and forgotten; only crawl_bloom_save changes the file, and it may write to the same path. The file
 * must not be truncated or overwritten in place meanwhile (save does neither). */
CRAWL_API crawl_err crawl_bloom_map(const char *path, crawl_bloom **out, crawl_error *error);

/* Checks a whole file against its sums and its invariants, at the speed of the disk. Like crawl_bloom_load, but
 * keeps nothing. */
CRAWL_API crawl_err crawl_bloom_validate(const char *path, crawl_error *error);

#ifdef __cplusplus
}
#endif
#endif

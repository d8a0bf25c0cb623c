/* Filters: sets of keys in a few bytes each that answer "seen before?". All kinds share one interface.
 *
 * Keys are any bytes, hashed once with XXH3-128 and a seed of the filter's own. A fingerprint (20 uniform bytes) is a
 * key like any other: hashing it again with the seed costs 3 ns and keeps outsiders from choosing URLs that share a
 * cache line.
 *
 * Threads. Without shards (options.shards 0): calls that take a const crawl_bloom beside each other,
 * any other call alone. With shards: any call beside any other, in any number of threads, but crawl_bloom_free alone.
 * The filter is then split by the hash of the key into so many parts with a lock each, which a batch takes once for all
 * its keys of that part. For each key calls take effect one after the other; a batch, and figures of the whole, are
 * many steps, between which others come in; a save is one. */
#ifndef CRAWL_BLOOM_H
#define CRAWL_BLOOM_H

#include <crawl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a filter remembers its keys. */
typedef enum crawl_bloom_kind {
    CRAWL_BLOOM_SCALABLE, /* a chain of bloom filters, each larger than the one before (Almeida et al., 2007), each
                             blocked in cache lines; grows for ever; false positives below fpr, never a false negative
                           */
    CRAWL_BLOOM_COUNTING, /* the same chain with 4-bit counters in place of bits: keys can be forgotten */
    CRAWL_BLOOM_EXACT, /* the 16-byte hashes in an open-addressing table: 171 to 341 bits per key, no false positive to
                          be met: that any two of n keys share a hash has a probability below n^2 / 2^129, 2e-19 for
                          1e10 keys. Keys can be forgotten. */
    CRAWL_BLOOM_CLASSIC,  /* one bloom filter of a fixed size (Bloom, 1970), unblocked: its rate is that of the theory.
                             Goes  on filling beyond its capacity, at a rising rate. Named "bloom". */
    CRAWL_BLOOM_TABLE,    /* short fingerprints in cache-line buckets: grows by splitting its buckets, and keys can be
                             forgotten; false positives below fpr up to 16384 times the capacity (or 20000 keys, if
                             that is more), and up to a 16th of fpr more with each doubling beyond: fpr_now tells */
    CRAWL_BLOOM_ROTATING, /* generations of blocked filters: what is older than the window is forgotten by itself */
    CRAWL_BLOOM_DIGEST /* 8-byte hashes in an open-addressing table; a new key is taken for seen with a probability of
                          n / 2^64. Keys can be forgotten. */
} crawl_bloom_kind;

/* How many kinds there are. */
#define CRAWL_BLOOM_KINDS 7

/* A filter: a set of keys in a few bytes each. */
typedef struct crawl_bloom crawl_bloom;

/* Options of a filter; crawl_bloom_options_init has the defaults. */
typedef struct crawl_bloom_options {
    crawl_bloom_kind kind;
    uint64_t capacity; /* keys, 1000 to 2^40. scalable, counting: of the first filter of the chain; exact, digest,
                        table: room to start with; bloom: of the whole; rotating: of one window */
    double fpr;        /* false-positive rate of the whole, for ever (bloom: at its capacity); 1e-9 to 0.5. Not used by
                        exact and digest */
    double growth; /* scalable, counting: capacity of each filter over the one before; 1 to 16. From the 33rd filter on
                    at least 2: a chain has at most 64 filters, the last of which goes on filling. A filter of 87500
                    keys or more (counting: 40000) is followed by one of 3500000 (1600000) at least, unless
                    max_bytes leaves no room for it: sizes in between cost searches and save nothing */
    double tightening;  /* scalable, counting: rate of each filter over the one before; 0.05 to 0.95 */
    uint64_t max_bytes; /* memory the whole may take; 0: no limit; otherwise room for the first capacity at least.
                         scalable, counting: when the next filter would exceed it, the last goes on filling and the rate
                         rises: see fpr_now and expected_false. exact, digest and table: filled as far as can be; then
                         add answers CRAWL_ENOMEM */
    uint64_t seed;      /* of the hash. Same seed, same keys in the same order: same filter. */
    uint64_t bits;   /* bloom: its size m in bits, 8 to 2^46; 0: from capacity and fpr (and hashes). Where it is given,
                        capacity may be 1 on, and only tells the hashes */
    uint32_t hashes; /* bloom: bits of a key, k, 1 to 64; 0: m/n ln 2, rounded */
    uint32_t generations; /* rotating: 2 to 16. A generation ends when it has capacity / generations keys (rounded up),
                             or has lasted window_ms / generations. A key counts until that many newer generations than
                             its own have begun, or until its own began window_ms ago. So it is remembered for one
                             window at most; and for (generations - 1) / generations of one at least, where keys alone
                             or time alone end generations: where both do, generations - 1 ends may come sooner. Being
                             seen again does not refresh it. */
    uint64_t window_ms; /* rotating: milliseconds, as of crawl_bloom_advance; 0: the window is the last `capacity` keys.
                           Otherwise it is the shorter of the two, so that the rate holds. */
    uint32_t shards; /* 0: for one thread. 1, 2, 4 to 256: for many, see above; each has its part of the capacity and of
                        max_bytes */
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_bloom_options;

/* scalable, 1,000,000, 1e-4, 2, 0.85, no limit, seed 0, bits and hashes by themselves, 4 generations, no time window,
 * one thread. */
CRAWL_API void crawl_bloom_options_init(crawl_bloom_options *options);

/* "scalable", "counting", "exact", "bloom", "table", "rotating", "digest"; NULL: no such kind. */
CRAWL_API const char *crawl_bloom_kind_name(crawl_bloom_kind kind);
/* CRAWL_EINVAL: no kind of that name. */
CRAWL_API crawl_err crawl_bloom_kind_named(const char *name, crawl_bloom_kind *out);
/* Can a key of such a filter be taken back, see crawl_bloom_forget? */
CRAWL_API bool crawl_bloom_kind_forgets(crawl_bloom_kind kind);

/* CRAWL_EINVAL: an option out of its range; error (may be NULL) names it, its value and the range. CRAWL_ENOMEM: also
 * for a first filter larger than the memory of the machine. */
CRAWL_API crawl_err crawl_bloom_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error);
CRAWL_API void crawl_bloom_free(crawl_bloom *bloom);

/* Test-and-add. CRAWL_OK: the key is new and now in; *where (NULL: not wanted) says which filter of the chain took it,
 * to be handed back to crawl_bloom_forget. CRAWL_EXISTS: seen before (or a false positive); nothing changed.
 * CRAWL_ENOMEM: not added. */
CRAWL_API crawl_err crawl_bloom_add(crawl_bloom *bloom, const void *key, size_t size, uint32_t *where);

/* The same for count keys of key_size bytes each, one after the other at keys, with the cache misses of all of them
 * overlapped: the larger the filter, the faster than one at a time. The answers are those that single calls in the same
 * order would give: fresh[i] is 1 for a new key and 0 for a seen one (a key twice in one batch is new once). where may
 * be NULL; where[i] is written for new keys only. CRAWL_ENOMEM: not all could be added; fresh is right for each: those
 * before the failure are in, and with shards perhaps some behind it. */
CRAWL_API crawl_err crawl_bloom_add_many(crawl_bloom *bloom, const void *keys, size_t key_size, size_t count,
                                         uint8_t *fresh, uint32_t *where);

/* The same for keys of any size, each by itself: lines of a text, say. */
CRAWL_API crawl_err crawl_bloom_add_slices(crawl_bloom *bloom, const crawl_slice *keys, size_t count, uint8_t *fresh,
                                           uint32_t *where);

/* CRAWL_EXISTS: the key is in (or a false positive). CRAWL_ABSENT: it is not, for sure. */
CRAWL_API crawl_err crawl_bloom_test(const crawl_bloom *bloom, const void *key, size_t size);
CRAWL_API void crawl_bloom_test_many(const crawl_bloom *bloom, const void *keys, size_t key_size, size_t count,
                                     uint8_t *present);
CRAWL_API void crawl_bloom_test_slices(const crawl_bloom *bloom, const crawl_slice *keys, size_t count,
                                       uint8_t *present);

/* Where a key is held, and how far that may be trusted. */
typedef struct crawl_bloom_found {
    uint32_t filter;  /* of the chain, or generation from the oldest on: what crawl_bloom_stats_of takes, without shards
                       */
    uint32_t filters; /* there are so many; 1 for one filter. With shards, those of the key's own, and filter among them
                       */
    double fpr;       /* the rate at which that filter, as full as it is, takes keys for its own that it never got */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_bloom_found;

/* As crawl_bloom_test; with CRAWL_EXISTS *out says which filter holds the key, or the newest that seems to. Looks at no
 * more than 4096 blocks for the rate. */
CRAWL_API crawl_err crawl_bloom_find(const crawl_bloom *bloom, const void *key, size_t size, crawl_bloom_found *out);

/* Takes a key back. where is what add gave for it: with it, a forget never harms another key. Only for keys that
 * add called new: of one that was a false positive nothing is in, and its cells belong to others.
 * A saturated counter stays; a counter never goes below zero. The room it leaves is used again before a chain grows.
 * CRAWL_ABSENT: the key is visibly not in that filter; refused and counted, nothing changed.
 * CRAWL_REFUSED: the kind cannot forget. CRAWL_EINVAL: no such filter in the chain. */
CRAWL_API crawl_err crawl_bloom_forget(crawl_bloom *bloom, const void *key, size_t size, uint32_t where);

/* The same for count keys of key_size bytes each; where[i] is what add gave for the i-th. gone[i] is 1 where the key
 * was taken back, 0 where it was not: visibly not in, or no such filter. CRAWL_REFUSED: the kind cannot forget; gone is
 * not written. */
CRAWL_API crawl_err crawl_bloom_forget_many(crawl_bloom *bloom, const void *keys, size_t key_size, size_t count,
                                            const uint32_t *where, uint8_t *gone);

/* Tells the time to a filter with a window, in milliseconds since any moment, the same for the life of the filter and
 * of its files: what is older than the window is forgotten. Time that goes back is ignored. Other kinds take no
 * notice. */
CRAWL_API void crawl_bloom_advance(crawl_bloom *bloom, uint64_t now_ms);

/* Figures of the whole, or of one filter of the chain. */
typedef struct crawl_bloom_stats {
    uint64_t count;        /* keys in: added less forgotten */
    uint64_t capacity;     /* keys it was sized for */
    uint64_t bytes;        /* memory held */
    double fill;           /* share of bits set, counters not zero, or slots taken; 0 to 1 */
    double fpr;            /* rate it was sized for; exact and digest: 0 */
    double fpr_now;        /* rate now, from the actual fill of each block and not from count */
    double fpr_by_count;   /* rate now, by the arithmetic of the kind from count; bloom: (1 - e^(-kn/m))^k */
    double expected_false; /* expected number of new keys that add answered CRAWL_EXISTS for so far, each counted the
                              first time it came. Of one filter of a chain: its share, in proportion to the rates */
    uint64_t saturated;    /* counters that stay at their maximum (counting) */
    uint64_t refused;      /* forgets refused */
    uint64_t bits;         /* bloom: m */
    uint32_t hashes;       /* bloom: k */
    uint32_t filters;      /* in the chain, or generations; 1 for one filter. With shards, those of all */
    uint64_t reserved[8];  /* 0, for later versions */
} crawl_bloom_stats;

/* Looks at no more than 4096 blocks of each filter, some milliseconds for a long chain, whatever its size. */
CRAWL_API void crawl_bloom_stats_get(const crawl_bloom *bloom, crawl_bloom_stats *out);
/* CRAWL_EINVAL: index is not below filters. */
CRAWL_API crawl_err crawl_bloom_stats_of(const crawl_bloom *bloom, uint32_t index, crawl_bloom_stats *out);

/* The kind that it was made as, or read from the file. */
CRAWL_API crawl_bloom_kind crawl_bloom_kind_of(const crawl_bloom *bloom);
/* As given to crawl_bloom_create, or read from the file. */
CRAWL_API const crawl_bloom_options *crawl_bloom_options_of(const crawl_bloom *bloom);

/* A label says for its owner's next run how the keys of a filter are made (of lines, of fingerprints ...), which the
 * filter itself cannot know: two ways in one filter would make it useless. Files keep it; nothing else is done with it.
 * Set it before the filter is shared among threads. CRAWL_EINVAL: longer than CRAWL_BLOOM_LABEL_MAX bytes, which is
 * room for a name. */
#define CRAWL_BLOOM_LABEL_MAX 63
CRAWL_API crawl_err crawl_bloom_set_label(crawl_bloom *bloom, const char *label);
/* Borrowed until it is set again. "": none was set, or the file was written before there were labels. */
CRAWL_API const char *crawl_bloom_label(const crawl_bloom *bloom);

/* The bits m and the hashes k of a bloom filter (unblocked) for `keys` at the rate fpr: m = -n ln p / (ln 2)^2 rounded
 * up, k = m/n ln 2 rounded. keys is 1 to 2^40, fpr 1e-9 to 0.5. */
CRAWL_API void crawl_bloom_size(uint64_t keys, double fpr, uint64_t *bits, uint32_t *hashes);
/* Its rate with `keys` in: (1 - e^(-kn/m))^k. */
CRAWL_API double crawl_bloom_rate(uint64_t keys, uint64_t bits, uint32_t hashes);

/* Files. One holds everything a filter consists of, its label too, so that the filter read from it gives the same
 * answers and goes on as the one written would have.
 *
 * Writes a temporary file beside path, brings it to the disk and renames it to path: whatever happens in between, path
 * is the old file or the new one. A symbolic link at path is replaced, not followed. The permissions of the old file
 * stay; a new one gets 0644 less the umask. A process killed meanwhile leaves its temporary file,
 * path.XXXXXXXXXXXXXXXX.tmp, which may be deleted. With shards others wait until all is written, though not until it is
 * on the disk: the file is a picture of one moment. CRAWL_EIO: error names the file and says why; path is unchanged,
 * unless only the last step failed, to bring its new name to the disk. */
CRAWL_API crawl_err crawl_bloom_save(const crawl_bloom *bloom, const char *path, crawl_error *error);

/* Reads the whole into memory and checks all of it. CRAWL_EIO: cannot be read. CRAWL_ECORRUPT: is no filter, of
 * another version, cut or changed; error says which. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_bloom_load(const char *path, crawl_bloom **out, crawl_error *error);

/* The same at once, whatever its size: the header and the geometry are checked, and the rest is read from the file when
 * it is needed, without a check of its sums; see crawl_bloom_validate. Nothing that stands there can do worse than give
 * wrong answers. Keys may be added and forgotten; the file does not change but by crawl_bloom_save, which may write to
 * the same path. The file must not be cut or overwritten in place meanwhile (save does neither). */
CRAWL_API crawl_err crawl_bloom_map(const char *path, crawl_bloom **out, crawl_error *error);

/* Reads the whole of a file against its sums and its invariants, at the speed of the disk. As crawl_bloom_load, but
 * that nothing is kept. */
CRAWL_API crawl_err crawl_bloom_validate(const char *path, crawl_error *error);

#ifdef __cplusplus
}
#endif
#endif

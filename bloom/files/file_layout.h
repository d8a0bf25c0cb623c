/* The file of a filter, byte by byte. Format version 1, and version 2, which adds a label.
 *
 *     at  bytes
 *      0      8  magic: 89 43 42 46 0d 0a 1a 0a ("CBF" between bytes that a transfer as text would change)
 *      8      4  byte order: 0x01020304, as stored by the writer
 *     12      4  version of the format: 1, or 2 if the filter has a label
 *     16      8  bytes of the header: everything up to the first array except padding
 *     24      8  bytes of the file
 *     32      4  kind: a value of crawl_bloom_kind
 *     36      4  shards
 *     40      8  capacity
 *     48      8  fpr, a double
 *     56      8  growth, a double
 *     64      8  tightening, a double
 *     72      8  max_bytes
 *     80      8  seed of XXH3-128
 *     88      8  bits
 *     96      4  hashes
 *    100      4  generations
 *    104      8  window_ms
 *    112      8  n, the number of numbers
 *    120      8  a, the number of arrays
 *  (128     64  version 2 only: the label, then zeros, at least one; everything below is 64 bytes further on)
 *    128    8 n  the numbers of the kind, unsigned or double, in the order of its save function
 *  +8 n   24 a  the arrays in that order: offset from the start of the file, bytes, XXH3-64 of these bytes
 * +24 a      8  XXH3-64 of all preceding bytes
 *
 * Then the arrays, in order. An array of 64 KiB or more begins at a multiple of 64 KiB, and so does whatever follows
 * it: it can be mapped with any page size, and shares its pages with nothing else. Other arrays begin at a multiple of
 * 64. Bytes in between are zero, and the file ends with its last array. An empty array is not in the table.
 *
 * All integers are unsigned and little-endian, doubles are IEEE 754; but a big-endian machine, which would have to swap
 * every word of the arrays, writes its own order. The byte order field tells the two apart, and a file of the other
 * order is refused. XXH3 has seed 0. With shards the numbers and the arrays are those of the parts, one part after the
 * other. */
#pragma once

#include <crawl/bloom.h>

#define CW_FILE_MAGIC                               \
    {                                               \
        0x89, 'C', 'B', 'F', '\r', '\n', 0x1a, '\n' \
    }
#define CW_FILE_ORDER 0x01020304u
#define CW_FILE_ORDER_OTHER 0x04030201u
#define CW_FILE_VERSION_PLAIN 1u
#define CW_FILE_VERSION_LABELLED 2u
#define CW_FILE_LABEL_BYTES (CRAWL_BLOOM_LABEL_MAX + 1)

/* The largest page size of any known machine. */
#define CW_FILE_PAGE ((uint64_t)64 << 10)
#define CW_FILE_LINE ((uint64_t)64)

/* Maxima that no filter exceeds: 256 shards of 64 filters each, with about ten numbers per filter. A header takes at
 * most 10 MB. */
#define CW_FILE_NUMBERS_MAX ((uint64_t)1 << 20)
#define CW_FILE_ARRAYS_MAX ((uint64_t)1 << 16)

#define CW_FILE_CHUNK ((size_t)1 << 20) /* bytes read or written at once: stays cached between checksum and disk */

typedef struct cw_file_head {
    unsigned char magic[8];
    uint32_t order;
    uint32_t version;
    uint64_t header_bytes;
    uint64_t file_bytes;
    uint32_t kind;
    uint32_t shards;
    uint64_t capacity;
    double fpr;
    double growth;
    double tightening;
    uint64_t max_bytes;
    uint64_t seed;
    uint64_t bits;
    uint32_t hashes;
    uint32_t generations;
    uint64_t window_ms;
    uint64_t numbers;
    uint64_t arrays;
} cw_file_head;

typedef struct cw_file_array {
    uint64_t offset;
    uint64_t bytes;
    uint64_t sum;
} cw_file_array;

_Static_assert(sizeof(cw_file_head) == 128, "no padding");
_Static_assert(sizeof(cw_file_array) == 24, "no padding");
_Static_assert(CW_FILE_LABEL_BYTES % 8 == 0, "the numbers are aligned");

static inline uint64_t cw_file_label_bytes(uint32_t version)
{
    return version == CW_FILE_VERSION_LABELLED ? CW_FILE_LABEL_BYTES : 0;
}

static inline uint64_t cw_file_header_bytes(uint32_t version, uint64_t numbers, uint64_t arrays)
{
    return sizeof(cw_file_head) + cw_file_label_bytes(version) + 8 * numbers + sizeof(cw_file_array) * arrays + 8;
}

/* Returns the offset of an array of `bytes` bytes after data that ends at `end`. behind_large: that data is an array of
 * at least CW_FILE_PAGE. */
static inline uint64_t cw_file_offset(uint64_t end, bool behind_large, uint64_t bytes)
{
    uint64_t unit = behind_large || bytes >= CW_FILE_PAGE ? CW_FILE_PAGE : CW_FILE_LINE;
    return (end + unit - 1) / unit * unit;
}

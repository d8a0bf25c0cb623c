/* The object of the kind "table": short fingerprints in cache-line buckets, in a table that doubles line by line.
 *
 * The shape is that of a quotient filter: the place of a fingerprint gives the first bits of its hash, so the table can
 * grow without the keys. Buckets searched by vector instructions are from Pandey et al., Vector Quotient Filters
 * (2021); fingerprints that get shorter as the table grows from Apple, Stretching Your Data With Taffy Filters (2022),
 * and Dayan, Bercea, Reviriego and Pagh, InfiniFilter (2023).
 *
 * Layout. The table has `lines` lines of 64 bytes. A key is one 64-bit number h. The high half of h * lines is its
 * line, the low half its fraction, the bits that follow. A line has
 *
 *   lanes     13 to 31 of 16 bits, each empty (0) or one entry: up to 15 leading bits of the fraction, then a 1 that
 *             ends them, then zeros. An entry of no bits, 0x8000, fits every fraction.
 *   checks    the remaining bits, divided evenly: 0 to 23 of the lowest bits of h for each lane
 *   spilled   6 bits: number of keys of this line in the spill, which came when it was full
 *
 * The spill is an array of whole h, a slot for every two lines. A key of line i is in one of the CW_TABLE_SPILL_WINDOW
 * slots from i / 2 on. See table_spill.c.
 *
 * Growing. Doubling makes line i into 2i and 2i + 1, by the first bit of each fraction, and goes from the last line
 * down, so that both are free whenever i is split. Once there are begin_at entries, every new key splits
 * CW_TABLE_SPLITS lines: lines below `edge` are not split yet, lines from it on are split, and lines from edge to
 * 2 * edge are free and all zero. Entries stay in their lane.
 *
 * Why no key is ever missed, or harmed when another is forgotten
 * 1. An entry is made for a key, and continues to match it. Splitting only moves bits from the entry to its line. An
 *    entry without bits goes to both lines; the one in the line that is not its key's is a copy, and belongs to no key.
 * 2. An entry goes into a lane only if no other entry of the line matches its key. Otherwise the key is taken for seen
 *    or, if it comes from the spill (made when it did not see the lanes), stays in the spill. So all other entries
 *    that match a key are younger than its own, and splitting does not change that.
 * 3. Hence forgetting a key removes it from the spill if it is there, where keys are whole and unmistakable. Otherwise
 *    it removes the OLDEST matching entry, which is the one with the fewest bits, since an entry is made with all bits.
 *    Among entries of one age, which agree in all their bits, it removes the one with the most check bits. If that is
 *    another key's, the key's own entry matches the other key as well: the two change places. All this holds for keys
 *    that add called new, in whatever order they come and go.
 *
 * The rate. An entry made with F bits, checks included, when the table had L lines matches a share of 2^-F / L of all
 * keys. Splitting does not change that: the entry has one bit less, in a table twice as large. The rate is the sum of
 * these shares: entries made at level g, after g doublings, add born[g] 2^-F / (first 2^g). Half of all entries are
 * made after the last doubling, a quarter after the one before, and so on; with `load` entries per line when the next
 * one ends, the rate after G doublings is
 *
 *     2^-F load (1 + G/2)
 *
 * and no more. It rises by the same small amount with each doubling, even after 15 doublings, when the first entries
 * have no bits left (their copies make up for the missing bits). The geometry is chosen so that it stays below
 * options.fpr for CW_TABLE_DOUBLINGS doublings, 16384 times the first size; each one beyond adds about a sixteenth of
 * that. The copies take little room: after G > 15 doublings about (G - 15) / 2^16 of the whole. */
#pragma once

#include "bloom/bloom_memory.h"
#include "bloom/kinds/kind.h"

#define CW_TABLE_LANES 32 /* 16-bit words of a line; the last ones are not lanes */
#define CW_TABLE_LANES_LEAST 13
#define CW_TABLE_LANES_MOST 31
#define CW_TABLE_FINGER_BITS 15 /* of a fraction in a lane */
#define CW_TABLE_FINGER_NONE 0x8000
#define CW_TABLE_SPILLED_MOST 63 /* keys of one line in the spill */
#define CW_TABLE_SPILL_WINDOW ((uint64_t)512)
#define CW_TABLE_DOUBLINGS 14
/* Lines split for each new key. With fewer, a doubling takes longer. Lines may not be fuller at its end, so it
 * begins earlier, and half-way all memory is taken: 50.6 bits per key instead of 49.0 for a rate of 1e-3. */
#define CW_TABLE_SPLITS 4
#define CW_TABLE_LEVELS 48
#define CW_TABLE_LINES_LEAST 1024 /* of a new table: 64 KiB */
#define CW_TABLE_LINES_MOST ((uint64_t)1 << 42)

typedef union cw_table_line {
    _Alignas(64) uint16_t lane[CW_TABLE_LANES];
    uint64_t word[8];
    uint8_t byte[64];
} cw_table_line;

/* The place of a lane's check bits: `shift` bits up in the eight bytes from `byte` on. */
typedef struct cw_table_check {
    uint32_t mask;
    uint8_t byte;
    uint8_t shift;
} cw_table_check;

typedef struct cw_table_line_shape {
    unsigned lanes;
    uint32_t mask;                  /* a bit for each lane */
    unsigned width;                 /* check bits of a lane */
    unsigned wider;                 /* the first lanes, this many, have one bit more */
    uint16_t words[CW_TABLE_LANES]; /* ones in the words that are lanes */
    cw_table_check check[CW_TABLE_LANES];
} cw_table_line_shape;

struct cw_table_loops;

typedef struct cw_table_tags {
    crawl_bloom bloom; /* first: see kind.h */
    cw_table_line_shape shape;
    const struct cw_table_loops *loops;
    cw_table_line *line;
    uint64_t *spill;
    uint64_t lines; /* while doubling: the number before it */
    uint64_t edge;  /* lines from here on are split; == lines if not doubling */
    uint64_t room;  /* lines that have memory: lines, or twice as many while doubling */
    uint64_t first; /* initial number of lines */
    unsigned level; /* doublings done */
    unsigned load;  /* entries per line when doubling ends, in 16ths */

    uint64_t entries;                  /* in lines and spill */
    uint64_t copies;                   /* entries that belong to no key; keys are entries - copies */
    uint64_t spilled;                  /* entries in the spill */
    uint64_t begin_at;                 /* entries at which the table grows: begins to double, or splits one more line */
    uint64_t born[CW_TABLE_LEVELS][2]; /* entries in lines, by the level of the line when they were made and by [lane is
                                          wider]; at least the true number */
    uint64_t refused;
    uint64_t quiet;      /* new keys until something besides adding them must be done; never 0 */
    uint64_t quiet_from; /* the value last set to `quiet` */

    double lost;        /* expected number of new keys taken for seen, without those since; see table_stats.c */
    double odds;        /* rate / (1 - rate) when `lost` was computed */
    uint64_t added;     /* new keys since, without the last quiet_from - quiet */
    uint64_t settle_at; /* value of `added` at which to compute again */

    cw_bloom_pages line_pages;
    cw_bloom_pages spill_pages;
    uint64_t touched; /* while doubling: bytes of the lines from here on are taken from the machine */
    uint64_t spill_touched;
    uint64_t most; /* bytes the machine has */
} cw_table_tags;

/* --- table_shape.c: the geometry and its arithmetic. --- */

/* lanes is CW_TABLE_LANES_LEAST to CW_TABLE_LANES_MOST. */
void cw_table_shape_of_line(unsigned lanes, cw_table_line_shape *out);
/* Returns the number of lanes for a rate. */
unsigned cw_table_lanes_for(double fpr);
/* Returns the most entries per line at the end of a doubling, in 16ths. */
unsigned cw_table_load_of(unsigned lanes);
/* Returns the number of entries at which a table of this many lines begins to double. */
uint64_t cw_table_tags_begin_at(const cw_table_tags *tags, uint64_t lines);
/* Returns the highest rate within CW_TABLE_DOUBLINGS doublings. */
double cw_table_highest_rate(unsigned lanes);

/* --- table.c --- */

/* Makes a table of the given geometry. */
crawl_err cw_table_tags_make(const crawl_bloom_options *options, unsigned lanes, uint64_t lines, cw_table_tags **out);
/* Makes a table without lines. NULL: out of memory. */
cw_table_tags *cw_table_tags_start(const crawl_bloom_options *options);
void cw_table_tags_destroy(crawl_bloom *bloom);

/* --- table_split.c --- */

/* Call when `quiet` has reached 0. Grows by CW_TABLE_SPLITS lines if there are begin_at entries, and settles the
 * losses if that is due. Postpones growing if there is no memory, or no room to split into. */
void cw_table_tags_attend(cw_table_tags *tags);
/* Moves keys of a line from the spill to its free lanes. */
void cw_table_tags_unspill(cw_table_tags *tags, uint64_t line);

/* --- table_stats.c --- */

/* Updates `lost`. */
void cw_table_tags_settle(cw_table_tags *tags);
void cw_table_tags_stats(const crawl_bloom *bloom, crawl_bloom_stats *out);
/* Checks everything. CRAWL_ECORRUPT: error says which invariant is violated. */
crawl_err cw_table_tags_check(const crawl_bloom *bloom, crawl_error *error);

/* --- table_file.c --- */

void cw_table_tags_save(const crawl_bloom *bloom, cw_file_save *out);
crawl_err cw_table_tags_load(cw_file_load *in, const crawl_bloom_options *options, crawl_bloom **out);

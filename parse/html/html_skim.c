#include "parse/html/html_skim.h"

#include "parse/html/html_element.h"

/* The state passed from one block to the next. */
typedef struct skim_state {
    uint64_t inside; /* 1: the block begins inside a tag */
    uint64_t quoted; /* 1: it begins inside what may be a quoted value */
    uint64_t stop;   /* 1: the last byte was a stop */
} skim_state;

/* Stretches of bytes. Each begins after a start, or before the block if one is open there, and ends at the next end. */
typedef struct stretches {
    uint64_t between; /* the bytes of all stretches, without their starts and ends */
    uint64_t ends;    /* the bits of `ends` that end a stretch */
    uint64_t goes_on; /* 1: the last stretch continues in the next block */
} stretches;

/* Finds stretches by one subtraction: from the bit after each start it borrows up to the next end, and clears that
 * bit. */
static inline stretches stretch(uint64_t starts, uint64_t ends, uint64_t open)
{
    uint64_t behind = starts << 1 | open;
    uint64_t borrowed = ends - behind;
    return (stretches){borrowed & ~ends, ends & ~borrowed, starts >> 63 | (ends < behind)};
}

/* Returns the odd bytes of a block. Arithmetic cannot find the end of a tag that has one of them: an apostrophe; a ">"
 * that may be inside a value; a second "<". */
static inline uint64_t find_odd(skim_state *state, uint64_t open, const cw_html_marks *marks)
{
    stretches tags = stretch(open, open | marks->close, state->inside);
    uint64_t quotes = marks->quote & tags.between;
    uint64_t openers = quotes & (marks->stop << 1 | state->stop);
    stretches values = stretch(openers, quotes, state->quoted);
    state->inside = tags.goes_on;
    state->quoted = values.goes_on;
    state->stop = marks->stop >> 63;
    return (marks->apostrophe & tags.between) | (tags.ends & (values.between | open));
}

/* --- names --- */

/* Returns true if a tag with this byte after its "<" may be skipped. The lowest bit of name_ends gives the size of its
 * name. */
static inline bool is_passed(char first, uint64_t name_ends)
{
    int size = __builtin_ctzll(name_ends | 1u << CW_HTML_SIZE_UNKNOWN);
    return cw_html_passed_sizes[(unsigned char)first] >> size & 1;
}

static inline uint64_t name_ends(const cw_html_marks *marks)
{
    return marks->stop | marks->close | marks->slash;
}

/* Returns the first start tag of a block that may decide something. NULL: there is none. Its name may end in the next
 * block. */
static inline const char *find_start(const char *block, uint64_t open, const cw_html_marks *marks, const char *end)
{
    uint64_t ends = name_ends(&marks[0]);
    uint64_t ends_next = name_ends(&marks[1]);
    for (uint64_t starts = open & ~(marks->slash >> 1); starts; starts &= starts - 1) {
        int i = __builtin_ctzll(starts);
        const char *at = block + i;
        if (at + 1 == end || !is_passed(at[1], ends >> i >> 1 | ends_next << (63 - i)))
            return at;
    }
    return NULL;
}

/* --- the walk over the blocks --- */

/* Returns the last "<" before this bit of this block, which begins the tag around it. There must be one in the marked
 * part. */
static const char *tag_around(const cw_html_skimmer *skimmer, size_t i, uint64_t bit)
{
    uint64_t before = skimmer->marks[i].open & (bit - 1);
    while (!before && i > 0)
        before = skimmer->marks[--i].open;
    return skimmer->start + i * CW_MARKS_BLOCK + 63 - __builtin_clzll(before);
}

/* Marks the page from `at` on, plus one block, since a name may continue after the last block. The last block of a page
 * is padded with zeros, because nothing after the page's end may be read. */
static void mark_part(cw_html_skimmer *skimmer, const char *at, const char *end)
{
    const size_t most = (size_t)CW_SKIM_BLOCKS * CW_MARKS_BLOCK;
    size_t left = (size_t)(end - at);
    skimmer->start = at;
    skimmer->size = left < most ? left : most;
    size_t blocks = skimmer->size / CW_MARKS_BLOCK;
    size_t rest = skimmer->size % CW_MARKS_BLOCK;
    skimmer->mark(at, blocks, skimmer->marks);
    if (rest) {
        char last[CW_MARKS_BLOCK] = {0};
        memcpy(last, at + skimmer->size - rest, rest);
        skimmer->mark(last, 1, &skimmer->marks[blocks++]);
    }
    skimmer->marks[blocks] = (cw_html_marks){0};
}

/* Does the work of cw_html_skim in the marked part, from its byte `from` on. NULL: the part has no such tag. A tag that
 * the end of the part cuts counts as one that arithmetic cannot decide. */
static const char *skim_part(const cw_html_skimmer *skimmer, size_t from, const char *end)
{
    skim_state state = {0};
    uint64_t kept = UINT64_MAX << from % CW_MARKS_BLOCK;
    size_t i = from / CW_MARKS_BLOCK;
    for (; i * CW_MARKS_BLOCK < skimmer->size; i++) {
        const cw_html_marks *marks = &skimmer->marks[i];
        uint64_t open = marks->open & kept;
        uint64_t odd = find_odd(&state, open, marks);
        const char *found = find_start(skimmer->start + i * CW_MARKS_BLOCK, open, marks, end);
        const char *tag = odd ? tag_around(skimmer, i, odd & -odd) : NULL;
        if (tag && (!found || tag < found))
            return tag;
        if (found)
            return found;
        kept = UINT64_MAX;
    }
    return state.inside ? tag_around(skimmer, i, 0) : NULL;
}

const char *cw_html_skim(cw_html_skimmer *skimmer, const char *at, const char *end)
{
    const char *found = NULL;
    while (!found && at < end) {
        if (!skimmer->start || (size_t)(at - skimmer->start) >= skimmer->size)
            mark_part(skimmer, at, end);
        found = skim_part(skimmer, (size_t)(at - skimmer->start), end);
        at = skimmer->start + skimmer->size;
    }
    return found ? found : end;
}

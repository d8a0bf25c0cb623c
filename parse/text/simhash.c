/* Computes the SimHash of a text. See <crawl/simhash.h>.
 *
 * The hash of each shingle votes on each of the 64 bits. Votes are counted in bytes, eight of them in a word, so that a
 * shingle takes about ten operations in place of 64; the bytes are added to the sums before they can overflow. */
#include <crawl/simhash.h>

#include "base/bytes.h"
#include "parse/text/text_script.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { VOTES = 255 }; /* the most votes that a byte can count */

typedef struct votes {
    uint64_t lanes[8]; /* byte j of lane i: votes for bit 8 * i + j that are not in sums yet */
    unsigned pending;
    size_t sums[64];
    size_t count;
} votes;

static void simhash_settle(votes *v)
{
    for (unsigned bit = 0; bit < 64; bit++)
        v->sums[bit] += v->lanes[bit / 8] >> bit % 8 * 8 & 0xff;
    memset(v->lanes, 0, sizeof v->lanes);
    v->pending = 0;
}

/* Returns a word whose byte j is bit j of `bits`. */
static inline uint64_t spread(uint64_t bits)
{
    uint64_t each = bits * 0x0101010101010101u & 0x8040201008040201u;
    return ((each + 0x7f7f7f7f7f7f7f7fu) | each) >> 7 & 0x0101010101010101u;
}

static void vote(votes *v, uint64_t hash)
{
    for (unsigned i = 0; i < 8; i++)
        v->lanes[i] += spread(hash >> 8 * i & 0xff);
    v->count++;
    if (++v->pending == VOTES)
        simhash_settle(v);
}

static uint64_t majority(votes *v)
{
    uint64_t hash = 0;
    simhash_settle(v);
    for (unsigned bit = 0; bit < 64; bit++)
        hash |= (uint64_t)(v->sums[bit] > v->count / 2) << bit;
    return hash;
}

uint64_t crawl_simhash_of(const uint64_t *features, size_t count)
{
    votes v = {0};
    for (size_t i = 0; i < count; i++)
        vote(&v, features[i]);
    return majority(&v);
}

unsigned crawl_simhash_distance(uint64_t a, uint64_t b)
{
    return (unsigned)__builtin_popcountll(a ^ b);
}

/* --- words --- */

typedef enum letter { SEPARATOR, LETTER, UNSPACED, WHOLE_WORD } letter;

/* Returns the kind of a character that is not ASCII, by its first two bytes. Nearly all punctuation and signs are in
 * U+0080 to U+00BF, U+2000 to U+2BFF and U+3000 to U+303F; Chinese characters and kana are between U+3040 and
 * U+9FFF. */
static letter kind_of_wide(unsigned char lead, unsigned char second)
{
    if (lead == 0xc2 || (lead == 0xe2 && second < 0xb0) || (lead == 0xe3 && second == 0x80))
        return SEPARATOR;
    if (cw_text_script_is_unspaced(lead, second))
        return UNSPACED;
    return cw_text_script_is_ideograph(lead) ? WHOLE_WORD : LETTER;
}

static inline letter kind_at(const char *at, const char *end, size_t *size)
{
    unsigned char c = (unsigned char)*at;
    *size = 1;
    if (c < 0x80)
        return cw_is_alpha(c) || cw_is_digit(c) ? LETTER : SEPARATOR;
    size_t wanted = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    *size = (size_t)(end - at) < wanted ? (size_t)(end - at) : wanted;
    return kind_of_wide(c, *size > 1 ? (unsigned char)at[1] : 0);
}

/* Takes the next word off the front of *rest. Size 0: no more words. */
static crawl_slice next_word(crawl_slice *rest)
{
    const char *at = rest->data;
    const char *end = at + rest->size;
    const char *start = NULL;
    unsigned unspaced = 0;
    for (size_t size; at < end; at += size) {
        letter kind = kind_at(at, end, &size);
        if (start && (kind == SEPARATOR || kind == WHOLE_WORD))
            break;
        if (!start && kind != SEPARATOR)
            start = at;
        unspaced += kind == UNSPACED;
        if (kind == WHOLE_WORD || unspaced == CW_TEXT_SCRIPT_LETTERS) {
            at += size;
            break;
        }
    }
    *rest = crawl_slice_of(at, (size_t)(end - at));
    return crawl_slice_of(start ? start : at, start ? (size_t)(at - start) : 0);
}

/* Longer words are distinguished by their beginning and their length. */
enum { MAX_WORD = 64 };

static uint64_t hash_word(crawl_slice word)
{
    char lower[MAX_WORD + 1];
    size_t size = word.size < MAX_WORD ? word.size : MAX_WORD;
    cw_copy_lower(lower, crawl_slice_of(word.data, size));
    return XXH3_64bits_withSeed(lower, size, word.size);
}

/* --- text --- */

/* Returns the hash of a shingle: of the hashes of its words, in order. */
static uint64_t hash_shingle(const uint64_t *words, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    hash *= UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 29;
}

size_t crawl_simhash_text(crawl_slice text, uint64_t *out)
{
    votes v = {0};
    uint64_t words[CRAWL_SIMHASH_WORDS];
    size_t held = 0;
    for (crawl_slice word; text.size && (word = next_word(&text)).size;) {
        if (held == CRAWL_SIMHASH_WORDS) {
            memmove(words, words + 1, sizeof words - sizeof *words);
            held--;
        }
        words[held++] = hash_word(word);
        if (held == CRAWL_SIMHASH_WORDS)
            vote(&v, hash_shingle(words, held));
    }
    if (held && v.count == 0)
        vote(&v, hash_shingle(words, held));
    *out = majority(&v);
    return v.count;
}

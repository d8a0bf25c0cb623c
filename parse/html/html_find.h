/* Finds a byte in a page. The next tag is about twenty bytes away on average, and names are shorter. At such distances
 * a call of memchr, or a loop whose end the processor cannot predict, costs more than the comparison itself. So sixteen
 * bytes are compared at once if the processor can, and memchr searches farther away. Nothing is read beyond end. */
#pragma once

#include <crawl/base.h>

/* The class of a byte inside a tag. */
enum {
    CW_SPACE = 1 << 0,
    CW_ENDS_NAME = 1 << 1,  /* ends the name of an element: white space, "/", ">" */
    CW_ENDS_LABEL = 1 << 2, /* ends the name of an attribute: the same and "=" */
    CW_ENDS_VALUE = 1 << 3, /* ends a value without quotes: white space, ">" */
    CW_BEFORE_NAME = 1 << 4 /* white space, "/" */
};

extern const uint8_t cw_html_classes[256];

static inline bool cw_html_is_of(char c, unsigned class)
{
    return cw_html_classes[(unsigned char)c] & class;
}

enum { CW_STEP = 16 };

/* ---- sixteen bytes, one after the other ---- */

/* Returns bit i set if at[i] is one of the two. */
static inline unsigned cw_html_find_mask2_portably(const char *at, char one, char other)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < CW_STEP; i++)
        mask |= (unsigned)(at[i] == one || at[i] == other) << i;
    return mask;
}

/* Returns bit i set if at[i] ends the name of an attribute. */
static inline unsigned cw_html_find_name_end_portably(const char *at)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < CW_STEP; i++)
        mask |= (unsigned)cw_html_is_of(at[i], CW_ENDS_LABEL) << i;
    return mask;
}

/* ---- sixteen bytes at once, if the processor can ---- */

#ifdef __SSE2__
#include <emmintrin.h>

static inline __m128i cw_html_load(const char *at)
{
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

static inline __m128i cw_html_equal(__m128i bytes, char wanted)
{
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted));
}

/* Returns bit i set if at[i] is wanted. */
static inline unsigned cw_html_find_mask(const char *at, char wanted)
{
    return (unsigned)_mm_movemask_epi8(cw_html_equal(cw_html_load(at), wanted));
}

static inline unsigned cw_html_find_mask2(const char *at, char one, char other)
{
    __m128i bytes = cw_html_load(at);
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(cw_html_equal(bytes, one), cw_html_equal(bytes, other)));
}

static inline unsigned cw_html_find_mask3(const char *at, char one, char other, char third)
{
    __m128i bytes = cw_html_load(at);
    __m128i either = _mm_or_si128(cw_html_equal(bytes, one), cw_html_equal(bytes, other));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(either, cw_html_equal(bytes, third)));
}

/* Also sets the bits of other control characters: cw_html_skip_name checks again. */
static inline unsigned cw_html_find_name_end(const char *at)
{
    __m128i bytes = cw_html_load(at);
    __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes);
    __m128i mark = _mm_or_si128(cw_html_equal(bytes, '='), cw_html_equal(bytes, '>'));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(low, mark), cw_html_equal(bytes, '/')));
}
#else
static inline unsigned cw_html_find_mask(const char *at, char wanted)
{
    return cw_html_find_mask2_portably(at, wanted, wanted);
}

static inline unsigned cw_html_find_mask2(const char *at, char one, char other)
{
    return cw_html_find_mask2_portably(at, one, other);
}

static inline unsigned cw_html_find_mask3(const char *at, char one, char other, char third)
{
    return cw_html_find_mask2_portably(at, one, other) | cw_html_find_mask2_portably(at, third, third);
}

static inline unsigned cw_html_find_name_end(const char *at)
{
    return cw_html_find_name_end_portably(at);
}
#endif

/* ---- texts of any length ---- */

/* Returns the first place of wanted, or end. */
static inline const char *cw_html_find(const char *at, const char *end, char wanted)
{
    for (int steps = 0; steps < 4 && end - at >= CW_STEP; steps++, at += CW_STEP) {
        unsigned mask = cw_html_find_mask(at, wanted);
        if (mask)
            return at + __builtin_ctz(mask);
    }
    const char *found = at < end ? (const char *)memchr(at, wanted, (size_t)(end - at)) : NULL;
    return found ? found : end;
}

/* Returns the first place of either byte, or end. */
static inline const char *cw_html_find_either(const char *at, const char *end, char one, char other)
{
    bool short_text = end - at < CW_STEP;
    for (; end - at >= CW_STEP; at += CW_STEP) {
        unsigned mask = cw_html_find_mask2(at, one, other);
        if (mask)
            return at + __builtin_ctz(mask);
    }
    if (!short_text && at < end) { /* the last sixteen bytes, some of which were compared already */
        unsigned mask = cw_html_find_mask2(end - CW_STEP, one, other);
        return mask ? end - CW_STEP + __builtin_ctz(mask) : end;
    }
    while (at < end && *at != one && *at != other)
        at++;
    return at;
}

/* Returns true if any of the three bytes occurs. */
static inline bool cw_html_has_any(const char *at, const char *end, char one, char other, char third)
{
    bool short_text = end - at < CW_STEP;
    for (; end - at >= CW_STEP; at += CW_STEP)
        if (cw_html_find_mask3(at, one, other, third))
            return true;
    if (!short_text && at < end) /* the last sixteen bytes, some of which were compared already */
        return cw_html_find_mask3(end - CW_STEP, one, other, third);
    while (at < end && *at != one && *at != other && *at != third)
        at++;
    return at < end;
}

/* Skips the bytes of a class (skip), or the bytes outside it (skip_to). */
static inline const char *cw_html_skip(const char *at, const char *end, unsigned class)
{
    while (at < end && cw_html_is_of(*at, class))
        at++;
    return at;
}

static inline const char *cw_html_skip_to(const char *at, const char *end, unsigned class)
{
    while (at < end && !cw_html_is_of(*at, class))
        at++;
    return at;
}

/* cw_html_skip_to for CW_ENDS_NAME and CW_ENDS_LABEL. */
static inline const char *cw_html_skip_name(const char *at, const char *end, unsigned class)
{
    unsigned mask = end - at >= CW_STEP ? cw_html_find_name_end(at) : 1;
    return cw_html_skip_to(at + (mask ? __builtin_ctz(mask) : CW_STEP), end, class);
}

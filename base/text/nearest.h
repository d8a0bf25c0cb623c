/* Suggests the name that was probably meant by a mistyped one, for "did you mean". */
#pragma once

#include <crawl/base.h>

/* Longer names get no suggestion: nobody mistypes that much. */
#define CW_NEAREST_MAX 48u

/* Returns the Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, replacements and swaps of
 * neighbours, ignoring ASCII case. SIZE_MAX if one is longer than CW_NEAREST_MAX. */
size_t cw_distance(crawl_slice a, crawl_slice b);

/* The best candidate so far. Start with {.text = the mistyped name}. */
typedef struct cw_nearest {
    crawl_slice text;
    const char *best; /* NULL: none is near enough: more than a third of the letters differ, or more than one letter of
                         a short word */
    size_t distance;
} cw_nearest;

void cw_nearest_offer(cw_nearest *nearest, const char *candidate);

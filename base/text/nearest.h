/* The name that somebody who mistyped one may have meant, for "did you mean". */
#pragma once

#include <crawl/base.h>

/* For longer names nothing is suggested: nobody mistypes so much. */
#define CW_NEAREST_MAX 48u

/* Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, replacements and swaps of neighbours,
 * ASCII case ignored. SIZE_MAX if one is longer than CW_NEAREST_MAX. */
size_t cw_distance(crawl_slice a, crawl_slice b);

/* The best candidate so far. Start with {.text = the name that was written}. */
typedef struct cw_nearest {
    crawl_slice text;
    const char *best; /* NULL: none is near enough: more than a third of the letters differ, or more than one letter of
                         a short word */
    size_t distance;
} cw_nearest;

void cw_nearest_offer(cw_nearest *nearest, const char *candidate);

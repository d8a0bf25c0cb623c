/* What somebody who mistyped a name may have meant. */
#ifndef CW_CONFIG_NEAREST_H
#define CW_CONFIG_NEAREST_H

#include <crawl/base.h>

/* Names longer than this have no neighbours: nobody mistypes so much. */
#define CW_NEAREST_MAX 48u

/* Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, replacements and swaps of neighbours,
 * ASCII case ignored. SIZE_MAX if one is longer than CW_NEAREST_MAX. */
size_t cw_distance(crawl_slice a, crawl_slice b);

/* The best of the candidates offered so far. Start with {.text = what was written}. */
typedef struct cw_nearest {
    crawl_slice text;
    const char *best; /* NULL: none near enough: more than a third of the letters, or more than one of a short word,
                         differ */
    size_t distance;
} cw_nearest;

void cw_nearest_offer(cw_nearest *nearest, const char *candidate);

#endif

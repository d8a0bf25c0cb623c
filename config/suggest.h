/* What somebody who mistyped a name may have meant. */
#ifndef CW_CONFIG_SUGGEST_H
#define CW_CONFIG_SUGGEST_H

#include <crawl/base.h>

/* Names longer than this have no neighbours: nobody mistypes so much. */
#define CW_CONFIG_NEAREST_MAX 48u

/* Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, replacements and swaps of neighbours,
 * ASCII case ignored. SIZE_MAX if one is longer than CW_CONFIG_NEAREST_MAX. */
size_t cw_config_distance(crawl_slice a, crawl_slice b);

/* The best of the candidates offered so far. Start with {.text = what was written}. */
typedef struct cw_config_nearest {
    crawl_slice text;
    const char *best; /* NULL: none near enough: more than a third of the letters, or more than one of a short word,
                         differ */
    size_t distance;
} cw_config_nearest;

void cw_config_nearest_offer(cw_config_nearest *nearest, const char *candidate);

/* "; did you mean ..." for a key, or a section, that the schema does not have; "" if nothing is near. */
typedef struct cw_config_suggestion {
    char text[96];
} cw_config_suggestion;

cw_config_suggestion cw_config_suggest_key(crawl_slice section, crawl_slice name);
cw_config_suggestion cw_config_suggest_section(crawl_slice section);
cw_config_suggestion cw_config_suggest_full(crawl_slice full); /* "section.name" */

#endif

/* Suggests the name that somebody who mistyped a key or a section may have meant, for "did you mean". */
#ifndef CW_CONFIG_SUGGEST_H
#define CW_CONFIG_SUGGEST_H

#include <crawl/base.h>

/* For longer names nothing is suggested: nobody mistypes so much. */
#define CW_CONFIG_NEAREST_MAX 48u

/* Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, replacements and swaps of neighbours,
 * ASCII case ignored. SIZE_MAX if one is longer than CW_CONFIG_NEAREST_MAX. */
size_t cw_config_distance(crawl_slice a, crawl_slice b);

/* The best candidate so far. Start with {.text = the name that was written}. */
typedef struct cw_config_nearest {
    crawl_slice text;
    const char *best; /* NULL: none is near enough: more than a third of the letters differ, or more than one letter of
                         a short word */
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

/* Words in the values of attributes: tokens of rel, directives of meta robots. */
#ifndef CW_PAGE_WORDS_H
#define CW_PAGE_WORDS_H

#include <crawl/base.h>

/* Is word, in any case, one of the tokens in text, which ASCII white space separates? */
bool cw_has_token(crawl_slice text, const char *word);

/* The CRAWL_ROBOTS_ flags of a meta robots value: directives separated by commas or white space, in any case. */
unsigned cw_robots_directives(crawl_slice content);

#endif

/* Passing over the tags of a page that decide nothing, which are nine of ten: end tags, and start tags of names that
 * have neither links nor a say in how the text after them is read.
 *
 * Where such a tag ends is not looked for byte by byte. The marks of 64 bytes at a time (html_marks.h) tell by
 * arithmetic which tags end at the first ">" behind their "<". A tag does unless that ">" stands in a value in quotes.
 * Only a quote behind "=" or white space can open a value (HTML standard, 13.2.5.37), and the next quote closes it, so
 * that it is enough that no such quote is the last one before the ">". A tag with an apostrophe, which may be a quote
 * too, and any other that cannot be told, is left to those who look at each byte (html_token.c). */
#ifndef CW_HTML_SKIM_H
#define CW_HTML_SKIM_H

#include "parse/html/html_marks.h"

/* Blocks that are marked at a time: as much of a page as is passed between two tags that matter, and no more than the
 * processor's nearest cache has room for. */
enum { CW_SKIM_BLOCKS = 64 };

/* The marks of a part of a page. */
typedef struct cw_html_skimmer {
    cw_html_marker mark;
    const char *start;                       /* of the part; NULL: nothing is marked yet */
    size_t size;                             /* of it */
    cw_html_marks marks[CW_SKIM_BLOCKS + 1]; /* the last is empty */
} cw_html_skimmer;

/* Before the first call of cw_html_skim for a page. */
static inline void cw_html_skimmer_start(cw_html_skimmer *skimmer)
{
    skimmer->mark = cw_html_best_marker();
    skimmer->start = NULL;
}

/* The first "<", from `at` on, that begins a start tag which may decide something, or where that cannot be told by
 * arithmetic; end: there is none before the end of the page. `at` is not inside a tag. */
const char *cw_html_skim(cw_html_skimmer *skimmer, const char *at, const char *end);

#endif

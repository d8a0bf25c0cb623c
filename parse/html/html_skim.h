/* Skips the tags of a page that decide nothing, which are nine of ten: end tags, and start tags whose elements neither
 * have links nor change how the text after them is read.
 *
 * The end of such a tag is not searched byte by byte. The marks of 64 bytes at a time (html_marks.h) tell by arithmetic
 * which tags end at the first ">" after their "<". A tag does so unless that ">" is inside a quoted value. Only a quote
 * after "=" or white space can open a value (HTML standard, 13.2.5.37), and the next quote closes it; so it is enough
 * that no such quote is the last one before the ">". A tag with an apostrophe, which may be a quote too, and every
 * other tag that arithmetic cannot decide, is left to the tokenizer, which reads each byte (html_token.c). */
#pragma once

#include "parse/html/html_marks.h"

/* Blocks marked at a time: about as much of a page as is skipped between two tags that matter, and no more than fits
 * into the processor's first-level cache. */
enum { CW_SKIM_BLOCKS = 64 };

/* The marks of a part of a page. */
typedef struct cw_html_skimmer {
    cw_html_marker mark;
    const char *start;                       /* start of the part; NULL: nothing is marked yet */
    size_t size;                             /* size of the part */
    cw_html_marks marks[CW_SKIM_BLOCKS + 1]; /* the last is empty */
} cw_html_skimmer;

/* Call before the first cw_html_skim of a page. */
static inline void cw_html_skimmer_start(cw_html_skimmer *skimmer)
{
    skimmer->mark = cw_html_best_marker();
    skimmer->start = NULL;
}

/* Returns the first "<" from `at` on that begins a start tag which may decide something, or for which arithmetic cannot
 * tell; end: the page has none. `at` must not be inside a tag. */
const char *cw_html_skim(cw_html_skimmer *skimmer, const char *at, const char *end);

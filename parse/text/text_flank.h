/* Which signs of emphasis a Markdown reader takes as they are meant (CommonMark 0.31, 6.2): a sign that ends after
 * punctuation is not one if a letter follows, and adjacent signs are one run of characters. */
#pragma once

#include "parse/text/text_signs.h"

/* Moves signs over punctuation that would disable them, and drops those that would not be read as they are meant. text:
 * the block's, without its signs, whose offsets count from its beginning. */
void cw_text_flank_settle(cw_text_marking *signs, crawl_slice text);

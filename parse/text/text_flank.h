/* Which signs of emphasis a reader of Markdown takes for what they are meant (CommonMark 0.31, 6.2): a sign that ends
 * behind punctuation is none where a letter follows, and signs beside each other are one row of characters. */
#pragma once

#include "parse/text/text_signs.h"

/* Moves signs over punctuation that keeps them from being any, and drops those that would not be read as they are
 * meant. text: the block's, without its signs, whose places count from its beginning. */
void cw_text_flank_settle(cw_text_marking *signs, crawl_slice text);

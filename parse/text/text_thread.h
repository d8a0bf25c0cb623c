/* Threads: posts of a forum, or a question and its answers, which are one text though the first one may be most of
 * it. */
#pragma once

#include "parse/text/text_tree.h"

/* Returns true if a thread in the section has posts in this child and beside it. */
bool cw_text_parts_thread(const cw_text_tree *tree, uint32_t section, uint32_t child);

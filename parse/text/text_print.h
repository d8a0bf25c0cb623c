/* Prints the kept blocks of a text as plain text or Markdown: prefixes of lines, tables, fences, headings. */
#pragma once

#include "parse/text/text_tree.h"

/* Appends to *out, at most `most` bytes, cut at a line: then *cut becomes true. CRAWL_ENOMEM. */
crawl_err cw_text_print(cw_text_tree *tree, bool markdown, size_t most, crawl_buf *out, bool *cut);

/* How many columns of a terminal a text takes, and texts of strangers that fit into so many: no byte of theirs moves
 * the cursor, and characters of Asia, which take two columns, push nothing out of its row. */
#pragma once

#include <crawl/base.h>

/* Does the terminal show UTF-8, by the environment? */
bool cw_tool_is_utf8(void);

/* Characters have the widths that the C library knows in a locale of UTF-8, for the thread that calls this. */
void cw_tool_columns_begin(void);
void cw_tool_columns_end(void);

/* How many columns a text of UTF-8 without control characters takes. */
unsigned cw_tool_columns(crawl_slice text);

/* Appends text, escaped, in at most `columns` columns. If it is too long, "…" stands in place of its middle or, in a
 * terminal without UTF-8, "~". Returns the columns that it takes. Without memory a part of it is missing. */
unsigned cw_tool_put_cut(crawl_buf *out, crawl_slice text, unsigned columns, bool is_utf8);
/* The same for a sentence, which is cut behind a word. */
unsigned cw_tool_put_words(crawl_buf *out, crawl_slice text, unsigned columns, bool is_utf8);

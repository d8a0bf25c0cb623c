/* Terminal columns of texts, and strangers' texts made to fit: none of their bytes moves the cursor, and Asian
 * characters, which take two columns, push nothing out of its row. */
#pragma once

#include <crawl/base.h>

/* Returns true if the environment says that the terminal shows UTF-8. */
bool cw_tool_is_utf8(void);

/* Between these calls, the calling thread measures characters as the C library does in a UTF-8 locale. */
void cw_tool_columns_begin(void);
void cw_tool_columns_end(void);

/* Returns the columns of a UTF-8 text without control characters. */
unsigned cw_tool_columns(crawl_slice text);

/* Appends text, escaped, in at most `columns` columns. If it is too long, "…" replaces its middle; "~" in a terminal
 * without UTF-8. Returns the columns taken. When out of memory, a part is missing. */
unsigned cw_tool_put_cut(crawl_buf *out, crawl_slice text, unsigned columns, bool is_utf8);
/* Does the same for a sentence, which is cut after a word. */
unsigned cw_tool_put_words(crawl_buf *out, crawl_slice text, unsigned columns, bool is_utf8);

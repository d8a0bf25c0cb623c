/* Text of a page that Markdown would take for markup (CommonMark 0.31). Nothing else is escaped, so that names with
 * underscores and the like stay readable. */
#pragma once

#include "parse/text/text_writer.h"

/* Returns true if "&" at this place would be taken for a reference: a name or a number and ";" follow it. */
bool cw_text_is_reference(const char *at, const char *end);

/* Bytes that may be markup within a line. */
extern const bool cw_text_special[256];

/* Returns true if the character would be taken for markup after what the writer has written. Signs of emphasis may be
 * dropped, and the text after it, up to end, may be in another element. */
bool cw_text_escapes(const cw_text_writer *writer, const char *at, const char *end);

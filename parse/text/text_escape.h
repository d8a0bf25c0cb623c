/* Text of a page that Markdown would take for markup (CommonMark 0.31). Only that is escaped, so that
 * names with underscores and the like stay as readable as they are. */
#pragma once

#include "parse/text/text_writer.h"

/* Would "&" at this place be taken for a reference, with a name or a number and ";" behind it? */
bool cw_text_is_reference(const char *at, const char *end);

/* Bytes that may be markup within a line. */
extern const bool cw_text_special[256];

/* Would the character be taken for markup behind what the writer has written? Signs of emphasis may be left out, and
 * what follows the text, up to end, may stand in another element. */
bool cw_text_escapes(const cw_text_writer *writer, const char *at, const char *end);

/* Raised and lowered numbers in <sup> and <sub>, which would be taken for part of the number before them. */
#pragma once

#include "parse/text/text_writer.h"

/* Returns true if a space should part added text from the number that `before` ends in. *is_shifted: a <sup> or <sub>
 * began or ended since the last text; it is cleared by text. */
bool cw_text_shift_parts(bool *is_shifted, crawl_slice before, crawl_slice added);

/* Returns the size of a digit or sign that continues a number above or below the line; 0: not one, or not after a
 * digit. */
size_t cw_text_shift_takes(const cw_text_writer *writer, crawl_slice text);

/* Writes the raised or lowered form of a character, given by its first byte: U+2070 and U+2080 on. CRAWL_ENOMEM. */
crawl_err cw_text_shift_write(cw_text_writer *writer, char c);

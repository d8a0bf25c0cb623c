/* Text above, below or around a line: numbers in <sup> and <sub>, the readings of a ruby, quotation
 * marks. The rest of the writer's part in them is in text_writer.h. */
#ifndef CW_TEXT_SHIFT_H
#define CW_TEXT_SHIFT_H

#include "parse/text/text_writer.h"

/* The size of a character that is one of a number above or below the one before it: a digit or a sign; 0: it is none.
 */
size_t cw_text_shift_takes(const cw_text_writer *writer, crawl_slice text);

/* Writes it, by its first byte, as Unicode has it. CRAWL_ENOMEM. */
crawl_err cw_text_shift_write(cw_text_writer *writer, char c);

/* Before the text behind the reading of a ruby. */
void cw_text_shift_end_reading(cw_text_writer *writer, crawl_slice next);

#endif

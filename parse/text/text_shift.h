/* What stands above, below or around a line of text: numbers in <sup> and <sub>, the readings of a ruby, quotation
 * marks. What else the writer has of them is in text_writer.h. */
#ifndef CW_TEXT_SHIFT_H
#define CW_TEXT_SHIFT_H

#include "parse/text/text_writer.h"

/* Is the character one of a number that stands above or below the one before it? */
bool cw_text_shift_takes(cw_text_writer *writer, char c);

/* Writes it as Unicode has it. CRAWL_ENOMEM. */
crawl_err cw_text_shift_write(cw_text_writer *writer, char c);

/* Before the text behind the reading of a ruby. */
void cw_text_shift_end_reading(cw_text_writer *writer, crawl_slice next);

#endif

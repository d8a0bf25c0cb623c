/* Formulas in MathML. One that the page has as TeX too is written so. The TeX comes after the elements, so their text
 * is removed again. Without TeX, signs tell the numbers of a fraction, a power or a matrix apart: 1/2, 10^6, 1 0; 0 1.
 */
#pragma once

#include "parse/text/text_writer.h"

/* Begins a formula; the next block ends it. */
void cw_text_formula_begin(cw_text_writer *writer);
static inline void cw_text_formula_end(cw_text_writer *writer)
{
    writer->formula.is_open = false;
}

/* Drops the text of the formula, so that another form of it is written, and ends it. False: none is open, or a link
 * begins in it. */
bool cw_text_formula_drop(cw_text_writer *writer);

/* Take a tag in an open formula. name: in the page. is_barless: a fraction is one number above another. CRAWL_ENOMEM.
 */
crawl_err cw_text_formula_take_start(cw_text_writer *writer, crawl_slice name, bool is_barless);
crawl_err cw_text_formula_take_end(cw_text_writer *writer, crawl_slice name);

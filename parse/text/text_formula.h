/* Formulas in MathML. One that the page has as TeX too is written so, since its elements would join the numbers of a
 * fraction or a power. The TeX comes after the elements, so their text is removed again. */
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

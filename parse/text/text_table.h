/* The cells of tables while a text is made: the row and the column of each (HTML standard, 4.9.12.1). */
#pragma once

#include "parse/text/text_open.h"

/* Begins a table. CRAWL_ENOMEM. */
crawl_err cw_text_table_open(cw_text_walker *walk, cw_text_open *entry, const cw_text_attributes *attributes);
/* Begins a row. One that is not rendered is none. */
void cw_text_table_row(cw_text_walker *walk, cw_text_open *entry);
/* Begins a cell; skips columns into which a cell of a row above extends. One that is not rendered takes no column. */
void cw_text_table_cell(cw_text_walker *walk, cw_text_open *entry, const cw_text_attributes *attributes);

/* Lines for people, broken between words where a terminal would cut a word. */
#ifndef CW_MESSAGE_WRAP_H
#define CW_MESSAGE_WRAP_H

#include "base/writer.h"

/* Writes a line in rows of fewer than `columns` columns; 0: as it is. A word that fits into no row, and a command at
 * the end of the line ("...: crawl --state s"), which somebody may copy, stay whole. */
void cw_message_wrap(crawl_slice line, unsigned columns, cw_writer *out);

#endif

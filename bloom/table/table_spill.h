/* The spill of a table: an array for the keys whose lines are full. See table_spill.c. */
#pragma once

#include "bloom/table/table_line.h"

/* The slots for a table of a number of lines. */
uint64_t cw_table_spill_slots(uint64_t lines);

/* Is this key of the line in the spill? The line must have spilled keys. */
bool cw_table_spill_has(const cw_table_tags *tags, uint64_t line, uint64_t key);

/* Puts one more key of the line into the spill. False: there is no room. As long as its window has a free slot there is
 * room. */
bool cw_table_spill_put(cw_table_tags *tags, uint64_t line, uint64_t key);

/* Removes a key of the line. False: it is not there. */
bool cw_table_spill_take(cw_table_tags *tags, uint64_t line, uint64_t key);

/* Removes up to `most` keys of the line; returns how many. */
unsigned cw_table_spill_take_some(cw_table_tags *tags, uint64_t line, uint64_t *keys, unsigned most);

/* Is there room for this many more keys of the line? */
bool cw_table_spill_has_room(const cw_table_tags *tags, uint64_t line, unsigned count);

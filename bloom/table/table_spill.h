/* The spill of a table: an array for the keys whose lines are full. See table_spill.c. */
#pragma once

#include "bloom/table/table_line.h"

/* Returns the number of slots for a table of this many lines. */
uint64_t cw_table_spill_slots(uint64_t lines);

/* Returns true if this key of the line is in the spill. The line must have spilled keys. */
bool cw_table_spill_has(const cw_table_tags *tags, uint64_t line, uint64_t key);

/* Adds a key of the line to the spill. False: no room. A free slot in its window is enough. */
bool cw_table_spill_put(cw_table_tags *tags, uint64_t line, uint64_t key);

/* Removes a key of the line. False: it is not there. */
bool cw_table_spill_take(cw_table_tags *tags, uint64_t line, uint64_t key);

/* Removes up to `most` keys of the line; returns how many. */
unsigned cw_table_spill_take_some(cw_table_tags *tags, uint64_t line, uint64_t *keys, unsigned most);

/* Returns true if there is room for this many more keys of the line. */
bool cw_table_spill_has_room(const cw_table_tags *tags, uint64_t line, unsigned count);

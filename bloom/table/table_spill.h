/* The spill of a table: the keys whose lines are full. See table_spill.c. */
#ifndef CW_TABLE_SPILL_H
#define CW_TABLE_SPILL_H

#include "bloom/table/table_line.h"

/* Slots for a table of so many lines. */
uint64_t cw_table_spill_slots(uint64_t lines);

/* Is this key of the line there? The line has spilled keys. */
bool cw_table_spill_has(const cw_table_tags *tags, uint64_t line, uint64_t key);

/* Puts one more key of the line there. false: no room. While there is a free slot in its window there is room. */
bool cw_table_spill_put(cw_table_tags *tags, uint64_t line, uint64_t key);

/* Takes a key of the line away. false: it is not there. */
bool cw_table_spill_take(cw_table_tags *tags, uint64_t line, uint64_t key);

/* Takes up to `most` keys of the line away; how many. */
unsigned cw_table_spill_take_some(cw_table_tags *tags, uint64_t line, uint64_t *keys, unsigned most);

/* Is there room for so many more keys of the line? */
bool cw_table_spill_has_room(const cw_table_tags *tags, uint64_t line, unsigned count);

#endif

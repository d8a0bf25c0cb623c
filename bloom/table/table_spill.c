/* The spill: an array of whole keys of full lines; 0 is an empty slot.
 *
 * The home of line i is slot i / 2. A key of the line is in one of the CW_TABLE_SPILL_WINDOW slots from there on.
 * The line counts its keys here, and a search ends when it has met as many, or at the end of the window, whatever
 * the array contains. So writing 0 empties a slot, and no other key must move.
 *
 * New keys precede those of later homes, which move on by a slot (Robin Hood hashing). So a key is as far from its
 * home as there are earlier keys that wait for a slot. If it took the next free slot instead, it would be as far as
 * the run of used slots is long, and runs are long here: keys come in clumps, several from one full line, to slots
 * that are three quarters full. This way a window of 512 overflows with a probability below e^-50.
 *
 * The spill grows with the lines and does not double by itself: a line that is split takes its keys from its old
 * home to the home of the two new lines, unless they find lanes there, as nearly all do. */
#include "bloom/table/table_spill.h"

/* How far a new key searches for a free slot, by moving on the keys before it. */
#define REACH (8 * CW_TABLE_SPILL_WINDOW)

uint64_t cw_table_spill_slots(uint64_t lines)
{
    return lines / 2 + 1 + CW_TABLE_SPILL_WINDOW;
}

static bool table_spill_belongs(const cw_table_tags *tags, uint64_t line, uint64_t key)
{
    return key && cw_table_spot_of(tags, key).line == line;
}

/* Returns the slot of the key. NULL: not in the spill. */
static uint64_t *table_spill_find(const cw_table_tags *tags, uint64_t line, uint64_t key)
{
    uint64_t *window = tags->spill + line / 2;
    unsigned left = cw_table_line_spilled(&tags->line[line]);
    for (unsigned i = 0; i < CW_TABLE_SPILL_WINDOW && left; i++) {
        if (window[i] == key)
            return &window[i];
        left -= table_spill_belongs(tags, line, window[i]);
    }
    return NULL;
}

bool cw_table_spill_has(const cw_table_tags *tags, uint64_t line, uint64_t key)
{
    return table_spill_find(tags, line, key) != NULL;
}

/* Returns the first free slot from the given one on; `slots` if none is within reach. */
static uint64_t free_slot(const cw_table_tags *tags, uint64_t from, uint64_t slots)
{
    uint64_t end = slots - from < REACH ? slots : from + REACH;
    for (uint64_t i = from; i < end; i++) {
        if (tags->spill[i] == 0)
            return i;
    }
    return slots;
}

/* Moves a free slot back, at most to `least`, by moving on keys of later homes that can be one slot further. Returns
 * its new place. */
static uint64_t move_back(cw_table_tags *tags, uint64_t slot, uint64_t least)
{
    for (; slot > least; slot--) {
        uint64_t key = tags->spill[slot - 1];
        uint64_t home = cw_table_spot_of(tags, key).line / 2;
        if (home <= least || slot - home >= CW_TABLE_SPILL_WINDOW)
            break;
        tags->spill[slot] = key;
        tags->spill[slot - 1] = 0;
    }
    return slot;
}

bool cw_table_spill_put(cw_table_tags *tags, uint64_t line, uint64_t key)
{
    uint64_t home = line / 2, slots = cw_table_spill_slots(tags->room);
    unsigned spilled = cw_table_line_spilled(&tags->line[line]);
    if (spilled == CW_TABLE_SPILLED_MOST)
        return false;
    uint64_t slot = free_slot(tags, home, slots);
    if (slot == slots)
        return false;
    slot = move_back(tags, slot, home);
    if (slot - home >= CW_TABLE_SPILL_WINDOW)
        return false;
    tags->spill[slot] = key;
    cw_table_line_set_spilled(&tags->line[line], spilled + 1);
    tags->spilled++;
    return true;
}

static void table_spill_clear(cw_table_tags *tags, uint64_t line, uint64_t *slot)
{
    *slot = 0;
    cw_table_line_set_spilled(&tags->line[line], cw_table_line_spilled(&tags->line[line]) - 1);
    tags->spilled -= tags->spilled > 0; /* a file may contain anything */
}

bool cw_table_spill_take(cw_table_tags *tags, uint64_t line, uint64_t key)
{
    uint64_t *slot = table_spill_find(tags, line, key);
    if (slot)
        table_spill_clear(tags, line, slot);
    return slot != NULL;
}

unsigned cw_table_spill_take_some(cw_table_tags *tags, uint64_t line, uint64_t *keys, unsigned most)
{
    uint64_t *window = tags->spill + line / 2;
    unsigned taken = 0;
    for (unsigned i = 0; i < CW_TABLE_SPILL_WINDOW && taken < most && cw_table_line_spilled(&tags->line[line]); i++) {
        if (!table_spill_belongs(tags, line, window[i]))
            continue;
        keys[taken++] = window[i];
        table_spill_clear(tags, line, &window[i]);
    }
    return taken;
}

bool cw_table_spill_has_room(const cw_table_tags *tags, uint64_t line, unsigned count)
{
    const uint64_t *window = tags->spill + line / 2;
    for (unsigned i = 0; i < CW_TABLE_SPILL_WINDOW && count; i++)
        count -= window[i] == 0;
    return count == 0;
}

/* Grows a table by doubling in place, some lines for each new key. See table.h.
 *
 * The memory of the upper half is taken from the machine step by step just before the edge reaches it, so that no
 * call waits for more than one step. */
#include "bloom/table/table_spill.h"

typedef uint16_t lanes8 __attribute__((vector_size(16), aligned(2), may_alias));

/* Makes room for twice the lines. The pages may already be that large after an earlier attempt. */
static crawl_err table_split_begin(cw_table_tags *tags)
{
    uint64_t lines = tags->lines * 2;
    uint64_t line_bytes = lines * sizeof(cw_table_line);
    uint64_t spill_bytes = cw_table_spill_slots(lines) * sizeof *tags->spill;
    uint64_t max_bytes = tags->bloom.options.max_bytes;
    if (lines > CW_TABLE_LINES_MOST || (max_bytes && line_bytes + spill_bytes + sizeof *tags > max_bytes))
        return CRAWL_ENOMEM;
    if (line_bytes + spill_bytes > tags->most)
        return CRAWL_ENOMEM;
    crawl_err err = cw_bloom_pages_grow(&tags->line_pages, line_bytes, tags->most);
    tags->line = tags->line_pages.data;
    if (!err)
        err = cw_bloom_pages_grow(&tags->spill_pages, spill_bytes, tags->most);
    tags->spill = tags->spill_pages.data;
    if (err)
        return err;
    tags->room = lines;
    tags->touched = line_bytes;
    tags->spill_touched = spill_bytes;
    return CRAWL_OK;
}

/* Takes the step before *touched from the machine if `need` lies in it. */
static void touch_step(const cw_bloom_pages *pages, uint64_t need, uint64_t *touched)
{
    if (need >= *touched)
        return;
    uint64_t from = (*touched - 1) / CW_BLOOM_PAGES_STEP * CW_BLOOM_PAGES_STEP;
    cw_bloom_pages_touch(pages, (size_t)from, (size_t)(*touched - from));
    *touched = from;
}

/* Takes the memory needed to split the line before the edge. Takes that of the spill half a step earlier, so that no
 * call waits for both. */
static void touch(cw_table_tags *tags)
{
    const uint64_t lead = CW_BLOOM_PAGES_STEP / sizeof(cw_table_line) / 4;
    uint64_t line = tags->edge - 1;
    touch_step(&tags->line_pages, 2 * line * sizeof *tags->line, &tags->touched);
    touch_step(&tags->spill_pages, (line > lead ? line - lead : 0) * sizeof *tags->spill, &tags->spill_touched);
}

/* Splits one line into two. Lanes and checks stay where they are; the checks of empty lanes mean nothing. */
static void split_lanes(const cw_table_line_shape *shape, const cw_table_line *from, cw_table_line *low,
                        cw_table_line *high)
{
    const lanes8 *entries = (const lanes8 *)from, *words = (const lanes8 *)shape->words;
    for (unsigned i = 0; i < CW_TABLE_LANES / 8; i++) {
        lanes8 entry = entries[i];
        lanes8 none = (lanes8)(entry == CW_TABLE_FINGER_NONE);
        lanes8 first = (lanes8)((entry & 0x8000) != 0);
        lanes8 rest = (entry << 1 | (none & CW_TABLE_FINGER_NONE)) & words[i];
        lanes8 checks = entry & ~words[i];
        ((lanes8 *)low)[i] = (rest & (~first | none)) | checks;
        ((lanes8 *)high)[i] = (rest & first) | checks;
    }
    cw_table_line_set_spilled(low, 0);
    cw_table_line_set_spilled(high, 0);
}

static unsigned count_copies(const cw_table_line_shape *shape, const cw_table_line *line)
{
    unsigned copies = 0;
    for (unsigned i = 0; i < shape->lanes; i++)
        copies += line->lane[i] == CW_TABLE_FINGER_NONE;
    return copies;
}

/* Puts the spilled keys of a split line into their new lines, or back into the spill if there is no free lane or
 * another entry of the line matches (see table.h). The spill has room for all of them. */
static void table_split_place(cw_table_tags *tags, const uint64_t *keys, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        cw_table_spot spot = cw_table_spot_of(tags, keys[i]);
        const cw_table_line *line = &tags->line[spot.line];
        cw_table_sight seen = cw_table_line_look(line, spot.finger);
        uint32_t free = cw_table_line_free(&tags->shape, seen);
        if (free && !cw_table_line_confirm(&tags->shape, line, (uint32_t)seen, keys[i]))
            cw_table_tags_put(tags, spot, (unsigned)__builtin_ctz(free), keys[i]);
        else
            cw_table_spill_put(tags, spot.line, keys[i]);
    }
}

void cw_table_tags_unspill(cw_table_tags *tags, uint64_t line)
{
    uint64_t keys[CW_TABLE_SPILLED_MOST];
    table_split_place(tags, keys, cw_table_spill_take_some(tags, line, keys, CW_TABLE_SPILLED_MOST));
}

/* Splits the last line before the edge. False: its spilled keys might find no place, and nothing has changed; this
 * happens only with keys that somebody chose. */
static bool split_one(cw_table_tags *tags)
{
    uint64_t line = tags->edge - 1, keys[CW_TABLE_SPILLED_MOST];
    cw_table_line *from = &tags->line[line];
    cw_table_line low, high;
    touch(tags);
    unsigned spilled = cw_table_spill_take_some(tags, line, keys, CW_TABLE_SPILLED_MOST);
    if (!cw_table_spill_has_room(tags, 2 * line, spilled)) {
        while (spilled)
            cw_table_spill_put(tags, line, keys[--spilled]);
        return false;
    }
    split_lanes(&tags->shape, from, &low, &high);
    if (tags->level >= CW_TABLE_FINGER_BITS) {
        unsigned copies = count_copies(&tags->shape, from);
        tags->entries += copies;
        tags->copies += copies;
    }
    memset(from, 0, sizeof *from);
    tags->line[2 * line] = low;
    tags->line[2 * line + 1] = high;
    tags->edge = line;
    table_split_place(tags, keys, spilled);
    return true;
}

static void table_split_finish(cw_table_tags *tags)
{
    tags->lines = tags->room;
    tags->edge = tags->lines;
    tags->level++;
    tags->touched = tags->spill_touched = 0;
    tags->begin_at = cw_table_tags_begin_at(tags, tags->lines);
}

/* Splits CW_TABLE_SPLITS lines, and begins a doubling first if needed. False: not now. */
static bool table_split_grow(cw_table_tags *tags)
{
    if (tags->room == tags->lines && table_split_begin(tags))
        return false;
    for (unsigned i = 0; i < CW_TABLE_SPLITS && tags->edge > 0; i++) {
        if (!split_one(tags))
            return false;
    }
    if (tags->edge == 0)
        table_split_finish(tags);
    return true;
}

void cw_table_tags_attend(cw_table_tags *tags)
{
    tags->added += tags->quiet_from;
    if (tags->entries >= tags->begin_at && !table_split_grow(tags))
        tags->begin_at = tags->entries + tags->lines / 64 + 1; /* or each add would ask the kernel */
    if (tags->added >= tags->settle_at)
        cw_table_tags_settle(tags);
    uint64_t until_growth = tags->entries < tags->begin_at ? tags->begin_at - tags->entries : 1;
    uint64_t until_settled = tags->settle_at - tags->added;
    tags->quiet = tags->quiet_from = until_growth < until_settled ? until_growth : until_settled;
}

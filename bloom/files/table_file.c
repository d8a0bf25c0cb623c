/* Writes a table to a file and reads it back. The numbers determine all sizes and are checked. The arrays may
 * contain anything: each access depends only on the numbers, and each search ends with a lane mask or a window. */
#include "bloom/table/table_spill.h"

#define MANY ((uint64_t)1 << 56) /* no count exceeds it, so sums of a few fit in 64 bits */

void cw_table_tags_save(const crawl_bloom *bloom, cw_file_save *out)
{
    const cw_table_tags *tags = (const cw_table_tags *)bloom;
    cw_file_save_u64(out, tags->shape.lanes);
    cw_file_save_u64(out, tags->first);
    cw_file_save_u64(out, tags->level);
    cw_file_save_u64(out, tags->room > tags->lines);
    cw_file_save_u64(out, tags->edge);
    cw_file_save_u64(out, tags->entries);
    cw_file_save_u64(out, tags->copies);
    cw_file_save_u64(out, tags->spilled);
    cw_file_save_u64(out, tags->begin_at);
    cw_file_save_u64(out, tags->refused);
    for (unsigned i = 0; i < CW_TABLE_LEVELS; i++)
        for (unsigned wider = 0; wider < 2; wider++)
            cw_file_save_u64(out, tags->born[i][wider]);
    cw_file_save_double(out, tags->lost);
    cw_file_save_double(out, tags->odds);
    cw_file_save_u64(out, tags->settle_at);
    cw_file_save_u64(out, tags->added);
    cw_file_save_u64(out, tags->quiet_from);
    cw_file_save_u64(out, tags->quiet);
    cw_file_save_array(out, tags->line, tags->room * sizeof *tags->line);
    cw_file_save_array(out, tags->spill, cw_table_spill_slots(tags->room) * sizeof *tags->spill);
}

static void load_places(cw_file_load *in, cw_table_tags *tags)
{
    uint64_t lanes = cw_file_load_u64(in, "lanes", CW_TABLE_LANES_LEAST, CW_TABLE_LANES_MOST);
    cw_table_shape_of_line((unsigned)lanes, &tags->shape);
    tags->load = cw_table_load_of((unsigned)lanes);
    tags->first = cw_file_load_u64(in, "first lines", 1, CW_TABLE_LINES_MOST);
    tags->level = (unsigned)cw_file_load_u64(in, "level", 0, CW_TABLE_LEVELS - 2);
    if (tags->first > CW_TABLE_LINES_MOST >> tags->level)
        cw_file_load_refuse(in, "%llu lines at level %u are too many", (unsigned long long)tags->first, tags->level);
    tags->lines = cw_file_load_state(in) ? 1 : tags->first << tags->level;
    tags->room = tags->lines << cw_file_load_u64(in, "doubling", 0, 1);
    tags->edge = cw_file_load_u64(in, "edge", tags->room > tags->lines ? 1 : tags->lines, tags->lines);
}

static void load_counts(cw_file_load *in, cw_table_tags *tags)
{
    tags->entries = cw_file_load_u64(in, "entries", 0, MANY);
    tags->copies = cw_file_load_u64(in, "copies", 0, tags->entries);
    tags->spilled = cw_file_load_u64(in, "spilled", 0, tags->entries);
    tags->begin_at = cw_file_load_u64(in, "begin_at", 0, MANY);
    tags->refused = cw_file_load_u64(in, "refused", 0, UINT64_MAX);
    for (unsigned i = 0; i < CW_TABLE_LEVELS; i++)
        for (unsigned wider = 0; wider < 2; wider++)
            tags->born[i][wider] = cw_file_load_u64(in, "born", 0, MANY);
    tags->lost = cw_file_load_double(in, "lost", 0, 1e300);
    tags->odds = cw_file_load_double(in, "odds", 0, 1e6);
    tags->settle_at = cw_file_load_u64(in, "settle_at", 1, MANY);
    tags->added = cw_file_load_u64(in, "added", 0, tags->settle_at - 1);
    tags->quiet_from = cw_file_load_u64(in, "quiet_from", 1, MANY);
    tags->quiet = cw_file_load_u64(in, "quiet", 1, tags->quiet_from);
}

crawl_err cw_table_tags_load(cw_file_load *in, const crawl_bloom_options *options, crawl_bloom **out)
{
    cw_table_tags *tags = cw_table_tags_start(options);
    if (!tags)
        return CRAWL_ENOMEM;
    load_places(in, tags);
    load_counts(in, tags);
    cw_file_load_array(in, "lines", tags->room * sizeof *tags->line, &tags->line_pages);
    cw_file_load_array(in, "spill", cw_table_spill_slots(tags->room) * sizeof *tags->spill, &tags->spill_pages);
    tags->line = tags->line_pages.data;
    tags->spill = tags->spill_pages.data;
    crawl_err err = cw_file_load_state(in);
    if (err)
        cw_table_tags_destroy(&tags->bloom);
    else
        *out = &tags->bloom;
    return err;
}

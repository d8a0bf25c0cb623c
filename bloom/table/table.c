/* The kind "table": what <crawl/bloom.h> calls, and how a table is made. table.h says how it works. */
#include "bloom/table/table_loops.h"
#include "bloom/table/table_spill.h"

#include <stdlib.h>

static crawl_err table_add(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t *where)
{
    return ((cw_table_tags *)bloom)->loops->add(bloom, hash, where);
}

static crawl_err table_add_many(crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *fresh,
                                uint32_t *where)
{
    return ((cw_table_tags *)bloom)->loops->add_many(bloom, hashes, count, fresh, where);
}

static bool table_test(const crawl_bloom *bloom, cw_bloom_hash hash)
{
    return ((const cw_table_tags *)bloom)->loops->test(bloom, hash);
}

static void table_test_many(const crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *present)
{
    ((const cw_table_tags *)bloom)->loops->test_many(bloom, hashes, count, present);
}

static crawl_err table_forget(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t where)
{
    return ((cw_table_tags *)bloom)->loops->forget(bloom, hash, where);
}

static crawl_err table_get_memory(cw_table_tags *tags)
{
    crawl_err err = cw_bloom_pages_get(tags->lines * sizeof *tags->line, tags->most, &tags->line_pages);
    if (!err)
        err =
            cw_bloom_pages_get(cw_table_spill_slots(tags->lines) * sizeof *tags->spill, tags->most, &tags->spill_pages);
    tags->line = tags->line_pages.data;
    tags->spill = tags->spill_pages.data;
    return err;
}

cw_table_tags *cw_table_tags_start(const crawl_bloom_options *options)
{
    const cw_table_loops *loops[CW_TABLE_LOOPS];
    cw_table_tags *tags = calloc(1, sizeof *tags);
    if (!tags)
        return NULL;
    cw_table_loops_all(loops);
    tags->loops = loops[0];
    tags->bloom.options = *options;
    tags->most = cw_bloom_pages_most();
    return tags;
}

crawl_err cw_table_tags_make(const crawl_bloom_options *options, unsigned lanes, uint64_t lines, cw_table_tags **out)
{
    cw_table_tags *tags = cw_table_tags_start(options);
    if (!tags)
        return CRAWL_ENOMEM;
    tags->first = tags->lines = tags->edge = tags->room = lines;
    tags->load = cw_table_load_of(lanes);
    tags->begin_at = cw_table_tags_begin_at(tags, lines);
    tags->settle_at = lines / 16 + 1;
    tags->quiet = tags->quiet_from = 1;
    cw_table_shape_of_line(lanes, &tags->shape);
    crawl_err err = table_get_memory(tags);
    if (err)
        cw_table_tags_destroy(&tags->bloom);
    else
        *out = tags;
    return err;
}

/* The number of lines that hold this many keys before they begin to double. */
static uint64_t lines_for(uint64_t keys, unsigned lanes)
{
    uint64_t lines = keys * 16 / (cw_table_load_of(lanes) - 16 / CW_TABLE_SPLITS) + 1;
    return lines > CW_TABLE_LINES_LEAST ? lines : CW_TABLE_LINES_LEAST;
}

static crawl_err table_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error)
{
    unsigned lanes = cw_table_lanes_for(options->fpr);
    uint64_t lines = lines_for(options->capacity, lanes);
    uint64_t bytes =
        lines * sizeof(cw_table_line) + cw_table_spill_slots(lines) * sizeof(uint64_t) + sizeof(cw_table_tags);
    if (options->max_bytes && bytes > options->max_bytes)
        return crawl_error_set(error, CRAWL_EINVAL,
                               "filter: max_bytes is %llu, expected 0 or at least %llu for the capacity",
                               (unsigned long long)options->max_bytes, (unsigned long long)bytes);
    cw_table_tags *tags;
    crawl_err err = cw_table_tags_make(options, lanes, lines, &tags);
    if (err)
        return crawl_error_set(error, err, "filter: no memory for a table of %llu bytes", (unsigned long long)bytes);
    *out = &tags->bloom;
    return CRAWL_OK;
}

/* Frees a table. A part that could not be allocated is all zero, and frees as nothing. */
void cw_table_tags_destroy(crawl_bloom *bloom)
{
    cw_table_tags *tags = (cw_table_tags *)bloom;
    cw_bloom_pages_free(&tags->line_pages);
    cw_bloom_pages_free(&tags->spill_pages);
    free(tags);
}

const cw_kind cw_kind_table = {
    .name = "table",
    .create = table_create,
    .destroy = cw_table_tags_destroy,
    .add = table_add,
    .add_many = table_add_many,
    .test = table_test,
    .test_many = table_test_many,
    .forget = table_forget,
    .save = cw_table_tags_save,
    .load = cw_table_tags_load,
    .validate = cw_table_tags_check,
    .stats = cw_table_tags_stats,
};

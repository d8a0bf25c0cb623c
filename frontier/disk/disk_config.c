/* See disk_config.h. A table of the options; their record is their values in its order, as numbers, then the text of
 * fingerprints. */
#include "frontier/disk/disk_config.h"

#include "frontier/disk/disk_record.h"

#include <assert.h>
#include <stdio.h>

typedef enum kind { ORDER, KIND, NUMBER, SMALL, REAL } kind;

#define AT(field) offsetof(crawl_frontier_options, field)

static const struct option {
    const char *name;
    kind kind;
    size_t at;
} table[] = {
    {"order", ORDER, AT(order)},
    {"seen.kind", KIND, AT(seen.kind)},
    {"seen.capacity", NUMBER, AT(seen.capacity)},
    {"seen.fpr", REAL, AT(seen.fpr)},
    {"seen.growth", REAL, AT(seen.growth)},
    {"seen.tightening", REAL, AT(seen.tightening)},
    {"seen.max_bytes", NUMBER, AT(seen.max_bytes)},
    {"seen.seed", NUMBER, AT(seen.seed)},
    {"seen.bits", NUMBER, AT(seen.bits)},
    {"seen.hashes", SMALL, AT(seen.hashes)},
    {"seen.generations", SMALL, AT(seen.generations)},
    {"seen.window_ms", NUMBER, AT(seen.window_ms)},
    {"seen.shards", SMALL, AT(seen.shards)},
};

#define OPTIONS (sizeof table / sizeof *table)

/* Returns 64 bits for a value (an enum, a 32-bit field or a real), equal if and only if the values are. */
static uint64_t disk_config_value_of(const struct option *option, const crawl_frontier_options *options)
{
    const char *field = (const char *)options + option->at;
    uint64_t wide;
    uint32_t narrow;
    if (option->kind == NUMBER || option->kind == REAL) {
        memcpy(&wide, field, sizeof wide);
        return wide;
    }
    memcpy(&narrow, field, sizeof narrow);
    return narrow;
}

/* false: not such a value. */
static bool disk_config_set_value(const struct option *option, crawl_frontier_options *options, uint64_t value)
{
    char *field = (char *)options + option->at;
    uint32_t narrow = (uint32_t)value;
    if (option->kind == NUMBER || option->kind == REAL) {
        memcpy(field, &value, sizeof value);
        return true;
    }
    if ((option->kind == ORDER && value > CRAWL_ORDER_BEST) || (option->kind == KIND && value >= CRAWL_BLOOM_KINDS) ||
        value > UINT32_MAX)
        return false;
    memcpy(field, &narrow, sizeof narrow);
    return true;
}

static_assert(sizeof(crawl_order) == sizeof(uint32_t) && sizeof(crawl_bloom_kind) == sizeof(uint32_t),
              "enums are read as 32 bits");
static_assert(sizeof(double) == sizeof(uint64_t), "reals are kept as 64 bits");

static crawl_err write_config(const crawl_frontier_options *options, crawl_buf *out)
{
    crawl_err err = crawl_buf_reserve(out, OPTIONS * CW_DISK_NUMBER_MAX);
    if (err)
        return err;
    char *at = out->data + out->size;
    for (size_t i = 0; i < OPTIONS; i++)
        at = cw_disk_put_number(at, disk_config_value_of(&table[i], options));
    out->size = (size_t)(at - out->data);
    return crawl_buf_append_text(out, options->fingerprints ? options->fingerprints : "");
}

static crawl_err disk_read_config(crawl_slice record, crawl_frontier_options *options, crawl_slice *fingerprints,
                                  crawl_error *error)
{
    uint64_t value;
    for (size_t i = 0; i < OPTIONS; i++)
        if (!cw_disk_get_number(&record, &value) || !disk_config_set_value(&table[i], options, value))
            return crawl_error_set(error, CRAWL_ECORRUPT, "the record of the options cannot be read");
    *fingerprints = record;
    return CRAWL_OK;
}

static void disk_config_print(const struct option *option, const crawl_frontier_options *options, char *out,
                              size_t size)
{
    static const char *const orders[] = {"bfs", "dfs", "best"};
    uint64_t value = disk_config_value_of(option, options);
    double real;
    memcpy(&real, &value, sizeof real);
    if (option->kind == ORDER)
        snprintf(out, size, "%s", value <= CRAWL_ORDER_BEST ? orders[value] : "?");
    else if (option->kind == KIND)
        snprintf(out, size, "%s", crawl_bloom_kind_name((crawl_bloom_kind)value));
    else if (option->kind == REAL)
        snprintf(out, size, "%g", real);
    else
        snprintf(out, size, "%llu", (unsigned long long)value);
}

static crawl_err disk_config_compare(const crawl_frontier_options *saved, crawl_slice fingerprints,
                                     const crawl_frontier_options *asked, crawl_error *error)
{
    char before[32];
    char now[32];
    for (size_t i = 0; i < OPTIONS; i++) {
        if (disk_config_value_of(&table[i], saved) == disk_config_value_of(&table[i], asked))
            continue;
        disk_config_print(&table[i], saved, before, sizeof before);
        disk_config_print(&table[i], asked, now, sizeof now);
        return crawl_error_set(error, CRAWL_EINVAL, "%s: was %s when the directory was made, and cannot become %s",
                               table[i].name, before, now);
    }
    if (crawl_slice_equal(fingerprints, crawl_slice_from(asked->fingerprints)))
        return CRAWL_OK;
    return crawl_error_set(error, CRAWL_EINVAL,
                           "fingerprints: were \"%.*s\" when the directory was made, and cannot become \"%s\"",
                           (int)(fingerprints.size < 100 ? fingerprints.size : 100), fingerprints.data,
                           asked->fingerprints ? asked->fingerprints : "");
}

static const crawl_slice format_name = {.data = "mformat", .size = sizeof "mformat" - 1};
static const crawl_slice by_depth_name = {.data = "mby_depth", .size = sizeof "mby_depth" - 1}; /* present or absent */
static const crawl_slice config_name = {.data = "mconfig", .size = sizeof "mconfig" - 1};

static crawl_err write_format(cw_disk *disk, const crawl_frontier_options *options, crawl_error *error)
{
    char number[CW_DISK_NUMBER_MAX];
    crawl_buf config = {0};
    crawl_err err = write_config(options, &config);
    if (!err) {
        cw_disk_begin(disk);
        cw_disk_put(disk, CW_FAMILY_META, format_name,
                    crawl_slice_of(number, (size_t)(cw_disk_put_number(number, CW_DISK_FORMAT) - number)));
        cw_disk_put(disk, CW_FAMILY_META, config_name, crawl_buf_slice(&config));
        if (options->by_depth)
            cw_disk_put(disk, CW_FAMILY_META, by_depth_name, (crawl_slice){0});
        err = cw_disk_database_write(&disk->database, disk->batch, true, error);
    }
    crawl_buf_free(&config);
    return err;
}

crawl_err cw_disk_config_check_format(cw_disk_database *database, crawl_error *error)
{
    crawl_buf record = {0};
    uint64_t format = 0;
    crawl_err err = cw_disk_database_get(database, CW_FAMILY_META, format_name, &record, error);
    crawl_slice at = crawl_buf_slice(&record);
    if (!err && (!cw_disk_get_number(&at, &format) || format != CW_DISK_FORMAT))
        err = crawl_error_set(error, CRAWL_ECORRUPT, "of format %llu; this version knows format %d",
                              (unsigned long long)format, CW_DISK_FORMAT);
    crawl_buf_free(&record);
    return err;
}

static crawl_err read_by_depth(cw_disk_database *database, crawl_frontier_options *options, crawl_error *error)
{
    crawl_buf record = {0};
    crawl_err err = cw_disk_database_get(database, CW_FAMILY_META, by_depth_name, &record, error);
    options->by_depth = !err;
    crawl_buf_free(&record);
    return err == CRAWL_ABSENT ? CRAWL_OK : err;
}

crawl_err cw_disk_config_get(cw_disk_database *database, crawl_buf *record, crawl_frontier_options *options,
                             crawl_slice *fingerprints, crawl_error *error)
{
    crawl_err err = cw_disk_database_get(database, CW_FAMILY_META, config_name, record, error);
    if (err == CRAWL_ABSENT)
        err = crawl_error_set(error, CRAWL_ECORRUPT, "the record of the options is missing");
    if (!err)
        err = read_by_depth(database, options, error);
    return err ? err : disk_read_config(crawl_buf_slice(record), options, fingerprints, error);
}

crawl_err cw_disk_config_agree(cw_disk *disk, crawl_frontier_options *options, crawl_error *error)
{
    crawl_buf record = {0};
    crawl_slice fingerprints;
    crawl_frontier_options saved;
    crawl_frontier_options_init(&saved, sizeof saved);
    crawl_err err = cw_disk_config_check_format(&disk->database, error);
    if (err == CRAWL_ABSENT)
        return write_format(disk, options, error);
    if (!err)
        err = cw_disk_config_get(&disk->database, &record, &saved, &fingerprints, error);
    if (!err)
        err = disk_config_compare(&saved, fingerprints, options, error);
    options->by_depth = saved.by_depth;
    crawl_buf_free(&record);
    return err;
}

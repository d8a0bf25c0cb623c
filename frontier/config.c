/* See config.h. A table of the options; a record is their values in its order, as numbers, then the text of
 * fingerprints. */
#include "frontier/config.h"

#include "frontier/disk/record.h"

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

/* Of enums, 32-bit fields and reals alike: 64 bits that are equal just when the values are. */
static uint64_t value_of(const struct option *option, const crawl_frontier_options *options)
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

/* false: no such value. */
static bool set_value(const struct option *option, crawl_frontier_options *options, uint64_t value)
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

crawl_err cw_config_write(const crawl_frontier_options *options, crawl_buf *out)
{
    crawl_err err = crawl_buf_reserve(out, OPTIONS * CW_NUMBER_MAX);
    if (err)
        return err;
    char *at = out->data + out->size;
    for (size_t i = 0; i < OPTIONS; i++)
        at = cw_put_number(at, value_of(&table[i], options));
    out->size = (size_t)(at - out->data);
    return crawl_buf_append_text(out, options->fingerprints ? options->fingerprints : "");
}

crawl_err cw_config_read(crawl_slice record, crawl_frontier_options *options, crawl_slice *fingerprints,
                         crawl_error *error)
{
    uint64_t value;
    for (size_t i = 0; i < OPTIONS; i++)
        if (!cw_get_number(&record, &value) || !set_value(&table[i], options, value))
            return crawl_error_set(error, CRAWL_ECORRUPT, "the record of the options cannot be read");
    *fingerprints = record;
    return CRAWL_OK;
}

static void print(const struct option *option, const crawl_frontier_options *options, char *out, size_t size)
{
    static const char *const orders[] = {"bfs", "dfs", "best"};
    uint64_t value = value_of(option, options);
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

crawl_err cw_config_compare(const crawl_frontier_options *saved, crawl_slice fingerprints,
                            const crawl_frontier_options *asked, crawl_error *error)
{
    char before[32];
    char now[32];
    for (size_t i = 0; i < OPTIONS; i++) {
        if (value_of(&table[i], saved) == value_of(&table[i], asked))
            continue;
        print(&table[i], saved, before, sizeof before);
        print(&table[i], asked, now, sizeof now);
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

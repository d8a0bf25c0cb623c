/* The options of a filter: defaults and ranges. */
#include "bloom/bloom_options.h"

#include "bloom/kinds/kind.h"

typedef struct range {
    const char *name;
    double value, least, most;
} range;

void crawl_bloom_options_init(crawl_bloom_options *options)
{
    *options = (crawl_bloom_options){
        .kind = CRAWL_BLOOM_SCALABLE,
        .capacity = 1000000,
        .fpr = 1e-4,
        .growth = 2,
        .tightening = 0.85,
        .generations = 4,
    };
}

/* Returns true if a number is inside its range. Written so that NaN is refused. */
static bool inside(const range *r)
{
    return r->value >= r->least && r->value <= r->most;
}

/* Returns true if an option is set that this version does not know. */
static bool has_unknown(const crawl_bloom_options *options)
{
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof options->reserved / sizeof *options->reserved; i++)
        all |= options->reserved[i];
    return all != 0;
}

crawl_err cw_bloom_options_check(const crawl_bloom_options *options, crawl_error *error)
{
    bool sized = options->kind == CRAWL_BLOOM_CLASSIC && options->bits; /* capacity only sets the number of hashes */
    const range ranges[] = {
        {"capacity", (double)options->capacity, sized ? 1 : 1000, 1099511627776.0},
        {"fpr", options->fpr, 1e-9, 0.5},
        {"growth", options->growth, 1, 16},
        {"tightening", options->tightening, 0.05, 0.95},
        {"generations", options->generations, options->kind == CRAWL_BLOOM_ROTATING ? 2 : 0, 16},
        {"hashes", options->hashes, 0, 64},
        {"bits", (double)options->bits, options->bits ? 8 : 0, 0x1p46},
        {"shards", options->shards, 0, 256},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (!inside(&ranges[i]))
            return crawl_error_set(error, CRAWL_EINVAL, "filter: %s is %.15g, expected %.15g to %.15g", ranges[i].name,
                                   ranges[i].value, ranges[i].least, ranges[i].most);
    }
    if (has_unknown(options))
        return crawl_error_set(error, CRAWL_EINVAL,
                               "filter: reserved is not 0: initialize the options with crawl_bloom_options_init of "
                               "this version");
    if (options->shards & (options->shards - 1))
        return crawl_error_set(error, CRAWL_EINVAL, "filter: shards is %u, expected 0 or a power of two up to 256",
                               (unsigned)options->shards);
    return CRAWL_OK;
}

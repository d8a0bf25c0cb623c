/* Creates a rotating filter: sized by options, or loaded from a file. */
#include "bloom/kinds/rotating.h"

#include <math.h>
#include <stdlib.h>

/* Larger than any address space: such a size is refused anyway, and smaller numbers fit into 64 bits. */
#define BYTES_MAX 0x1p56

/* Maxima that no filter within its capacity reaches. */
#define RATE_MAX 0.999
#define ODDS_MAX 1e6

/* Computes the rate of a full generation from the rate of the whole. Returns the keys per block at that rate, with one
 * or with two bits in every lane, whichever takes less memory. */
static double choose_shape(cw_kind_rotating_filter *r)
{
    const unsigned lanes = CW_KIND_LINE;
    r->each_fpr = -expm1(log1p(-r->bloom.options.fpr) / r->slots);
    cw_bloom_rates_init(&r->rates, (cw_bloom_shape){.lanes = lanes, .cells = 64, .hashes = 1});
    double once = cw_bloom_load_for(&r->rates, r->each_fpr);
    cw_bloom_rates_init(&r->rates, (cw_bloom_shape){.lanes = lanes, .cells = 64, .hashes = 2});
    double twice = cw_bloom_load_for(&r->rates, r->each_fpr);
    r->twice = twice > once;
    if (!r->twice)
        cw_bloom_rates_init(&r->rates, (cw_bloom_shape){.lanes = lanes, .cells = 64, .hashes = 1});
    return r->twice ? twice : once;
}

/* Returns the keys that a generation loses while it is filled up to this load, per key that it keeps. Lost keys fill it
 * as well. */
static double ghosts_per_key(const cw_kind_rotating_filter *r, double load)
{
    enum { STEPS = 16 };
    double sum = 0;
    for (int i = 0; i < STEPS; i++) {
        double rate = cw_bloom_rate(&r->rates, load * (i + 0.5) / STEPS);
        sum += rate / (1 - rate) / STEPS;
    }
    return sum;
}

static uint64_t ceil_share(uint64_t whole, uint64_t parts)
{
    return whole / parts + (whole % parts != 0);
}

static uint64_t line_bytes(const cw_kind_rotating_filter *r)
{
    return r->blocks * r->slots * CW_KIND_LINE * sizeof(uint64_t);
}

static uint64_t tag_bytes(const cw_kind_rotating_filter *r)
{
    return cw_kind_chunks(r->blocks) * r->slots * sizeof(uint32_t);
}

/* Computes everything that follows from the options. CRAWL_ENOMEM: larger than any memory. */
static crawl_err rotating_make_lay_out(cw_kind_rotating_filter *r, const crawl_bloom_options *options)
{
    r->bloom.options = *options;
    r->loops = cw_kind_rotating_loops_best();
    r->slots = options->generations;
    r->each = ceil_share(options->capacity, r->slots);
    r->slice = ceil_share(options->window_ms, r->slots);
    r->due = r->each / 128;
    double load = choose_shape(r);
    double blocks = ceil((double)r->each * (1 + ghosts_per_key(r, load)) / load);
    if (blocks * (double)(r->slots * CW_KIND_LINE) * sizeof(uint64_t) >= BYTES_MAX)
        return CRAWL_ENOMEM;
    r->blocks = (uint64_t)blocks;
    return CRAWL_OK;
}

static crawl_err rotating_make_check_room(const cw_kind_rotating_filter *r, crawl_error *error)
{
    uint64_t max_bytes = r->bloom.options.max_bytes;
    uint64_t least = sizeof *r + line_bytes(r) + tag_bytes(r) + 64;
    if (max_bytes == 0 || max_bytes >= least)
        return CRAWL_OK;
    return crawl_error_set(error, CRAWL_EINVAL,
                           "filter: max_bytes is %llu, expected 0 or at least %llu for the capacity",
                           (unsigned long long)max_bytes, (unsigned long long)least);
}

/* Faults in all pages at once: keys reach all of them equally, and otherwise the first batch would wait for each. */
static crawl_err rotating_make_get_memory(cw_kind_rotating_filter *r)
{
    uint64_t most = cw_bloom_pages_most();
    crawl_err err = cw_bloom_pages_get(line_bytes(r), most, &r->line_pages);
    if (!err)
        err = cw_bloom_pages_get(tag_bytes(r), most, &r->tag_pages);
    if (err)
        return err;
    cw_bloom_pages_touch(&r->line_pages, 0, r->line_pages.bytes);
    cw_bloom_pages_touch(&r->tag_pages, 0, r->tag_pages.bytes);
    r->lines = r->line_pages.data;
    r->tags = r->tag_pages.data;
    return CRAWL_OK;
}

void cw_kind_rotating_destroy(crawl_bloom *bloom)
{
    cw_kind_rotating_filter *r = (cw_kind_rotating_filter *)bloom;
    if (r->line_pages.data)
        cw_bloom_pages_free(&r->line_pages);
    if (r->tag_pages.data)
        cw_bloom_pages_free(&r->tag_pages);
    free(r);
}

static void set_live(cw_kind_rotating_filter *r, uint32_t oldest, uint32_t newest)
{
    r->oldest = oldest;
    r->newest = newest;
    for (uint32_t s = 0; s < CW_KIND_GENERATIONS_MAX; s++)
        r->live[s] = CW_KIND_NO_GENERATION;
    for (uint32_t number = oldest; number <= newest; number++)
        r->live[cw_kind_slot_of(r, number)] = number;
}

static crawl_err rotating_make(cw_kind_rotating_filter *r, const crawl_bloom_options *options, crawl_error *error)
{
    crawl_err err = rotating_make_lay_out(r, options);
    if (!err) {
        err = rotating_make_check_room(r, error);
        if (err)
            return err;
        err = rotating_make_get_memory(r);
    }
    if (err)
        return crawl_error_set(error, err, "filter: no memory for a window of %llu keys",
                               (unsigned long long)options->capacity);
    set_live(r, 1, 1);
    return CRAWL_OK;
}

crawl_err cw_kind_rotating_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error)
{
    cw_kind_rotating_filter *r = calloc(1, sizeof *r);
    if (!r)
        return crawl_error_set(error, CRAWL_ENOMEM, "filter: no memory");
    crawl_err err = rotating_make(r, options, error);
    if (err)
        cw_kind_rotating_destroy(&r->bloom);
    else
        *out = &r->bloom;
    return err;
}

void cw_kind_rotating_save(const crawl_bloom *bloom, cw_file_save *out)
{
    const cw_kind_rotating_filter *r = (const cw_kind_rotating_filter *)bloom;
    cw_file_save_u64(out, r->blocks);
    cw_file_save_u64(out, r->twice);
    cw_file_save_u64(out, r->newest);
    cw_file_save_u64(out, r->oldest);
    cw_file_save_u64(out, r->told);
    cw_file_save_u64(out, r->now);
    cw_file_save_double(out, r->lost);
    cw_file_save_double(out, r->odds);
    cw_file_save_u64(out, r->adds);
    for (uint32_t s = 0; s < r->slots; s++) {
        cw_file_save_u64(out, r->generation[s].count);
        cw_file_save_u64(out, r->generation[s].begun);
        cw_file_save_double(out, r->generation[s].ghosts);
        cw_file_save_double(out, r->generation[s].rate);
    }
    cw_file_save_array(out, r->lines, line_bytes(r));
    cw_file_save_array(out, r->tags, tag_bytes(r));
}

/* blocks and twice follow from the options, but are stored so that they stay right if another machine rounds a rate
 * differently. */
static void load_shape(cw_kind_rotating_filter *r, cw_file_load *in)
{
    uint64_t slack = r->blocks / 1024 + 1;
    r->blocks = cw_file_load_u64(in, "blocks", r->blocks > slack ? r->blocks - slack : 1, r->blocks + slack);
    bool twice = cw_file_load_u64(in, "bits of a lane", 0, 1);
    if (twice != r->twice)
        cw_bloom_rates_init(&r->rates, (cw_bloom_shape){.lanes = CW_KIND_LINE, .cells = 64, .hashes = twice ? 2 : 1});
    r->twice = twice;
}

static void rotating_make_load_numbers(cw_kind_rotating_filter *r, cw_file_load *in)
{
    load_shape(r, in);
    uint32_t newest = (uint32_t)cw_file_load_u64(in, "newest generation", 1, CW_KIND_NO_GENERATION - 1);
    uint32_t least = newest > r->slots ? newest - r->slots + 1 : 1;
    uint32_t oldest = (uint32_t)cw_file_load_u64(in, "oldest generation", least, newest);
    set_live(r, oldest, newest);
    r->told = cw_file_load_u64(in, "time known", 0, 1);
    r->now = cw_file_load_u64(in, "time", 0, r->told ? UINT64_MAX : 0);
    r->lost = cw_file_load_double(in, "expected losses", 0, 1e300);
    r->odds = cw_file_load_double(in, "odds", 0, ODDS_MAX);
    r->adds = cw_file_load_u64(in, "keys since", 0, r->due);
    for (uint32_t s = 0; s < r->slots; s++) {
        r->generation[s].count = cw_file_load_u64(in, "keys of a generation", 0, r->each);
        r->generation[s].begun = cw_file_load_u64(in, "begin of a generation", 0, r->now);
        r->generation[s].ghosts = cw_file_load_double(in, "losses of a generation", 0, 1e300);
        r->generation[s].rate = cw_file_load_double(in, "rate of a generation", 0, RATE_MAX);
    }
}

static crawl_err load_into(cw_kind_rotating_filter *r, cw_file_load *in, const crawl_bloom_options *options)
{
    crawl_err err = rotating_make_lay_out(r, options);
    if (err)
        return err;
    rotating_make_load_numbers(r, in);
    err = cw_file_load_array(in, "array of lines", line_bytes(r), &r->line_pages);
    if (!err)
        err = cw_file_load_array(in, "array of tags", tag_bytes(r), &r->tag_pages);
    r->lines = r->line_pages.data;
    r->tags = r->tag_pages.data;
    return err;
}

crawl_err cw_kind_rotating_load(cw_file_load *in, const crawl_bloom_options *options, crawl_bloom **out)
{
    cw_kind_rotating_filter *r = calloc(1, sizeof *r);
    if (!r)
        return CRAWL_ENOMEM;
    crawl_err err = load_into(r, in, options);
    if (err)
        cw_kind_rotating_destroy(&r->bloom);
    else
        *out = &r->bloom;
    return err;
}

/* Checks that every tag is the number of a generation of its slot, and not a future one. */
crawl_err cw_kind_rotating_validate(const crawl_bloom *bloom, crawl_error *error)
{
    const cw_kind_rotating_filter *r = (const cw_kind_rotating_filter *)bloom;
    for (uint64_t i = 0; i < cw_kind_chunks(r->blocks) * r->slots; i++) {
        uint32_t tag = r->tags[i];
        if (tag > r->newest || (tag && cw_kind_slot_of(r, tag) != i % r->slots))
            return crawl_error_set(error, CRAWL_ECORRUPT, "chunk %llu has bits of generation %lu, expected up to %lu",
                                   (unsigned long long)(i / r->slots), (unsigned long)tag, (unsigned long)r->newest);
    }
    return CRAWL_OK;
}

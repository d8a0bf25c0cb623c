/* The kind "rotating": keys older than a window are forgotten automatically. The window is divided into generations,
 * each a blocked bloom filter (cells.h). New keys go into the newest; the oldest is dropped as a whole when its slot is
 * needed, or when it is older than the window. The generations are numbered from 1; number n has slot n mod slots.
 *
 * Interleaved. All generations have the same number of blocks, and the lines of one block of all generations are
 * adjacent. A key has the same block and the same bits in all of them, so a search reads neighbouring lines: one page,
 * one mask.
 *
 * Dropped at once. A generation is never wiped: a tag for each slot of each chunk of blocks tells whose bits its lines
 * hold. Lines count only if their tag is that of the generation that has the slot now. So dropping a generation, or all
 * of them after a long silence, changes only a few words, and the first key that a generation puts into a chunk wipes
 * the lines that its predecessor left there.
 *
 * Invariants:
 * 1. oldest <= newest < oldest + slots. live[] has the numbers from oldest to newest in their slots,
 *    CW_KIND_NO_GENERATION elsewhere.
 * 2. A tag is 0, or the number of a generation that had or has its slot. Its lines hold keys of that generation only.
 * 3. No generation has more than `each` keys.
 * 4. With a time window: all keys of a generation arrived at `begun` or later, and less than `slice` later; generations
 *    begin in order, and one that began a whole window ago does not count.
 *
 * The figures. The expected loss is summed as in chain_stats.c: for each added key, the present odds f / (1 - f). f is
 * that of all generations together, from the number of keys in each; it is recomputed after every 128th of a
 * generation's keys, and when a generation begins or ends.
 *
 * A key lost because of the newest generation would have changed none of its bits: it looks as if the key had been
 * added. So its rate follows from the keys added plus those lost there, the ghosts. */
#include "bloom/kinds/rotating.h"

#include <math.h>

/* Blocks sampled: gives the fill to 1 % and the rate to about 5 %, in about 100 us per generation. */
#define SAMPLE 4096

static const cw_kind_generation *generation_at(const cw_kind_rotating_filter *r, uint32_t number)
{
    return &r->generation[cw_kind_slot_of(r, number)];
}

static double rotating_rate_by_count(const cw_kind_rotating_filter *r, uint32_t number)
{
    const cw_kind_generation *g = generation_at(r, number);
    return cw_bloom_rate(&r->rates, ((double)g->count + g->ghosts) / (double)r->blocks);
}

/* Combines the rates, with `newest` for the newest generation. Only that one changes, so the others keep their last
 * rate. */
static double compound(const cw_kind_rotating_filter *r, double newest)
{
    double none = 1 - newest;
    for (uint32_t number = r->oldest; number < r->newest; number++)
        none *= 1 - generation_at(r, number)->rate;
    return 1 - none;
}

static double rotating_odds_of(double rate)
{
    return rate / (1 - rate);
}

static double rotating_lost_now(const cw_kind_rotating_filter *r, double odds)
{
    return r->lost + (double)r->adds * (r->odds + odds) / 2;
}

static void rotating_settle(cw_kind_rotating_filter *r)
{
    cw_kind_generation *newest = &r->generation[cw_kind_slot_of(r, r->newest)];
    newest->ghosts += (double)r->adds * rotating_odds_of(newest->rate);
    newest->rate = rotating_rate_by_count(r, r->newest);
    double odds = rotating_odds_of(compound(r, newest->rate));
    r->lost = rotating_lost_now(r, odds);
    r->odds = odds;
    r->adds = 0;
}

static void rate_anew(cw_kind_rotating_filter *r)
{
    r->odds = rotating_odds_of(compound(r, generation_at(r, r->newest)->rate));
}

void cw_kind_rotating_count(cw_kind_rotating_filter *r)
{
    if (++r->adds > r->due)
        rotating_settle(r);
}

/* The figures of one slot in one block: the share of bits set, and the rate for keys in it. */
typedef struct rotating_sample {
    double fill;
    double rate;
} rotating_sample;

static rotating_sample rotating_look_at(const cw_kind_rotating_filter *r, uint64_t block, uint32_t slot)
{
    if (r->tags[block / CW_KIND_CHUNK * r->slots + slot] != r->live[slot])
        return (rotating_sample){0};
    const uint64_t *line = r->lines + (block * r->slots + slot) * CW_KIND_LINE;
    rotating_sample s = {.fill = 0, .rate = 1};
    for (unsigned i = 0; i < CW_KIND_LINE; i++) {
        double taken = __builtin_popcountll(line[i]) / 64.0;
        s.fill += taken / CW_KIND_LINE;
        s.rate *= r->twice ? taken * taken : taken;
    }
    return s;
}

/* Returns the means over a sample of blocks for the generations from first to last; the rate is their compound rate. */
static rotating_sample look_around(const cw_kind_rotating_filter *r, uint32_t first, uint32_t last)
{
    uint64_t looks = r->blocks < SAMPLE ? r->blocks : SAMPLE;
    double step = (double)r->blocks / (double)looks;
    rotating_sample mean = {0};
    for (uint64_t i = 0; i < looks; i++) {
        double none = 1;
        for (uint32_t number = first; number <= last; number++) {
            rotating_sample s = rotating_look_at(r, (uint64_t)((double)i * step), cw_kind_slot_of(r, number));
            mean.fill += s.fill / (double)(looks * (last - first + 1));
            none *= 1 - s.rate;
        }
        mean.rate += (1 - none) / (double)looks;
    }
    return mean;
}

static void rotating_stats_of(const crawl_bloom *bloom, uint32_t index, crawl_bloom_stats *out)
{
    const cw_kind_rotating_filter *r = (const cw_kind_rotating_filter *)bloom;
    uint32_t number = r->oldest + index;
    rotating_sample s = look_around(r, number, number);
    *out = (crawl_bloom_stats){
        .count = generation_at(r, number)->count,
        .capacity = r->each,
        .bytes = r->blocks * CW_KIND_LINE * sizeof(uint64_t),
        .fill = s.fill,
        .fpr = r->each_fpr,
        .fpr_now = s.rate,
        .fpr_by_count = rotating_rate_by_count(r, number),
        .filters = 1,
    };
}

static uint32_t rotating_filters(const crawl_bloom *bloom)
{
    const cw_kind_rotating_filter *r = (const cw_kind_rotating_filter *)bloom;
    return r->newest - r->oldest + 1;
}

static void rotating_stats(const crawl_bloom *bloom, crawl_bloom_stats *out)
{
    const cw_kind_rotating_filter *r = (const cw_kind_rotating_filter *)bloom;
    rotating_sample s = look_around(r, r->oldest, r->newest);
    double rate = compound(r, rotating_rate_by_count(r, r->newest));
    *out = (crawl_bloom_stats){
        .capacity = bloom->options.capacity,
        .bytes = sizeof *r + r->line_pages.bytes + r->tag_pages.bytes,
        .fill = s.fill,
        .fpr = bloom->options.fpr,
        .fpr_now = s.rate,
        .fpr_by_count = rate,
        .expected_false = rotating_lost_now(r, rotating_odds_of(rate)),
        .filters = rotating_filters(bloom),
    };
    for (uint32_t number = r->oldest; number <= r->newest; number++)
        out->count += generation_at(r, number)->count;
}

/* ---- the kind ---- */

static cw_kind_rotating_filter *rotating_of(crawl_bloom *bloom)
{
    return (cw_kind_rotating_filter *)bloom;
}

static const cw_kind_rotating_filter *rotating_at(const crawl_bloom *bloom)
{
    return (const cw_kind_rotating_filter *)bloom;
}

/* --- Generations. --- */

static void rotating_drop_oldest(cw_kind_rotating_filter *r)
{
    r->live[cw_kind_slot_of(r, r->oldest)] = CW_KIND_NO_GENERATION;
    r->oldest++;
}

static void rotating_begin(cw_kind_rotating_filter *r, uint32_t number)
{
    uint32_t slot = cw_kind_slot_of(r, number);
    r->newest = number;
    r->live[slot] = number;
    r->generation[slot] = (cw_kind_generation){.begun = r->now};
}

/* Forgets everything after 2^32 generations, when the numbers start over and old tags could be mistaken for new
 * ones. */
static void begin_again(cw_kind_rotating_filter *r)
{
    memset(r->tags, 0, cw_kind_chunks(r->blocks) * r->slots * sizeof *r->tags);
    while (r->oldest <= r->newest)
        rotating_drop_oldest(r);
    r->oldest = 1;
    rotating_begin(r, 1);
}

void cw_kind_rotating_turn(cw_kind_rotating_filter *r)
{
    rotating_settle(r);
    if (r->newest == CW_KIND_NO_GENERATION - 1) {
        begin_again(r);
    } else {
        if (r->newest - r->oldest + 1 == r->slots)
            rotating_drop_oldest(r);
        rotating_begin(r, r->newest + 1);
    }
    rate_anew(r);
}

static void drop_expired(cw_kind_rotating_filter *r)
{
    uint64_t window = r->bloom.options.window_ms;
    if (r->oldest == r->newest || r->now - generation_at(r, r->oldest)->begun < window)
        return;
    rotating_settle(r);
    while (r->oldest < r->newest && r->now - generation_at(r, r->oldest)->begun >= window)
        rotating_drop_oldest(r);
    rate_anew(r);
}

/* Takes the first reported time as the beginning of all present generations, for lack of better knowledge. */
static void start_clock(cw_kind_rotating_filter *r, uint64_t now)
{
    r->told = true;
    r->now = now;
    for (uint32_t s = 0; s < r->slots; s++)
        r->generation[s].begun = now;
}

static void rotating_advance(crawl_bloom *bloom, uint64_t now)
{
    cw_kind_rotating_filter *r = rotating_of(bloom);
    if (r->slice == 0 || (r->told && now <= r->now))
        return;
    if (!r->told) {
        start_clock(r, now);
        return;
    }
    r->now = now;
    cw_kind_generation *newest = &r->generation[cw_kind_slot_of(r, r->newest)];
    if (newest->count == 0)
        newest->begun = now;
    else if (now - newest->begun >= r->slice)
        cw_kind_rotating_turn(r);
    drop_expired(r);
}

/* --- Keys: the loops of rotating_loops.c. --- */

static crawl_err rotating_add(crawl_bloom *bloom, cw_bloom_hash hash, uint32_t *where)
{
    crawl_err err = rotating_of(bloom)->loops->add(rotating_of(bloom), hash);
    if (err == CRAWL_OK)
        *where = 0;
    return err;
}

static crawl_err rotating_add_many(crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *fresh,
                                   uint32_t *where)
{
    rotating_of(bloom)->loops->add_many(rotating_of(bloom), hashes, count, fresh);
    for (size_t i = 0; i < count; i++)
        where[i] = fresh[i] ? 0 : where[i];
    return CRAWL_OK;
}

static bool rotating_test(const crawl_bloom *bloom, cw_bloom_hash hash)
{
    return rotating_at(bloom)->loops->test(rotating_at(bloom), hash);
}

static void rotating_test_many(const crawl_bloom *bloom, const cw_bloom_hash *hashes, size_t count, uint8_t *present)
{
    rotating_at(bloom)->loops->test_many(rotating_at(bloom), hashes, count, present);
}

const cw_kind cw_kind_rotating = {
    .name = "rotating",
    .create = cw_kind_rotating_create,
    .destroy = cw_kind_rotating_destroy,
    .add = rotating_add,
    .add_many = rotating_add_many,
    .test = rotating_test,
    .test_many = rotating_test_many,
    .advance = rotating_advance,
    .save = cw_kind_rotating_save,
    .load = cw_kind_rotating_load,
    .validate = cw_kind_rotating_validate,
    .stats = rotating_stats,
    .stats_of = rotating_stats_of,
    .filters = rotating_filters,
    .find = cw_kind_rotating_find,
};

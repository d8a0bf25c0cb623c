/* The figures of a rotating filter. What is expected to be lost is summed as in chain_stats.c: for each key let in, the
 * odds f / (1 - f) of the moment. f is that of all generations together, from the number of keys in each; it is taken
 * anew at every 128th of a generation's keys, and when a generation begins or ends.
 *
 * A key lost because of the newest generation would have changed no bit of it: it looks as if the key had been added.
 * So its rate follows from the keys let in and those lost there, the ghosts. */
#include "bloom/kinds/rotating.h"

#include <math.h>

/* Blocks looked at: gives the fill within 1 % and the rate within some 5 %, in about 100 us for each generation. */
#define SAMPLE 4096

static const cw_generation *generation_at(const cw_rotating *r, uint32_t number)
{
    return &r->generation[cw_slot_of(r, number)];
}

static double rate_by_count(const cw_rotating *r, uint32_t number)
{
    const cw_generation *g = generation_at(r, number);
    return cw_rate(&r->rates, ((double)g->count + g->ghosts) / (double)r->blocks);
}

/* Only the newest changes, so the others keep the rate of their last moment as such. */
static double compound(const cw_rotating *r, double newest)
{
    double none = 1 - newest;
    for (uint32_t number = r->oldest; number < r->newest; number++)
        none *= 1 - generation_at(r, number)->rate;
    return 1 - none;
}

static double odds_of(double rate)
{
    return rate / (1 - rate);
}

static double lost_now(const cw_rotating *r, double odds)
{
    return r->lost + (double)r->adds * (r->odds + odds) / 2;
}

void cw_rotating_settle(cw_rotating *r)
{
    cw_generation *newest = &r->generation[cw_slot_of(r, r->newest)];
    newest->ghosts += (double)r->adds * odds_of(newest->rate);
    newest->rate = rate_by_count(r, r->newest);
    double odds = odds_of(compound(r, newest->rate));
    r->lost = lost_now(r, odds);
    r->odds = odds;
    r->adds = 0;
}

void cw_rotating_rate_anew(cw_rotating *r)
{
    r->odds = odds_of(compound(r, generation_at(r, r->newest)->rate));
}

void cw_rotating_count(cw_rotating *r)
{
    if (++r->adds > r->due)
        cw_rotating_settle(r);
}

/* Of the lines of one slot in one block: the share of bits set, and the rate for keys that come to it. */
typedef struct sample {
    double fill;
    double rate;
} sample;

static sample look_at(const cw_rotating *r, uint64_t block, uint32_t slot)
{
    if (r->tags[block / CW_CHUNK * r->slots + slot] != r->live[slot])
        return (sample){0};
    const uint64_t *line = r->lines + (block * r->slots + slot) * CW_LINE;
    sample s = {.fill = 0, .rate = 1};
    for (unsigned i = 0; i < CW_LINE; i++) {
        double taken = __builtin_popcountll(line[i]) / 64.0;
        s.fill += taken / CW_LINE;
        s.rate *= r->twice ? taken * taken : taken;
    }
    return s;
}

/* The means over some blocks of the generations from first to last, that is of their compound rate. */
static sample look_around(const cw_rotating *r, uint32_t first, uint32_t last)
{
    uint64_t looks = r->blocks < SAMPLE ? r->blocks : SAMPLE;
    double step = (double)r->blocks / (double)looks;
    sample mean = {0};
    for (uint64_t i = 0; i < looks; i++) {
        double none = 1;
        for (uint32_t number = first; number <= last; number++) {
            sample s = look_at(r, (uint64_t)((double)i * step), cw_slot_of(r, number));
            mean.fill += s.fill / (double)(looks * (last - first + 1));
            none *= 1 - s.rate;
        }
        mean.rate += (1 - none) / (double)looks;
    }
    return mean;
}

void cw_rotating_stats_of(const crawl_bloom *bloom, uint32_t index, crawl_bloom_stats *out)
{
    const cw_rotating *r = (const cw_rotating *)bloom;
    uint32_t number = r->oldest + index;
    sample s = look_around(r, number, number);
    *out = (crawl_bloom_stats){
        .count = generation_at(r, number)->count,
        .capacity = r->each,
        .bytes = r->blocks * CW_LINE * sizeof(uint64_t),
        .fill = s.fill,
        .fpr = r->each_fpr,
        .fpr_now = s.rate,
        .fpr_by_count = rate_by_count(r, number),
        .filters = 1,
    };
}

void cw_rotating_stats(const crawl_bloom *bloom, crawl_bloom_stats *out)
{
    const cw_rotating *r = (const cw_rotating *)bloom;
    sample s = look_around(r, r->oldest, r->newest);
    double rate = compound(r, rate_by_count(r, r->newest));
    *out = (crawl_bloom_stats){
        .capacity = bloom->options.capacity,
        .bytes = sizeof *r + r->line_pages.bytes + r->tag_pages.bytes,
        .fill = s.fill,
        .fpr = bloom->options.fpr,
        .fpr_now = s.rate,
        .fpr_by_count = rate,
        .expected_false = lost_now(r, odds_of(rate)),
        .filters = cw_rotating_filters(bloom),
    };
    for (uint32_t number = r->oldest; number <= r->newest; number++)
        out->count += generation_at(r, number)->count;
}

uint32_t cw_rotating_filters(const crawl_bloom *bloom)
{
    const cw_rotating *r = (const cw_rotating *)bloom;
    return r->newest - r->oldest + 1;
}

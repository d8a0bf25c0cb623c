/* The kind "rotating": what is older than a window is forgotten by itself. The window is cut into generations, each a
 * blocked bloom filter (cells.h). New keys go into the newest; the oldest is dropped as a whole when its slot is
 * needed, or when it is older than the window. The generations are numbered from 1; number n has slot n mod slots.
 *
 * Interleaved. All generations have the same number of blocks, and the lines of one block of all generations lie side
 * by side. A key has the same block and the same bits in all of them, so a search reads neighbouring lines: one page,
 * one mask.
 *
 * Dropped at once. Nobody wipes a generation: a tag for each slot of each chunk of blocks says whose bits its lines
 * hold. Lines count only if their tag is that of the generation that has the slot now. So the end of a generation, or
 * of all of them after a long silence, is a few words; and the first key that a generation puts into a chunk wipes the
 * lines that its predecessor left there.
 *
 * What holds at any time:
 * 1. oldest <= newest < oldest + slots. live[] has the numbers from oldest to newest in their slots, CW_NO_GENERATION
 *    elsewhere.
 * 2. A tag is 0, or the number of a generation that had or has its slot. The lines it stands for hold keys of that one
 *    only.
 * 3. No generation has more than `each` keys.
 * 4. With a window of time: all keys of a generation came at `begun` or later, and less than `slice` later; generations
 *    begin in order, and none begun as long ago as the window counts. */
#include "bloom/kinds/rotating.h"

static cw_rotating *rotating_of(crawl_bloom *bloom)
{
    return (cw_rotating *)bloom;
}

static const cw_rotating *rotating_at(const crawl_bloom *bloom)
{
    return (const cw_rotating *)bloom;
}

/* --- Generations. --- */

static void drop_oldest(cw_rotating *r)
{
    r->live[cw_slot_of(r, r->oldest)] = CW_NO_GENERATION;
    r->oldest++;
}

static void begin(cw_rotating *r, uint32_t number)
{
    uint32_t slot = cw_slot_of(r, number);
    r->newest = number;
    r->live[slot] = number;
    r->generation[slot] = (cw_generation){.begun = r->now};
}

/* After 2^32 generations the numbers begin again. Old tags could be taken for new ones, so all is forgotten. */
static void begin_again(cw_rotating *r)
{
    memset(r->tags, 0, cw_chunks(r->blocks) * r->slots * sizeof *r->tags);
    while (r->oldest <= r->newest)
        drop_oldest(r);
    r->oldest = 1;
    begin(r, 1);
}

void cw_rotating_turn(cw_rotating *r)
{
    cw_rotating_settle(r);
    if (r->newest == CW_NO_GENERATION - 1) {
        begin_again(r);
    } else {
        if (r->newest - r->oldest + 1 == r->slots)
            drop_oldest(r);
        begin(r, r->newest + 1);
    }
    cw_rotating_rate_anew(r);
}

static cw_generation *generation_of(cw_rotating *r, uint32_t number)
{
    return &r->generation[cw_slot_of(r, number)];
}

static void drop_expired(cw_rotating *r)
{
    uint64_t window = r->bloom.options.window_ms;
    if (r->oldest == r->newest || r->now - generation_of(r, r->oldest)->begun < window)
        return;
    cw_rotating_settle(r);
    while (r->oldest < r->newest && r->now - generation_of(r, r->oldest)->begun >= window)
        drop_oldest(r);
    cw_rotating_rate_anew(r);
}

/* The first time that is told is when all that is there began: nobody knows better. */
static void start_clock(cw_rotating *r, uint64_t now)
{
    r->told = true;
    r->now = now;
    for (uint32_t s = 0; s < r->slots; s++)
        r->generation[s].begun = now;
}

static void advance(crawl_bloom *bloom, uint64_t now)
{
    cw_rotating *r = rotating_of(bloom);
    if (r->slice == 0 || (r->told && now <= r->now))
        return;
    if (!r->told) {
        start_clock(r, now);
        return;
    }
    r->now = now;
    cw_generation *newest = generation_of(r, r->newest);
    if (newest->count == 0)
        newest->begun = now;
    else if (now - newest->begun >= r->slice)
        cw_rotating_turn(r);
    drop_expired(r);
}

/* --- Keys: the loops of rotating_loops.c. --- */

static crawl_err add(crawl_bloom *bloom, cw_hash hash, uint32_t *where)
{
    crawl_err err = rotating_of(bloom)->loops->add(rotating_of(bloom), hash);
    if (err == CRAWL_OK)
        *where = 0;
    return err;
}

static crawl_err add_many(crawl_bloom *bloom, const cw_hash *hashes, size_t count, uint8_t *fresh, uint32_t *where)
{
    rotating_of(bloom)->loops->add_many(rotating_of(bloom), hashes, count, fresh);
    for (size_t i = 0; i < count; i++)
        where[i] = fresh[i] ? 0 : where[i];
    return CRAWL_OK;
}

static bool test(const crawl_bloom *bloom, cw_hash hash)
{
    return rotating_at(bloom)->loops->test(rotating_at(bloom), hash);
}

static void test_many(const crawl_bloom *bloom, const cw_hash *hashes, size_t count, uint8_t *present)
{
    rotating_at(bloom)->loops->test_many(rotating_at(bloom), hashes, count, present);
}

const cw_kind cw_kind_rotating = {
    .name = "rotating",
    .create = cw_rotating_create,
    .destroy = cw_rotating_destroy,
    .add = add,
    .add_many = add_many,
    .test = test,
    .test_many = test_many,
    .advance = advance,
    .save = cw_rotating_save,
    .load = cw_rotating_load,
    .validate = cw_rotating_validate,
    .stats = cw_rotating_stats,
    .stats_of = cw_rotating_stats_of,
    .filters = cw_rotating_filters,
    .find = cw_rotating_find,
};

/* The kind "exact": the 16-byte hashes themselves, in an open-addressing table with linear probing.
 *
 * A hash begins its search at its home, hash.place scaled to the size of the table; homes rise with the place, whatever
 * the size. The table is at most 3/4 full and doubles. Growing is spread over the adds that follow: the old table is
 * emptied into the new one in the order of its slots, so both are walked from end to end, a few cache lines per add.
 *
 * While that goes on (old.slots is not NULL):
 * 1. The slots of the old table from `start`, `moved` of them and around the end, are moved. Slot `start` was empty when
 *    moving began, and the slot behind what is moved is empty after each step, so no run of taken slots is ever cut.
 * 2. So a hash whose old home is moved is in the new table, or nowhere; any other is in the old one, or nowhere. New
 *    ones go where they would be looked for: every hash has one table, and no search visits two.
 * 3. The moved part of the old table is empty; a run from its last slots may go on into it.
 *
 * Forgetting closes the gap by moving later entries of the run back, so there are no tombstones. */
#include "bloom/exact.h"

#include <math.h>
#include <stdlib.h>

/* Slots that one add moves. At 32 the old table is emptied while it gains 3 % of its size in keys. */
#define MOVE_STEP 32

/* Where it may not grow the table is filled up to here; beyond, searches grow long. */
static uint64_t fullest(uint64_t size)
{
    return size - size / 16;
}

static cw_exact *exact_of(crawl_bloom *bloom)
{
    return (cw_exact *)bloom;
}

static bool is_empty(const cw_hash *slot)
{
    return (slot->place | slot->bits) == 0;
}

/* The all-zero hash means "empty", so the one key in 2^128 that has it shares the hash of another. */
static cw_hash stored(cw_hash hash)
{
    if (is_empty(&hash))
        hash.bits = 1;
    return hash;
}

static uint64_t next_slot(const cw_table *table, uint64_t slot)
{
    return slot + 1 == table->size ? 0 : slot + 1;
}

/* How far a slot lies behind another, around the end. */
static uint64_t distance(const cw_table *table, uint64_t from, uint64_t to)
{
    return to >= from ? to - from : to + table->size - from;
}

/* The slot that holds the hash, or the empty one where it would go. */
static cw_hash *search(const cw_table *table, cw_hash hash)
{
    uint64_t i = cw_hash_index(hash, table->size);
    for (;; i = next_slot(table, i)) {
        cw_hash *slot = &table->slots[i];
        if ((slot->place == hash.place && slot->bits == hash.bits) || is_empty(slot))
            return slot;
    }
}

/* The one table that has the hash, if any has. */
static const cw_table *table_of(const cw_exact *exact, cw_hash hash)
{
    const cw_table *old = &exact->old;
    if (old->slots && distance(old, exact->start, cw_hash_index(hash, old->size)) >= exact->moved)
        return old;
    return &exact->now;
}

static crawl_err get_table(const cw_exact *exact, uint64_t size, cw_table *out)
{
    cw_table table = {.size = size};
    crawl_err err = cw_pages_get(size * sizeof *table.slots, exact->most, &table.pages);
    if (err)
        return err;
    table.slots = table.pages.data;
    *out = table;
    return CRAWL_OK;
}

static uint64_t limit_of(uint64_t size)
{
    return size - size / 4;
}

static void free_table(cw_table *table)
{
    cw_pages_free(&table->pages);
    *table = (cw_table){0};
}

/* Moves whole runs until `slots` are passed. */
static void move_some(cw_exact *exact, uint64_t slots)
{
    cw_table *old = &exact->old;
    uint64_t end = exact->moved + slots;
    uint64_t i = (exact->start + exact->moved) % old->size;
    for (;; i = next_slot(old, i), exact->moved++) {
        cw_hash *slot = &old->slots[i];
        if (!is_empty(slot)) {
            *search(&exact->now, *slot) = *slot;
            *slot = (cw_hash){0};
        } else if (exact->moved >= end || exact->moved >= old->size) {
            break;
        }
    }
    if (exact->moved >= old->size)
        free_table(old);
}

/* A new table, twice as large; the present one becomes the old one. */
static crawl_err begin_growth(cw_exact *exact)
{
    uint64_t size = exact->now.size * 2;
    uint64_t max_bytes = exact->bloom.options.max_bytes;
    if (max_bytes && (exact->now.size + size) * sizeof(cw_hash) + sizeof *exact > max_bytes)
        return CRAWL_ENOMEM;
    cw_table table;
    crawl_err err = get_table(exact, size, &table);
    if (err)
        return err;
    exact->old = exact->now;
    exact->now = table;
    exact->moved = 0;
    exact->start = 0;
    while (!is_empty(&exact->old.slots[exact->start]))
        exact->start++;
    exact->limit = limit_of(size);
    return CRAWL_OK;
}

/* CRAWL_ENOMEM: no room for one more. */
static crawl_err make_room(cw_exact *exact)
{
    if (exact->count < exact->limit)
        return CRAWL_OK;
    while (exact->old.slots)
        move_some(exact, MOVE_STEP);
    if (begin_growth(exact) == CRAWL_OK)
        return CRAWL_OK;
    uint64_t most = fullest(exact->now.size);
    if (exact->count >= most)
        return CRAWL_ENOMEM;
    exact->limit += exact->now.size / 64 + 1; /* not at every add: it would ask the kernel each time */
    if (exact->limit > most)
        exact->limit = most;
    return CRAWL_OK;
}

static crawl_err add(crawl_bloom *bloom, cw_hash hash, uint32_t *where)
{
    cw_exact *exact = exact_of(bloom);
    hash = stored(hash);
    cw_hash *slot = search(table_of(exact, hash), hash);
    if (!is_empty(slot))
        return CRAWL_EXISTS;
    if (exact->old.slots || exact->count >= exact->limit) {
        crawl_err err = make_room(exact);
        if (err)
            return err;
        if (exact->old.slots)
            move_some(exact, MOVE_STEP);
        slot = search(table_of(exact, hash), hash);
    }
    *slot = hash;
    exact->count++;
    *where = 0;
    return CRAWL_OK;
}

static void prefetch(const cw_exact *exact, cw_hash hash)
{
    const cw_table *table = table_of(exact, hash);
    const cw_hash *home = &table->slots[cw_hash_index(hash, table->size)];
    __builtin_prefetch(home, 1, 3);
    __builtin_prefetch(home + 4, 1, 3);
}

static crawl_err add_many(crawl_bloom *bloom, const cw_hash *hashes, size_t count, uint8_t *fresh, uint32_t *where)
{
    memset(fresh, 0, count);
    for (size_t i = 0; i < count; i++)
        prefetch(exact_of(bloom), hashes[i]);
    for (size_t i = 0; i < count; i++) {
        crawl_err err = add(bloom, hashes[i], &where[i]);
        if (err != CRAWL_OK && err != CRAWL_EXISTS)
            return err;
        fresh[i] = err == CRAWL_OK;
    }
    return CRAWL_OK;
}

static bool test(const crawl_bloom *bloom, cw_hash hash)
{
    const cw_exact *exact = (const cw_exact *)bloom;
    hash = stored(hash);
    return !is_empty(search(table_of(exact, hash), hash));
}

static void test_many(const crawl_bloom *bloom, const cw_hash *hashes, size_t count, uint8_t *present)
{
    for (size_t i = 0; i < count; i++)
        prefetch((const cw_exact *)bloom, hashes[i]);
    for (size_t i = 0; i < count; i++)
        present[i] = test(bloom, hashes[i]);
}

/* Empties a slot and moves back the entries of its run that may stand there. */
static void close_gap(cw_table *table, uint64_t gap)
{
    for (uint64_t i = next_slot(table, gap); !is_empty(&table->slots[i]); i = next_slot(table, i)) {
        uint64_t home = cw_hash_index(table->slots[i], table->size);
        if (distance(table, home, i) < distance(table, gap, i))
            continue;
        table->slots[gap] = table->slots[i];
        gap = i;
    }
    table->slots[gap] = (cw_hash){0};
}

static crawl_err forget(crawl_bloom *bloom, cw_hash hash, uint32_t where)
{
    cw_exact *exact = exact_of(bloom);
    if (where != 0)
        return CRAWL_EINVAL;
    hash = stored(hash);
    cw_table *table = table_of(exact, hash) == &exact->now ? &exact->now : &exact->old;
    cw_hash *slot = search(table, hash);
    if (is_empty(slot)) {
        exact->refused++;
        return CRAWL_ABSENT;
    }
    close_gap(table, (uint64_t)(slot - table->slots));
    exact->count--;
    return CRAWL_OK;
}

static void stats(const crawl_bloom *bloom, crawl_bloom_stats *out)
{
    const cw_exact *exact = (const cw_exact *)bloom;
    *out = (crawl_bloom_stats){
        .count = exact->count,
        .capacity = limit_of(exact->now.size),
        .bytes = sizeof *exact + exact->now.pages.bytes + exact->old.pages.bytes,
        .fill = (double)exact->count / (double)exact->now.size,
        .fpr_now = ldexp((double)exact->count, -128),
        .refused = exact->refused,
        .filters = 1,
    };
}

static void stats_of(const crawl_bloom *bloom, uint32_t index, crawl_bloom_stats *out)
{
    (void)index;
    stats(bloom, out);
}

static uint32_t filters(const crawl_bloom *bloom)
{
    (void)bloom;
    return 1;
}

static crawl_err create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error)
{
    uint64_t size = options->capacity + options->capacity / 3 + 1;
    uint64_t bytes = size * sizeof(cw_hash) + sizeof(cw_exact);
    if (options->max_bytes && bytes > options->max_bytes)
        return crawl_error_set(error, CRAWL_EINVAL, "filter: max_bytes is %llu, expected 0 or at least %llu for the capacity",
                               (unsigned long long)options->max_bytes, (unsigned long long)bytes);
    cw_exact *exact = calloc(1, sizeof *exact);
    if (!exact)
        return crawl_error_set(error, CRAWL_ENOMEM, "filter: no memory");
    exact->bloom.options = *options;
    exact->most = cw_pages_most();
    exact->limit = limit_of(size);
    crawl_err err = get_table(exact, size, &exact->now);
    if (err) {
        free(exact);
        return crawl_error_set(error, err, "filter: no memory for a table of %llu bytes", (unsigned long long)bytes);
    }
    *out = &exact->bloom;
    return CRAWL_OK;
}

static void destroy(crawl_bloom *bloom)
{
    cw_exact *exact = exact_of(bloom);
    free_table(&exact->now);
    free_table(&exact->old);
    free(exact);
}

const cw_kind cw_kind_exact = {
    .name = "exact",
    .create = create,
    .destroy = destroy,
    .add = add,
    .add_many = add_many,
    .test = test,
    .test_many = test_many,
    .forget = forget,
    .stats = stats,
    .stats_of = stats_of,
    .filters = filters,
};

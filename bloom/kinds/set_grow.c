/* The sizes and the memory of a set; see set.c. Decides how large an array is and when the set grows, and faults in
 * memory step by step so that no call waits long. */
#include "bloom/kinds/set.h"

#include <stdlib.h>

/* A set starts with at most this much, whatever its capacity, and reaches its capacity in steps of FIRST_GROWTH: random
 * access to a large fresh array would make a single batch wait for a hundred pages. */
#define FIRST_BYTES ((uint64_t)4 << 20)
#define FIRST_GROWTH 4

/* Larger than any address space; values computed from smaller sizes fit 64 bits. */
#define SIZE_MOST ((uint64_t)1 << 48)

unsigned cw_kind_set_width(crawl_bloom_kind kind)
{
    return kind == CRAWL_BLOOM_EXACT ? 2 : 1;
}

uint64_t cw_kind_set_limit(uint64_t size)
{
    return size - size / 4;
}

/* Above this, runs grow long. */
uint64_t cw_kind_set_fullest(uint64_t size)
{
    return size - size / 16;
}

uint64_t cw_kind_set_size(uint64_t capacity)
{
    return capacity + capacity / 3 + 1;
}

static uint64_t array_bytes(unsigned width, uint64_t size)
{
    return cw_kind_slots_all(size) * width * sizeof(uint64_t);
}

static crawl_err get_slots(const cw_kind_set *set, uint64_t size, cw_kind_slots *out)
{
    cw_kind_slots slots = {.size = size, .all = cw_kind_slots_all(size)};
    if (size > SIZE_MOST)
        return CRAWL_ENOMEM;
    crawl_err err = cw_bloom_pages_get(array_bytes(set->width, size), set->most, &slots.pages);
    if (err)
        return err;
    slots.words = slots.pages.data;
    *out = slots;
    return CRAWL_OK;
}

static void free_slots(cw_kind_slots *slots)
{
    if (slots->words)
        cw_bloom_pages_free(&slots->pages);
    *slots = (cw_kind_slots){0};
}

/* Returns the memory held besides a new array while an old one of `bytes` bytes is moved into it. A large old one is
 * released on the way, so this is one step before and one behind. */
static uint64_t beside(uint64_t old_bytes)
{
    return old_bytes >= CW_BLOOM_PAGES_STEP ? 2 * CW_BLOOM_PAGES_STEP : old_bytes;
}

/* Returns the most homes that fit into max_bytes. */
static uint64_t size_within(const cw_kind_set *set)
{
    uint64_t most = set->bloom.options.max_bytes;
    uint64_t other = sizeof *set + beside(set->now.pages.bytes) + 64;
    if (most == 0)
        return SIZE_MOST;
    if (most <= other)
        return 0;
    uint64_t all = (most - other) / (set->width * sizeof(uint64_t));
    uint64_t extra = cw_kind_slots_all(all) - all;
    return all > extra ? all - extra : 0;
}

static uint64_t set_grow_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_size(const cw_kind_set *set)
{
    uint64_t size = set->now.size;
    uint64_t next = size < set->wanted ? set_grow_smaller(size * FIRST_GROWTH, set->wanted) : size * 2;
    return set_grow_smaller(next, size_within(set));
}

/* Returns the next limit. If the set was filled beyond its limit, or grows by little, the limit is not reached before
 * the old array is empty. */
static uint64_t limit_after(const cw_kind_set *set, uint64_t size)
{
    uint64_t least = set_grow_smaller(set->count + set->now.size / 16, cw_kind_set_fullest(size));
    uint64_t limit = cw_kind_set_limit(size);
    return limit > least ? limit : least;
}

crawl_err cw_kind_set_begin_growth(cw_kind_set *set)
{
    uint64_t size = next_size(set);
    cw_kind_slots slots;
    if (size < set->now.size + set->now.size / 16)
        return CRAWL_ENOMEM; /* not worth it */
    crawl_err err = get_slots(set, size, &slots);
    if (err)
        return err;
    set->limit = limit_after(set, size);
    set->old = set->now;
    set->now = slots;
    set->moved = set->touched = set->dropped = 0;
    set->owed = 0;
    return CRAWL_OK;
}

void cw_kind_set_touch_ahead(cw_kind_set *set, uint64_t slot)
{
    const cw_bloom_pages *pages = &set->now.pages;
    double share = (double)slot / (double)set->old.size;
    uint64_t due = share < 1 ? (uint64_t)(share * (double)pages->bytes) : pages->bytes;
    while (set->touched < due) {
        cw_bloom_pages_touch(pages, set->touched, CW_BLOOM_PAGES_STEP);
        set->touched = set_grow_smaller(set->touched + CW_BLOOM_PAGES_STEP, pages->bytes);
    }
}

void cw_kind_set_drop_behind(cw_kind_set *set)
{
    if (set->moved >= set->old.all) {
        free_slots(&set->old);
        set->moved = set->dropped = 0;
        return;
    }
    if (set->old.pages.how == CW_PAGES_HEAP)
        return;
    uint64_t passed = set->moved * set->width * sizeof(uint64_t);
    for (; passed - set->dropped >= CW_BLOOM_PAGES_STEP; set->dropped += CW_BLOOM_PAGES_STEP)
        cw_bloom_pages_drop(&set->old.pages, set->dropped, CW_BLOOM_PAGES_STEP);
}

uint64_t cw_kind_set_bytes(const cw_kind_set *set)
{
    uint64_t now = set->old.size && set->now.pages.how == CW_PAGES_MAPPED ? set->touched : set->now.pages.bytes;
    return sizeof *set + now + set->old.pages.bytes - set->dropped;
}

/* CRAWL_EINVAL: exceeds max_bytes. */
static crawl_err set_grow_check_room(const cw_kind_set *set, uint64_t first, crawl_error *error)
{
    const crawl_bloom_options *options = &set->bloom.options;
    uint64_t before = first < set->wanted ? beside(array_bytes(set->width, first)) : 0;
    uint64_t least = sizeof *set + 64 + array_bytes(set->width, set->wanted) + before;
    if (options->max_bytes == 0 || options->max_bytes >= least)
        return CRAWL_OK;
    return crawl_error_set(error, CRAWL_EINVAL,
                           "filter: max_bytes is %llu, expected 0 or at least %llu for the capacity",
                           (unsigned long long)options->max_bytes, (unsigned long long)least);
}

static crawl_err get_first(cw_kind_set *set, crawl_error *error)
{
    uint64_t first = set_grow_smaller(set->wanted, FIRST_BYTES / (set->width * sizeof(uint64_t)));
    crawl_err err = set_grow_check_room(set, first, error);
    if (err)
        return err;
    uint64_t bytes = array_bytes(set->width, set->wanted);
    if (bytes > set->most || get_slots(set, first, &set->now))
        return crawl_error_set(error, CRAWL_ENOMEM, "filter: no memory for a table of %llu bytes",
                               (unsigned long long)bytes);
    cw_bloom_pages_touch(&set->now.pages, 0, set->now.pages.bytes);
    set->touched = set->now.pages.bytes;
    set->limit = cw_kind_set_limit(first);
    return CRAWL_OK;
}

crawl_err cw_kind_set_create(const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error)
{
    cw_kind_set *set = calloc(1, sizeof *set);
    if (!set)
        return crawl_error_set(error, CRAWL_ENOMEM, "filter: no memory");
    set->bloom.options = *options;
    set->width = cw_kind_set_width(options->kind);
    set->most = cw_bloom_pages_most();
    set->wanted = cw_kind_set_size(options->capacity);
    crawl_err err = get_first(set, error);
    if (err) {
        free(set);
        return err;
    }
    *out = &set->bloom;
    return CRAWL_OK;
}

void cw_kind_set_destroy(crawl_bloom *bloom)
{
    cw_kind_set *set = (cw_kind_set *)bloom;
    free_slots(&set->now);
    free_slots(&set->old);
    free(set);
}

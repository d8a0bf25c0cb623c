/* Saves a set to a file, loads and validates it: its numbers, its array and, while one is being moved, the old array,
 * as in memory. Any content of the arrays is safe: slots.h explains what bounds a search. */
#include "bloom/kinds/set.h"

#include <stdlib.h>

#define SIZE_MOST ((uint64_t)1 << 44)

static void save_slots(const cw_kind_set *set, const cw_kind_slots *slots, cw_file_save *out)
{
    cw_file_save_array(out, slots->words, slots->all * set->width * sizeof(uint64_t));
}

void cw_kind_set_save(const crawl_bloom *bloom, cw_file_save *out)
{
    const cw_kind_set *set = (const cw_kind_set *)bloom;
    cw_file_save_u64(out, set->now.size);
    cw_file_save_u64(out, set->old.size);
    cw_file_save_u64(out, set->moved);
    cw_file_save_u64(out, set->owed);
    cw_file_save_u64(out, set->count);
    cw_file_save_u64(out, set->limit);
    cw_file_save_u64(out, set->refused);
    cw_file_save_double(out, set->lost);
    save_slots(set, &set->now, out);
    if (set->old.size)
        save_slots(set, &set->old, out);
}

static void set_file_load_numbers(cw_kind_set *set, cw_file_load *in)
{
    cw_kind_slots *now = &set->now, *old = &set->old;
    now->size = cw_file_load_u64(in, "size", 1, SIZE_MOST);
    now->all = cw_kind_slots_all(now->size);
    old->size = cw_file_load_u64(in, "old size", 0, now->size - 1);
    old->all = old->size ? cw_kind_slots_all(old->size) : 0;
    set->moved = cw_file_load_u64(in, "slots moved", 0, old->all ? old->all - 1 : 0);
    set->owed = (unsigned)cw_file_load_u64(in, "keys since moving", 0, 1000);
    set->count = cw_file_load_u64(in, "count", 0, now->all + old->all);
    set->limit = cw_file_load_u64(in, "limit", 0, cw_kind_set_fullest(now->size));
    set->refused = cw_file_load_u64(in, "refused", 0, UINT64_MAX);
    set->lost = cw_file_load_double(in, "sum of counts", 0, 1e300);
}

/* Empties the last slot regardless of the file, because it ends all searches. */
static crawl_err load_slots(cw_kind_set *set, cw_kind_slots *slots, const char *name, cw_file_load *in)
{
    crawl_err err = cw_file_load_array(in, name, slots->all * set->width * sizeof(uint64_t), &slots->pages);
    if (err)
        return err;
    slots->words = slots->pages.data;
    memset(cw_kind_slot(set->width, slots, slots->all - 1), 0, set->width * sizeof(uint64_t));
    return CRAWL_OK;
}

crawl_err cw_kind_set_load(cw_file_load *in, const crawl_bloom_options *options, crawl_bloom **out)
{
    cw_kind_set *set = calloc(1, sizeof *set);
    if (!set)
        return CRAWL_ENOMEM;
    set->bloom.options = *options;
    set->width = cw_kind_set_width(options->kind);
    set->most = cw_bloom_pages_most();
    set->wanted = cw_kind_set_size(options->capacity);
    set_file_load_numbers(set, in);
    crawl_err err = cw_file_load_state(in);
    if (!err)
        err = load_slots(set, &set->now, "table", in);
    if (!err && set->old.size)
        err = load_slots(set, &set->old, "old table", in);
    if (err) {
        cw_kind_set_destroy(&set->bloom);
        return err;
    }
    set->touched = set->now.pages.bytes;
    *out = &set->bloom;
    return CRAWL_OK;
}

/* A walk over an array. */
typedef struct array_walk {
    const cw_kind_set *set;
    const cw_kind_slots *slots;
    const uint64_t *last; /* the preceding taken slot; NULL: none */
    uint64_t count;
} array_walk;

static bool in_order(const array_walk *w, const uint64_t *slot)
{
    if (!w->last || w->last[0] != slot[0])
        return !w->last || w->last[0] < slot[0];
    return w->set->width == 2 && w->last[1] < slot[1];
}

/* Returns true if a search would find the hash here. Slots before `first` no longer belong to the array. */
static bool in_place(const array_walk *w, const uint64_t *slot, uint64_t index, uint64_t first)
{
    uint64_t home = cw_kind_slots_home(w->slots, slot[0]);
    if (home < first || home > index || index - home >= 2 * CW_KIND_REACH)
        return false;
    bool follows = w->last && w->last + w->set->width == slot;
    return home == index || follows;
}

/* Returns true if the hash is in the array that it belongs to. */
static bool in_part(const array_walk *w, const uint64_t *slot)
{
    const cw_kind_slots *old = &w->set->old;
    bool moved = old->size && cw_kind_slots_home(old, slot[0]) < w->set->moved;
    return w->slots == old ? !moved : moved || !old->size;
}

/* Checks all slots from `first` on. Returns what is wrong in words, or NULL. */
static const char *check_slots(array_walk *w, uint64_t first)
{
    for (uint64_t i = first; i < w->slots->all; i++) {
        const uint64_t *slot = cw_kind_slot(w->set->width, w->slots, i);
        if (slot[0] == 0 && slot[w->set->width - 1] == 0)
            continue;
        if (slot[0] == 0)
            return "an empty slot that is not empty";
        if (!in_order(w, slot))
            return "a hash out of order";
        if (!in_place(w, slot, i, first) || !in_part(w, slot))
            return "a hash out of its place";
        w->last = slot;
        w->count++;
    }
    return NULL;
}

crawl_err cw_kind_set_validate(const crawl_bloom *bloom, crawl_error *error)
{
    const cw_kind_set *set = (const cw_kind_set *)bloom;
    array_walk now = {.set = set, .slots = &set->now};
    array_walk old = {.set = set, .slots = &set->old};
    const char *wrong = check_slots(&now, 0);
    if (!wrong && set->old.size)
        wrong = check_slots(&old, set->moved);
    if (wrong)
        return crawl_error_set(error, CRAWL_ECORRUPT, "the table has %s", wrong);
    if (now.count + old.count != set->count)
        return crawl_error_set(error, CRAWL_ECORRUPT, "count is %llu, but there are %llu hashes",
                               (unsigned long long)set->count, (unsigned long long)(now.count + old.count));
    return CRAWL_OK;
}

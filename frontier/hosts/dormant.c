/* See dormant.h. Invariants:
 *
 *   N1  each resting host with requests has a place or a date, no later than it may be asked or changes.
 *   N2  each page has a set bit, and is in `pages` and in `named` under its key.
 *   N3  apart from some slack, a pile has at most twice as many entries as hosts rest with requests, or as there were
 *       different hosts in it at the last count. */
#include "frontier/hosts/dormant.h"

#include <crawl/frontier.h>

enum { WORD = 64, WORDS = CW_FRONTIER_DORMANT_PAGE / WORD, SINGLE_LEAST = 1024 };

typedef struct dormant_page {
    cw_heap_key key; /* upper half of a place, and number / CW_FRONTIER_DORMANT_PAGE */
    uint64_t bits[WORDS];
    uint32_t place; /* in the index */
} dormant_page;

cw_frontier_dormant cw_frontier_dormant_start(void)
{
    return (cw_frontier_dormant){.pages.place = offsetof(dormant_page, place), .at_once = 1};
}

void cw_frontier_dormant_free(cw_frontier_dormant *dormant)
{
    for (uint32_t i = 0; i < dormant->pages.count; i++)
        free(dormant->pages.entries[i].value);
    free(dormant->pages.entries);
    cw_map_free(dormant->named);
    free(dormant->turns.entries);
    free(dormant->dates.entries);
}

/* ---- pages ---- */

static crawl_slice dormant_name(const cw_heap_key *key)
{
    return crawl_slice_of((const char *)key, sizeof *key);
}

static dormant_page *dormant_find(const cw_frontier_dormant *dormant, uint64_t high, uint32_t number)
{
    const cw_heap_key key = {.high = high, .low = number / CW_FRONTIER_DORMANT_PAGE};
    return dormant->named ? cw_map_get(dormant->named, dormant_name(&key)) : NULL;
}

/* Keeps N2. NULL: out of memory. */
static dormant_page *dormant_add_page(cw_frontier_dormant *dormant, cw_frontier_memory *memory, uint64_t high,
                                      uint32_t number)
{
    if (!dormant->named)
        dormant->named = cw_map_create(0);
    if (!dormant->named || cw_frontier_index_reserve(&dormant->pages, memory, (size_t)dormant->pages.count + 1))
        return NULL;
    dormant_page *page = malloc(sizeof *page);
    if (!page)
        return NULL;
    *page = (dormant_page){.key = {.high = high, .low = number / CW_FRONTIER_DORMANT_PAGE}};
    if (cw_map_put(dormant->named, dormant_name(&page->key), page)) {
        free(page);
        return NULL;
    }
    cw_frontier_memory_adopt(memory, page);
    cw_frontier_index_put(&dormant->pages, page, page->key);
    return page;
}

static uint64_t *dormant_word(dormant_page *page, uint32_t number)
{
    return &page->bits[number % CW_FRONTIER_DORMANT_PAGE / WORD];
}

static bool page_is_empty(const dormant_page *page)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < WORDS; i++)
        any |= page->bits[i];
    return !any;
}

/* Keeps N2. */
void cw_frontier_dormant_remove(cw_frontier_dormant *dormant, cw_frontier_memory *memory, cw_heap_key key,
                                uint32_t number)
{
    dormant_page *page = key.low == number ? dormant_find(dormant, key.high, number) : NULL;
    if (!page)
        return;
    *dormant_word(page, number) &= ~((uint64_t)1 << number % WORD);
    if (!page_is_empty(page))
        return;
    cw_frontier_index_drop(&dormant->pages, page);
    cw_map_remove(dormant->named, dormant_name(&page->key));
    cw_frontier_memory_free(memory, page);
}

/* Collects the numbers whose bits are set, in ascending order. Returns how many. */
static size_t page_numbers(const dormant_page *page, uint32_t *numbers, size_t most)
{
    size_t count = 0;
    for (unsigned i = 0; i < WORDS; i++)
        for (uint64_t left = page->bits[i]; left && count < most; left &= left - 1)
            numbers[count++] =
                (uint32_t)page->key.low * CW_FRONTIER_DORMANT_PAGE + i * WORD + (unsigned)__builtin_ctzll(left);
    return count;
}

static const dormant_page *first_page(const cw_frontier_dormant *dormant)
{
    return dormant->pages.count ? dormant->pages.entries[0].value : NULL;
}

/* ---- piles ---- */

static cw_heap pile_heap(const cw_frontier_pile *pile)
{
    return (cw_heap){.root = pile->entries, .step = 1};
}

static uint32_t pile_number(const cw_heap_entry *entry)
{
    return (uint32_t)(uintptr_t)entry->value;
}

static int pile_compare_keys(const void *a, const void *b)
{
    const cw_heap_entry *x = a;
    const cw_heap_entry *y = b;
    return cw_heap_key_less(x->key, y->key) ? -1 : cw_heap_key_less(y->key, x->key);
}

static int pile_compare_numbers(const void *a, const void *b)
{
    uint32_t x = pile_number(a);
    uint32_t y = pile_number(b);
    return x != y ? (x < y ? -1 : 1) : pile_compare_keys(a, b);
}

/* Removes outdated entries: a host that has rested more than once may have several, and only the first is needed. Keeps
 * N3; a sorted array is a heap. */
static void pile_thin(cw_frontier_pile *pile)
{
    size_t count = 0;
    qsort(pile->entries, pile->count, sizeof *pile->entries, pile_compare_numbers);
    for (size_t i = 0; i < pile->count; i++)
        if (!count || pile_number(&pile->entries[count - 1]) != pile_number(&pile->entries[i]))
            pile->entries[count++] = pile->entries[i];
    pile->count = pile->single = count;
    qsort(pile->entries, count, sizeof *pile->entries, pile_compare_keys);
}

/* hosts: how many rest with requests, each of which needs one entry. */
static crawl_err pile_add(cw_frontier_pile *pile, cw_frontier_memory *memory, cw_heap_key key, uint32_t number,
                          uint64_t hosts)
{
    uint64_t most = 2 * (hosts > pile->single ? hosts : pile->single) + SINGLE_LEAST;
    if (pile->count > most)
        pile_thin(pile);
    if (pile->count == pile->room) {
        size_t room = pile->room + pile->room / 4 + 16;
        cw_heap_entry *entries = cw_frontier_memory_resize(memory, pile->entries, room * sizeof *entries);
        if (!entries)
            return CRAWL_ENOMEM;
        pile->entries = entries;
        pile->room = room;
    }
    cw_heap heap = pile_heap(pile);
    cw_heap_add(&heap, pile->count++, (cw_heap_entry){.key = key, .value = (void *)(uintptr_t)number});
    return CRAWL_OK;
}

static cw_heap_entry pile_take(cw_frontier_pile *pile)
{
    cw_heap heap = pile_heap(pile);
    return cw_heap_remove(&heap, pile->count--, 0);
}

/* Collects the hosts of the first entries with the same upper half, in order. Returns how many. */
static size_t pile_numbers(cw_frontier_pile *pile, uint32_t *numbers, size_t most)
{
    cw_heap_entry taken[CW_FRONTIER_DORMANT_PAGE];
    cw_heap heap = pile_heap(pile);
    size_t count = 0;
    while (pile->count && count < most && count < CW_FRONTIER_DORMANT_PAGE &&
           (!count || pile->entries[0].key.high == taken[0].key.high))
        taken[count++] = pile_take(pile);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = pile_number(&taken[i]);
        cw_heap_add(&heap, pile->count++, taken[i]);
    }
    return count;
}

/* ---- all ---- */

/* Keeps N1 and N2. */
crawl_err cw_frontier_dormant_add(cw_frontier_dormant *dormant, cw_frontier_memory *memory, cw_heap_key key,
                                  uint32_t number)
{
    if (key.low != number)
        return pile_add(&dormant->turns, memory, key, number, dormant->hosts);
    dormant_page *page = dormant_find(dormant, key.high, number);
    if (!page)
        page = dormant_add_page(dormant, memory, key.high, number);
    if (!page)
        return CRAWL_ENOMEM;
    *dormant_word(page, number) |= (uint64_t)1 << number % WORD;
    return CRAWL_OK;
}

crawl_err cw_frontier_dormant_add_date(cw_frontier_dormant *dormant, cw_frontier_memory *memory, int64_t date,
                                       uint32_t number)
{
    return pile_add(&dormant->dates, memory, (cw_heap_key){.high = cw_heap_key_of_time(date)}, number, dormant->hosts);
}

/* Returns a page's first place. Only a page's first number is compared: its other numbers are of hosts that were never
 * asked either, or of none. */
static cw_heap_key page_first(const dormant_page *page)
{
    uint32_t number = 0;
    (void)page_numbers(page, &number, 1);
    return (cw_heap_key){.high = page->key.high, .low = number};
}

static bool page_goes_first(const cw_frontier_dormant *dormant, const dormant_page *page)
{
    return page && (!dormant->turns.count || cw_heap_key_less(page_first(page), dormant->turns.entries[0].key));
}

bool cw_frontier_dormant_first(const cw_frontier_dormant *dormant, cw_heap_key *key, uint32_t *number)
{
    const dormant_page *page = first_page(dormant);
    if (page_goes_first(dormant, page)) {
        *key = page_first(page);
        *number = (uint32_t)key->low;
        return true;
    }
    if (!dormant->turns.count)
        return false;
    *key = dormant->turns.entries[0].key;
    *number = pile_number(&dormant->turns.entries[0]);
    return true;
}

size_t cw_frontier_dormant_next(cw_frontier_dormant *dormant, uint32_t *numbers, size_t most)
{
    const dormant_page *page = first_page(dormant);
    return page_goes_first(dormant, page) ? page_numbers(page, numbers, most)
                                          : pile_numbers(&dormant->turns, numbers, most);
}

int64_t cw_frontier_dormant_date(const cw_frontier_dormant *dormant, uint32_t *number)
{
    if (!dormant->dates.count)
        return CRAWL_FOREVER;
    *number = pile_number(&dormant->dates.entries[0]);
    return cw_heap_time_of_key(dormant->dates.entries[0].key.high);
}

static bool pile_begins_with(const cw_frontier_pile *pile, uint32_t number)
{
    return pile->count && pile_number(&pile->entries[0]) == number;
}

void cw_frontier_dormant_passed(cw_frontier_dormant *dormant, cw_frontier_memory *memory, uint32_t number)
{
    const dormant_page *page = first_page(dormant);
    if (page_goes_first(dormant, page))
        cw_frontier_dormant_remove(dormant, memory, (cw_heap_key){.high = page->key.high, .low = number}, number);
    else if (pile_begins_with(&dormant->turns, number))
        pile_take(&dormant->turns);
    if (pile_begins_with(&dormant->dates, number))
        pile_take(&dormant->dates);
}

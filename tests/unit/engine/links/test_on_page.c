/* Links that were already on a page. */
#include "crawler/engine/links/on_page.h"

#include <criterion/criterion.h>

static cw_keyed_hash hash_of(uint64_t number)
{
    static cw_hash_secret secret;
    static bool drawn;
    if (!drawn)
        cw_hash_secret_draw(&secret);
    drawn = true;
    return cw_keyed_hash_of(&secret, crawl_slice_of(&number, sizeof number));
}

static void put(cw_links_on_page *set, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++) {
        cw_links_on_page_entry *entry = cw_links_on_page_get(set, hash_of(i));
        cr_assert_not_null(entry);
        cr_assert_eq(entry->verdict, 0, "%llu is there already", (unsigned long long)i);
        entry->verdict = 1 + i % 7;
    }
}

static void expect_all(cw_links_on_page *set, uint64_t to)
{
    for (uint64_t i = 0; i < to; i++)
        cr_assert_eq(cw_links_on_page_get(set, hash_of(i))->verdict, 1 + i % 7);
    cr_expect_eq(set->count, to);
}

Test(on_page, keeps_all_of_a_long_list_and_none_of_the_one_before)
{
    cw_links_on_page set = {0};
    for (int list = 0; list < 3; list++) {
        cw_links_on_page_clear(&set);
        put(&set, 0, 100);
        expect_all(&set, 100);
        put(&set, 100, 20000);
        expect_all(&set, 20000);
    }
    cw_links_on_page_free(&set);
}

Test(on_page, short_lists_after_one_another_share_the_memory)
{
    cw_links_on_page set = {0};
    cw_links_on_page_clear(&set);
    put(&set, 0, 10);
    const cw_links_on_page_entry *entries = set.entries;
    for (int list = 0; list < 1000; list++) {
        cw_links_on_page_clear(&set);
        put(&set, 0, 10);
    }
    cr_expect_eq(set.entries, entries);
    cw_links_on_page_free(&set);
}

Test(on_page, numbers_of_lists_run_out)
{
    cw_links_on_page set = {0};
    cw_links_on_page_clear(&set);
    put(&set, 0, 10); /* of list 1 */
    set.list = (1 << 24) - 1;
    cw_links_on_page_clear(&set);
    put(&set, 0, 10);
    expect_all(&set, 10);
    cw_links_on_page_free(&set);
}

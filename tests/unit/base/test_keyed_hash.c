/* The hash that stands for a text. */
#include "base/keyed_hash.h"

#include <criterion/criterion.h>

static bool is_same(cw_keyed_hash a, cw_keyed_hash b)
{
    return a.low == b.low && a.high == b.high;
}

Test(keyed_hash, is_of_the_text_and_the_secret)
{
    cw_hash_secret one, other;
    char text[400] = "";
    cw_hash_secret_draw(&one);
    cw_hash_secret_draw(&other);
    for (size_t size = 0; size + 1 < sizeof text; size++) {
        crawl_slice slice = crawl_slice_of(text, size);
        cw_keyed_hash hash = cw_keyed_hash_of(&one, slice);
        cr_expect(is_same(hash, cw_keyed_hash_of(&one, slice)));
        cr_expect_not(is_same(hash, cw_keyed_hash_of(&other, slice)), "%zu bytes", size);
        cr_expect_not(is_same(hash, cw_keyed_hash_of(&one, crawl_slice_of(text, size + 1))), "%zu bytes", size);
    }
}

#include <crawl/base.h>

#include <criterion/criterion.h>

enum { MOST = 4 };

static void expect(const char *text, size_t size, const char *const *expected, size_t count)
{
    crawl_slice pieces[MOST];
    memset(pieces, 0xff, sizeof pieces);
    cr_assert_eq(crawl_slices_cut(crawl_slice_of(text, size), '\0', pieces, MOST), count);
    for (size_t i = 0; i < count && i < MOST; i++) {
        cr_assert(crawl_slice_equal(pieces[i], crawl_slice_from(expected[i])), "piece %zu", i);
        cr_assert(pieces[i].data >= text && pieces[i].data <= text + size);
    }
}

Test(cut, pieces_between_ends)
{
    expect("a\0bc\0d", 6, (const char *[]){"a", "bc", "d"}, 3);
    expect("abc", 3, (const char *[]){"abc"}, 1);
    expect("\0a\0\0", 4, (const char *[]){"", "a", "", ""}, 4);
    expect("", 0, (const char *[]){""}, 1);
    expect(NULL, 0, NULL, 0);
}

Test(cut, what_there_is_no_room_for_is_counted)
{
    expect("a\0b\0c\0d\0e\0f", 11, (const char *[]){"a", "b", "c", "d"}, 6);
    cr_assert_eq(crawl_slices_cut(crawl_slice_from("a b c"), ' ', NULL, 0), 3);
}

/* Compares with a byte-by-byte search, on texts of every size and place of an end. */
Test(cut, each_place)
{
    char text[70];
    for (size_t size = 1; size < sizeof text; size++)
        for (size_t at = 0; at < size; at++) {
            crawl_slice pieces[2];
            memset(text, 'x', size);
            text[at] = '\n';
            cr_assert_eq(crawl_slices_cut(crawl_slice_of(text, size), '\n', pieces, 2), 2);
            cr_assert_eq(pieces[0].size, at);
            cr_assert_eq(pieces[1].size, size - at - 1);
        }
}

#include <crawl/base.h>
#include <criterion/criterion.h>

Test(buf, empty_one_is_zero)
{
    crawl_buf buf = {0};
    cr_assert_eq(crawl_buf_slice(&buf).size, 0);
    crawl_buf_clear(&buf);
    crawl_buf_free(&buf);
    crawl_buf_free(&buf);
    cr_assert_null(buf.data);
}

Test(buf, appends_and_ends_with_nul)
{
    crawl_buf buf = {0};
    cr_assert_eq(crawl_buf_append(&buf, NULL, 0), CRAWL_OK);
    cr_assert_str_eq(buf.data, "");
    cr_assert_eq(crawl_buf_append(&buf, "a\0b", 3), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_char(&buf, 'c'), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&buf, "def"), CRAWL_OK);
    cr_assert_eq(buf.size, 7);
    cr_assert_arr_eq(buf.data, "a\0bcdef", 8);
    crawl_buf_clear(&buf);
    cr_assert_eq(buf.size, 0);
    cr_assert_str_eq(buf.data, "");
    cr_assert_gt(buf.capacity, 0);
    crawl_buf_free(&buf);
}

/* One byte at a time, past many capacities: old bytes stay, and there is always room for the NUL. */
Test(buf, grows)
{
    crawl_buf buf = {0};
    for (unsigned i = 0; i < 100000; i++) {
        cr_assert_eq(crawl_buf_append_char(&buf, (char)(i * 7)), CRAWL_OK);
        cr_assert_lt(buf.size, buf.capacity);
        cr_assert_eq(buf.data[buf.size], '\0');
    }
    for (unsigned i = 0; i < 100000; i++)
        cr_assert_eq(buf.data[i], (char)(i * 7));
    crawl_buf_free(&buf);
}

Test(buf, reserve_makes_room_for_writing_in_place)
{
    crawl_buf buf = {0};
    for (size_t more = 0; more < 300; more++) {
        cr_assert_eq(crawl_buf_reserve(&buf, more), CRAWL_OK);
        cr_assert_gt(buf.capacity, buf.size + more);
        memset(buf.data + buf.size, 'x', more + 1);
        buf.size += more;
    }
    crawl_buf_free(&buf);
}

Test(buf, refuses_sizes_that_no_memory_has)
{
    crawl_buf buf = {0};
    cr_assert_eq(crawl_buf_append_text(&buf, "kept"), CRAWL_OK);
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 4, SIZE_MAX / 2, SIZE_MAX / 4};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        cr_assert_eq(crawl_buf_reserve(&buf, sizes[i]), CRAWL_ENOMEM);
    cr_assert_str_eq(buf.data, "kept");
    cr_assert_eq(buf.size, 4);
    crawl_buf_free(&buf);
}

Test(buf, printf_appends)
{
    crawl_buf buf = {0};
    cr_assert_eq(crawl_buf_printf(&buf, "%d-%s", 42, "x"), CRAWL_OK);
    cr_assert_eq(crawl_buf_printf(&buf, "%s", ""), CRAWL_OK);
    cr_assert_str_eq(buf.data, "42-x");
    cr_assert_eq(crawl_buf_printf(&buf, "%01000d", 7), CRAWL_OK);
    cr_assert_eq(buf.size, 1004);
    cr_assert_eq(buf.data[1003], '7');
    crawl_buf_free(&buf);
}

Test(slice, from_and_equal)
{
    cr_assert_eq(crawl_slice_from(NULL).size, 0);
    cr_assert(crawl_slice_equal(crawl_slice_from(NULL), crawl_slice_from("")));
    cr_assert(crawl_slice_equal(crawl_slice_of("a\0b", 3), crawl_slice_of("a\0b", 3)));
    cr_assert_not(crawl_slice_equal(crawl_slice_of("a\0b", 3), crawl_slice_of("a\0c", 3)));
    cr_assert_not(crawl_slice_equal(crawl_slice_from("a"), crawl_slice_from("ab")));
}

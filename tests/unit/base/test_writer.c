/* Text written piece by piece. */
#include "base/writer.h"

#include <criterion/criterion.h>

Test(writer, pieces_follow_each_other)
{
    crawl_buf out = {0};
    cw_writer to = {.out = &out};
    cw_put_text(&to, "a");
    cw_put(&to, (crawl_slice){0});
    cw_put_char(&to, ':');
    cw_put(&to, crawl_slice_from("b"));
    cw_put_format(&to, "%d%s", 7, "c");
    cr_expect_eq(to.err, CRAWL_OK);
    cr_expect_str_eq(out.data, "a:b7c");
    crawl_buf_free(&out);
}

Test(writer, a_piece_is_taken_back)
{
    crawl_buf out = {0};
    cw_writer to = {.out = &out};
    cw_writer_cut(&to, 0);
    cw_put_text(&to, "kept");
    size_t before = cw_writer_size(&to);
    cw_put_text(&to, " or not");
    cw_writer_cut(&to, before);
    cr_expect_str_eq(out.data, "kept");
    cw_put_char(&to, '!');
    cr_expect_str_eq(out.data, "kept!");
    crawl_buf_free(&out);
}

Test(writer, the_first_failure_stays_and_nothing_follows_it)
{
    crawl_buf out = {0};
    cw_writer to = {.out = &out};
    cw_put_text(&to, "kept");
    volatile size_t endless = SIZE_MAX / 2; /* more than there can be: no byte of it is read */
    cw_put(&to, crawl_slice_of("", endless));
    cr_expect_eq(to.err, CRAWL_ENOMEM);
    cw_put_char(&to, 'x');
    cw_put_format(&to, "%d", 1);
    cr_expect_eq(to.err, CRAWL_ENOMEM);
    cr_expect_str_eq(out.data, "kept");
    crawl_buf_free(&out);
}

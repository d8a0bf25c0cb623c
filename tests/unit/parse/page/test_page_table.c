/* parse/page/page_table.c: the links of a page as a text. */
#include <crawl/links.h>
#include <criterion/criterion.h>

static void expect_table(const char *html, unsigned columns, const char *expected)
{
    crawl_page *page = crawl_page_create();
    crawl_url *url = crawl_url_create();
    crawl_buf table = {0};
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from("http://h.example/d/"), NULL, NULL), CRAWL_OK);
    crawl_page_set_text(page, CRAWL_TEXT_LINKS);
    cr_assert_eq(crawl_page_parse(page, crawl_slice_from(html), url, NULL), CRAWL_OK);
    cr_assert_eq(crawl_page_table(page, columns, &table), CRAWL_OK);
    cr_expect_str_eq(table.data ? table.data : "", expected, "%s", table.data);
    crawl_buf_free(&table);
    crawl_url_free(url);
    crawl_page_free(page);
}

static const char *const HTML = "<a href='x?b&amp;a#f' rel='me\tnofollow'>one <b>two</b></a><img src=/i.png alt=three>"
                                "<a href='http://:1'>no URL</a>";

Test(page_table, columns_stand_in_their_order)
{
    expect_table(HTML, CRAWL_COLUMN_ALL,
                 "a\thref\thttp://h.example/d/x?b&a#f\thttp://h.example/d/x?a=&b=#f\tme nofollow\t1\tone two\n"
                 "img\tsrc\thttp://h.example/i.png\thttp://h.example/i.png\t\t\tthree\n");
}

Test(page_table, one_column_has_no_tabs)
{
    expect_table(HTML, CRAWL_COLUMN_URL, "http://h.example/d/x?b&a#f\nhttp://h.example/i.png\n");
    expect_table(HTML, CRAWL_COLUMN_TAG | CRAWL_COLUMN_TEXT, "a\tone two\nimg\tthree\n");
}

Test(page_table, nothing_to_tell)
{
    expect_table("no links", CRAWL_COLUMN_ALL, "");
    expect_table(HTML, 0, "");
}

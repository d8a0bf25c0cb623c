/* A build without the disk store says so, and touches nothing. */
#include <crawl/frontier.h>

#include <criterion/criterion.h>

Test(no_disk, a_directory_is_refused_in_words)
{
    crawl_frontier_options options;
    crawl_frontier *frontier = NULL;
    crawl_frontier_view *view = NULL;
    crawl_error error = {0};
    crawl_frontier_options_init(&options, sizeof options);
    cr_assert_eq(crawl_frontier_open("no-such-folder", &options, 0, &frontier, &error), CRAWL_EINVAL);
    cr_assert_not_null(strstr(error.message, "no disk store"), "%s", error.message);
    cr_assert_null(frontier);
    cr_assert_eq(crawl_frontier_view_open("no-such-folder", &view, &error), CRAWL_EINVAL);
    cr_assert_null(view);
    cr_assert_eq(crawl_frontier_files(), 0);
}

Test(no_disk, the_list_of_libraries_says_so)
{
    crawl_buf text = {0};
    cr_assert_eq(crawl_frontier_libraries(&text), CRAWL_OK);
    cr_assert_not_null(strstr(text.data, "RocksDB none"), "%s", text.data);
    crawl_buf_free(&text);
}

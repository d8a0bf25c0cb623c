#include "config/config_values.h"
#include "crawler/engine/descriptors.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

static void set_limit(unsigned files)
{
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = files;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

Test(descriptors, open_ones_are_counted)
{
    unsigned before = cw_engine_descriptors_open();
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    cr_expect_eq(cw_engine_descriptors_open(), before + 1);
    close(fd);
    cr_expect_eq(cw_engine_descriptors_open(), before);
}

/* With any limit: everything given out and everything used otherwise fits within it, and each worker gets some. */
Test(descriptors, shares_stay_within_the_limit)
{
    enum { OPEN = 6, TAKEN_BY_A_WORKER = 17 };
    char state[] = "s", listen[] = "8080";
    for (unsigned files = 16; files < 900; files++)
        for (unsigned workers = 1; workers <= 4; workers++)
            for (unsigned more = 0; more < 4; more++) {
                crawl_config config = {
                    .connections = 64, .state = more & 1 ? state : NULL, .program.listen = more & 2 ? listen : NULL};
                cw_engine_descriptors share = {0};
                set_limit(files);
                if (cw_engine_descriptors_share(&config, workers, OPEN, &share, NULL) == CRAWL_EIO)
                    continue;
                cr_assert_geq(share.connections, workers);
                cr_assert_leq(share.connections, 64);
                cr_assert_geq(share.idle, workers);
                cr_assert_geq(share.most, share.connections);
                cr_assert_geq(share.sessions, 1);
                cr_assert_leq(share.sessions, share.idle, "the connection of each is kept between its turns");
                cr_assert_leq(share.most + share.idle + OPEN + workers * TAKEN_BY_A_WORKER, files);
            }
}

Test(descriptors, what_is_enough_changes_nothing)
{
    crawl_config config = {.connections = 64};
    cw_engine_descriptors share;
    set_limit(1024);
    cr_assert_eq(cw_engine_descriptors_share(&config, 2, 6, &share, NULL), CRAWL_OK);
    cr_expect_eq(share.connections, 64);
    cr_expect_geq(share.idle, 400);
    set_limit(4096);
    cr_assert_eq(cw_engine_descriptors_share(&config, 2, 6, &share, NULL), CRAWL_OK);
    cr_expect_eq(share.idle, 1024);
    cr_expect_eq(share.sessions, 5 * 64);
    config.connections = 1500;
    cr_assert_eq(cw_engine_descriptors_share(&config, 2, 6, &share, NULL), CRAWL_OK);
    cr_expect_eq(share.idle, (4096 - 6 - 10 - 2 * 17 - 1500) / 2, "as many as are in use, but half of what is left");
    config.idle_connections = 7;
    cr_assert_eq(cw_engine_descriptors_share(&config, 2, 6, &share, NULL), CRAWL_OK);
    cr_expect_eq(share.idle, 7);
    config.idle_connections = 1;
    cr_assert_eq(cw_engine_descriptors_share(&config, 2, 6, &share, NULL), CRAWL_OK);
    cr_expect_eq(share.idle, 2, "one for each worker at least");
}

Test(descriptors, too_few_are_told_with_how_many_are_needed)
{
    crawl_config config = {.connections = 64};
    cw_engine_descriptors share;
    crawl_error error = {0};
    set_limit(24);
    cr_assert_eq(cw_engine_descriptors_share(&config, 2, 6, &share, &error), CRAWL_EIO);
    cr_expect_str_eq(error.message, "this process may open 24 files (ulimit -n), and a crawl with 2 workers needs 54");
}

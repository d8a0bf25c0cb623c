#include "base/bytes.h"
#include "config/config_values.h"
#include "crawler/program/live/control.h"
#include "crawler/program/live/live_hosts.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static const char token[] = "0123456789abcdef";

static crawl_err open_with(cw_live_control *control, crawl_config *config, bool may_make, bool *made,
                           crawl_error *error)
{
    *control = (cw_live_control){0};
    return cw_live_control_open(control, config, may_make, made, error);
}

Test(live_control, a_token_is_made_where_none_is_given)
{
    cw_live_control one;
    cw_live_control other;
    crawl_config config = {0};
    bool made;
    unsetenv(CW_LIVE_TOKEN);
    cr_assert_eq(open_with(&one, &config, true, &made, NULL), CRAWL_OK);
    cr_expect(made);
    cr_expect_geq(strlen(one.token), CW_LIVE_TOKEN_LEAST);
    cr_assert_eq(open_with(&other, &config, true, &made, NULL), CRAWL_OK);
    cr_expect_str_neq(one.token, other.token);
    cw_live_control_close(&other);
    cw_live_control_close(&one);
    cr_assert_eq(open_with(&one, &config, false, &made, NULL), CRAWL_OK);
    cr_expect_not(made);
    cr_expect_null(one.token);
    cr_expect_not(cw_live_control_admits(&one, crawl_slice_from("Bearer ")));
    cw_live_control_close(&one);
}

Test(live_control, the_environment_and_a_file_give_one)
{
    char path[] = "/tmp/live_token_XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    fputs("of the file, it is none\n", file);
    fclose(file);
    cw_live_control control;
    crawl_config config = {0};
    crawl_error error = {0};
    bool made;
    setenv(CW_LIVE_TOKEN, token, 1);
    cr_assert_eq(open_with(&control, &config, true, &made, NULL), CRAWL_OK);
    cr_expect_not(made);
    cr_expect_str_eq(control.token, token);
    cw_live_control_close(&control);
    setenv(CW_LIVE_TOKEN, "", 1);
    cr_assert_eq(open_with(&control, &config, true, &made, NULL), CRAWL_OK);
    cr_expect(made);
    cw_live_control_close(&control);
    setenv(CW_LIVE_TOKEN, "short", 1);
    cr_expect_eq(open_with(&control, &config, true, &made, &error), CRAWL_EINVAL);
    cr_expect_not_null(strstr(error.message, "fewer than 16 characters"), "%s", error.message);
    cw_live_control_close(&control);
    config.program.live_token_file = path;
    cr_expect_eq(open_with(&control, &config, true, &made, &error), CRAWL_EINVAL, "it goes before the environment");
    cr_expect_not_null(strstr(error.message, "visible ASCII"), "%s", error.message);
    cw_live_control_close(&control);
    remove(path);
    cr_expect_eq(open_with(&control, &config, true, &made, &error), CRAWL_EIO);
    cw_live_control_close(&control);
}

Test(live_control, who_shows_the_token_is_admitted)
{
    static const struct {
        const char *header;
        bool is_admitted;
    } rows[] = {
        {"Bearer 0123456789abcdef", true},
        {"bearer  0123456789abcdef ", true},
        {"Bearer 0123456789abcdeF", false},
        {"Bearer 0123456789abcde", false},
        {"Bearer 0123456789abcdef0", false},
        {"Basic 0123456789abcdef", false},
        {"0123456789abcdef", false},
        {"Bearer", false},
        {"Bearer ", false},
        {NULL, false},
    };
    cw_live_control control = {.token = strdup(token)};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(cw_live_control_admits(&control, crawl_slice_from(rows[i].header)), rows[i].is_admitted, "%s",
                     rows[i].header);
    cw_live_control_close(&control);
}

Test(live_hosts, a_part_of_a_name_is_found_without_case)
{
    crawl_slice name = crawl_slice_from("http://News.example:80");
    cr_expect(cw_has_nocase(name, crawl_slice_from("news")));
    cr_expect(cw_has_nocase(name, crawl_slice_from("EXAMPLE:80")));
    cr_expect(cw_has_nocase(name, crawl_slice_from(NULL)));
    cr_expect_not(cw_has_nocase(name, crawl_slice_from("example:81")));
    cr_expect_not(cw_has_nocase(name, crawl_slice_from("http://News.example:80/")));
}

static crawl_end end_after_tick(cw_live_control *control, crawl_engine *engine)
{
    crawl_engine_stats stats;
    crawl_engine_stats_get(engine, &stats);
    cw_live_control_tick(control, engine, &stats);
    crawl_engine_stats_get(engine, &stats);
    return stats.end;
}

Test(live_control, a_key_that_resumes_the_crawl_cancels_its_draining)
{
    crawl_config config;
    crawl_engine *engine;
    cw_live_control control = {.token = NULL};
    crawl_buf out = {0};
    crawl_slice order = crawl_slice_from("{\"action\":\"drain\"}");
    cw_config_init(&config);
    cr_assert_eq(crawl_engine_create(&config, NULL, &engine, NULL), CRAWL_OK);
    cr_assert_eq(cw_live_control_do(&control, engine, order, NULL, &out), CRAWL_OK);
    crawl_engine_resume(engine);
    cr_expect_eq(end_after_tick(&control, engine), CRAWL_END_RUNNING);
    crawl_engine_pause(engine);
    cr_expect_eq(end_after_tick(&control, engine), CRAWL_END_RUNNING, "a later pause is no drain");
    cr_assert_eq(cw_live_control_do(&control, engine, order, NULL, &out), CRAWL_OK);
    cr_expect_eq(end_after_tick(&control, engine), CRAWL_END_STOPPED);
    crawl_buf_free(&out);
    crawl_engine_free(engine);
    cw_config_clear(&config);
}

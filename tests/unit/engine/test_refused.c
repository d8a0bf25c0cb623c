/* An engine refuses, with a message, outputs that it would not write and methods that fetch nothing. */
#include "config/config_values.h"

#include <crawl/engine.h>
#include <criterion/criterion.h>
#include <stdio.h>

static crawl_config config;
static crawl_engine *engine;
static crawl_error error;

static void set_up(void)
{
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
}

static void tear_down(void)
{
    crawl_engine_free(engine);
    cw_config_clear(&config);
}

TestSuite(refused, .init = set_up, .fini = tear_down);

Test(refused, outputs_that_the_engine_would_not_write)
{
    static const char *const outputs[] = {"output.output", "output.links", "output.requests",
                                          "output.bodies", "output.warc",  "live.listen"};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        char begin[60];
        crawl_config one;
        cr_assert_eq(cw_config_init(&one), CRAWL_OK);
        cr_assert_eq(crawl_config_set(&one, outputs[i], "8080", &error), CRAWL_OK, "%s", error.message);
        cr_expect_eq(crawl_engine_create(&one, NULL, &engine, &error), CRAWL_EINVAL, "%s", outputs[i]);
        cr_expect_null(engine);
        snprintf(begin, sizeof begin, "%s = 8080: ", outputs[i]);
        cr_expect_eq(strncmp(error.message, begin, strlen(begin)), 0, "%s", error.message);
        cw_config_clear(&one);
    }
    cr_expect_eq(crawl_engine_create(&config, NULL, &engine, &error), CRAWL_OK, "%s", error.message);
}

Test(refused, methods_that_fetch_nothing)
{
    static const char *const methods[] = {"CONNECT", "TRACE", "connect", "Trace"};
    cr_assert_eq(crawl_engine_create(&config, NULL, &engine, &error), CRAWL_OK, "%s", error.message);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const crawl_seed seed = {
            .size = sizeof seed, .url = crawl_slice_from("http://a.example/"), .method = crawl_slice_from(methods[i])};
        char words[60];
        snprintf(words, sizeof words, "method %s fetches nothing", methods[i]);
        error = (crawl_error){0};
        cr_expect_eq(crawl_engine_seed(engine, &seed, &error), CRAWL_EINVAL, "%s", methods[i]);
        cr_expect_not_null(strstr(error.message, words), "%s", error.message);
        error = (crawl_error){0};
        cr_expect_eq(crawl_engine_push(engine, &seed, (crawl_slice){0}, &error), CRAWL_EINVAL, "%s", methods[i]);
        cr_expect_not_null(strstr(error.message, words), "%s", error.message);
    }
    const crawl_seed seed = {
        .size = sizeof seed, .url = crawl_slice_from("http://a.example/"), .method = crawl_slice_from("TRACER")};
    cr_expect_eq(crawl_engine_seed(engine, &seed, &error), CRAWL_OK, "%s", error.message);
}

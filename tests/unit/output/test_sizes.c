/* Structs of programs compiled with older headers: they are shorter, and the memory after them has any content. The
 * sizes here are those of made-up older versions. And structs without a size, which are refused. */
#include "config/config_values.h"

#include <crawl/engine.h>
#include <crawl/output.h>
#include <crawl/rewrite.h>
#include <crawl/sys/explain.h>
#include <crawl/sys/request_log.h>
#include <crawl/sys/warc.h>
#include <crawl/text.h>
#include <criterion/criterion.h>
#include <event2/event.h>
#include <stddef.h>

/* Possible content of the memory after a struct of an older version. */
static const char *const trash = "behind the struct";

/* ---- older ---- */

Test(sizes, frontier_has_the_defaults_for_what_an_older_program_lacks)
{
    crawl_frontier_options options;
    crawl_frontier *frontier = NULL;
    crawl_error error = {0};
    crawl_frontier_options_init(&options, offsetof(crawl_frontier_options, window_bytes));
    options.pause_ms = 7;
    options.window_bytes = 1; /* it would be refused */
    options.fingerprints = trash;
    cr_assert_eq(crawl_frontier_create(&options, &frontier, &error), CRAWL_OK, "%s", error.message);
    crawl_frontier_free(frontier);
    options.size = sizeof options;
    cr_expect_eq(crawl_frontier_create(&options, &frontier, &error), CRAWL_EINVAL);
    cr_expect_str_eq(error.message, "window_bytes: below 1 MiB");
}

Test(sizes, init_writes_no_more_than_an_older_program_has)
{
    crawl_fetch_options options = {.http2 = false, .dns_servers = trash};
    crawl_fetch_options_init(&options, offsetof(crawl_fetch_options, dns_servers));
    cr_expect_eq(options.size, offsetof(crawl_fetch_options, dns_servers));
    cr_expect(options.http2 && options.dns_servers == trash);
}

Test(sizes, fetcher_does_not_read_what_an_older_program_lacks)
{
    struct event_base *base = event_base_new();
    crawl_fetch_options options;
    crawl_fetcher *fetcher = NULL;
    crawl_error error = {0};
    crawl_fetch_options_init(&options, sizeof options);
    options.size = offsetof(crawl_fetch_options, dns_servers);
    options.dns_servers = "no address";
    options.dns_timeout_ms = -1;
    cr_assert_eq(crawl_fetcher_create(base, &options, &fetcher, &error), CRAWL_OK, "%s", error.message);
    crawl_fetcher_free(fetcher);
    event_base_free(base);
}

static crawl_slice canonical_by(const crawl_canonical_options *options, crawl_buf *out)
{
    crawl_buf_clear(out);
    cr_assert_eq(crawl_text_canonical(crawl_slice_from("http://a.example/b?c#d"), options, out), CRAWL_OK);
    return crawl_buf_slice(out);
}

Test(sizes, members_that_an_older_program_lacks_are_zero)
{
    crawl_buf out = {0};
    crawl_canonical_options options = {.size = sizeof options, .profile = CRAWL_PROFILE_W3LIB, .keep_fragment = true};
    cr_expect(crawl_slice_equal(canonical_by(&options, &out), crawl_slice_from("http://a.example/b?c=#d")));
    options.size = offsetof(crawl_canonical_options, keep_fragment);
    cr_expect(crawl_slice_equal(canonical_by(&options, &out), crawl_slice_from("http://a.example/b?c=")));
    crawl_buf_free(&out);
}

/* As the exchange of on_depart, and of a caller who fills in little. */
Test(sizes, exchange_without_an_answer_is_written_with_status_0)
{
    crawl_buf out = {0};
    cr_assert_eq(crawl_exchange_json(&(crawl_exchange){.size = sizeof(crawl_exchange)}, &out), CRAWL_OK);
    cr_expect(strstr(out.data, "\"status\":0,\"error\":null"), "%s", out.data);
    crawl_buf_free(&out);
}

Test(sizes, record_of_an_older_program_is_written_without_what_it_lacks)
{
    crawl_buf out = {0};
    crawl_record record = {.size = offsetof(crawl_record, redirect),
                           .url = crawl_slice_from("http://a.example/"),
                           .redirect = crawl_slice_from(trash),
                           .error = trash};
    cr_assert_eq(crawl_record_json(&record, NULL, (crawl_slice){0}, &out), CRAWL_OK);
    cr_expect(strstr(out.data, "\"http://a.example/\""));
    cr_expect_not(strstr(out.data, trash), "%s", out.data);
    crawl_buf_free(&out);
}

/* Makes an engine that crawls nothing, with hooks of an older program. */
static crawl_engine *make_engine(crawl_config *config)
{
    const crawl_engine_hooks hooks = {.size = offsetof(crawl_engine_hooks, user), .user = (void *)trash};
    crawl_engine *engine = NULL;
    crawl_error error = {0};
    cr_assert_eq(cw_config_init(config), CRAWL_OK);
    config->workers = 1;
    cr_assert_eq(crawl_engine_create(config, &hooks, &engine, &error), CRAWL_OK, "%s", error.message);
    return engine;
}

Test(sizes, seed_of_an_older_program_has_no_depth)
{
    crawl_config config;
    crawl_engine *engine = make_engine(&config);
    crawl_seed seed = {
        .size = offsetof(crawl_seed, depth), .url = crawl_slice_from("http://a.example/"), .depth = 1u << 30};
    cr_expect_eq(crawl_engine_seed(engine, &seed, NULL), CRAWL_OK);
    seed.size = sizeof seed;
    cr_expect_eq(crawl_engine_seed(engine, &seed, NULL), CRAWL_EINVAL);
    crawl_engine_free(engine);
    cw_config_clear(&config);
}

/* ---- out of range ---- */

Test(sizes, fetcher_refuses_what_would_have_no_effect)
{
    struct event_base *base = event_base_new();
    crawl_fetch_options options;
    crawl_fetcher *fetcher = NULL;
    crawl_error error = {0};
    crawl_fetch_options_init(&options, sizeof options);
    options.interface_name = "a\nb";
    cr_expect_eq(crawl_fetcher_create(base, &options, &fetcher, &error), CRAWL_EINVAL);
    options.interface_name = NULL;
    options.resolver = (crawl_resolver)9;
    cr_expect_eq(crawl_fetcher_create(base, &options, &fetcher, &error), CRAWL_EINVAL);
    cr_expect_str_eq(error.message, "resolver is 9, which is none");
    event_base_free(base);
}

Test(sizes, bodies_refuse_a_long_suffix)
{
    crawl_bodies *bodies = NULL;
    crawl_error error = {0};
    cr_expect_eq(crawl_bodies_open(".", ".longer", &bodies, &error), CRAWL_EINVAL);
}

/* ---- without a size ---- */

Test(sizes, seed_without_a_size_is_refused_in_words)
{
    crawl_config config;
    crawl_error error = {0};
    crawl_engine *engine = make_engine(&config);
    crawl_seed seed = {.size = 0, .url = crawl_slice_from("http://a.example/")};
    cr_expect_eq(crawl_engine_seed(engine, &seed, &error), CRAWL_EINVAL);
    cr_expect_str_eq(error.message, "crawl_seed.size is 0, expected sizeof(crawl_seed)");
    cr_expect_eq(crawl_engine_push(engine, &seed, (crawl_slice){0}, &error), CRAWL_EINVAL);
    seed.size = sizeof seed + 8;
    cr_expect_eq(crawl_engine_seed(engine, &seed, &error), CRAWL_EINVAL);
    cr_expect(strstr(error.message, "later"), "%s", error.message);
    crawl_engine_free(engine);
    cw_config_clear(&config);
}

Test(sizes, no_call_takes_options_without_a_size)
{
    crawl_error error = {0};
    crawl_buf out = {0};
    crawl_slice text = {0};
    crawl_fingerprint print;
    crawl_frontier *frontier;
    crawl_sitemap *sitemap;
    crawl_redis *redis;
    crawl_warc *warc;
    crawl_text_maker *maker = crawl_text_maker_create();
    crawl_fingerprinter *fingerprinter = crawl_fingerprinter_create();
    struct event_base *base = event_base_new();
    crawl_fetcher *fetcher = NULL;
    cr_expect_eq(crawl_text_canonical(text, &(crawl_canonical_options){.size = 0}, &out), CRAWL_EINVAL);
    cr_expect_eq(crawl_text_make(maker, text, &(crawl_text_options){.size = 0}, &text), CRAWL_EINVAL);
    cr_expect_eq(crawl_sitemap_create(&(crawl_sitemap_options){.size = 0}, &sitemap), CRAWL_EINVAL);
    cr_expect_eq(crawl_rewrite_css(&(crawl_rewrite){.size = 0}, text, &out), CRAWL_EINVAL);
    cr_expect_eq(
        crawl_fingerprint_by(fingerprinter, &(crawl_fingerprint_options){.size = 0}, text, text, text, NULL, 0, &print),
        CRAWL_EINVAL);
    cr_expect_eq(crawl_record_json(&(crawl_record){.size = 0}, NULL, text, &out), CRAWL_EINVAL);
    cr_expect_eq(crawl_record_csv(&(crawl_record){.size = 0}, NULL, &out), CRAWL_EINVAL);
    cr_expect_eq(crawl_edge_json(&(crawl_edge){.size = 0}, &out), CRAWL_EINVAL);
    cr_expect_eq(crawl_edge_csv(&(crawl_edge){.size = 0}, &out), CRAWL_EINVAL);
    cr_expect_eq(crawl_frontier_create(&(crawl_frontier_options){.size = 0}, &frontier, &error), CRAWL_EINVAL);
    cr_expect_eq(crawl_fetcher_create(base, &(crawl_fetch_options){.size = 0}, &fetcher, &error), CRAWL_EINVAL);
    cr_expect_eq(crawl_redis_open(&(crawl_redis_options){.size = 0}, &redis, &error), CRAWL_EINVAL);
    cr_expect_eq(crawl_warc_open(&(crawl_warc_options){.size = 0}, &warc, &error), CRAWL_EINVAL);
    cr_expect_str_eq(error.message, "crawl_warc_options.size is 0, expected sizeof(crawl_warc_options)");
    cr_expect_eq(out.size, 0);
    crawl_text_maker_free(maker);
    crawl_fingerprinter_free(fingerprinter);
    crawl_buf_free(&out);
    event_base_free(base);
}

Test(sizes, what_stands_in_a_reserve_is_refused)
{
    crawl_bloom *bloom = NULL;
    crawl_error error = {0};
    crawl_bloom_options options;
    crawl_bloom_options_init(&options);
    options.reserved[1] = 1;
    cr_expect_eq(crawl_bloom_create(&options, &bloom, &error), CRAWL_EINVAL);
    cr_expect(strstr(error.message, "reserved"), "%s", error.message);
}

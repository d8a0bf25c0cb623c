/* Verdicts on URLs without a crawl, and notes of a crawl's directory, by the public calls. */
#include <crawl/sys/explain.h>

#include "config/config_values.h"
#include "crawler/engine/host/handover.h"

#include <criterion/criterion.h>

static crawl_config config;
static crawl_judge *judge;
static crawl_url *url;
static crawl_judgement answer;

static void set(const char *key, const char *value)
{
    crawl_error error = {0};
    cr_assert_eq(crawl_config_set(&config, key, value, &error), CRAWL_OK, "%s", error.message);
}

static void begin(void)
{
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    url = crawl_url_create();
}

static void end(void)
{
    crawl_judge_free(judge);
    crawl_url_free(url);
    cw_config_clear(&config);
}

TestSuite(explain, .init = begin, .fini = end);

static void open_judge(void)
{
    crawl_error error = {0};
    cr_assert_eq(crawl_judge_create(&config, &judge, &error), CRAWL_OK, "%s", error.message);
}

static crawl_err seed(const char *text, uint32_t depth, crawl_error *error)
{
    return crawl_judge_seed(
        judge, &(crawl_seed){.size = sizeof(crawl_seed), .url = crawl_slice_from(text), .depth = depth}, error);
}

static const crawl_judgement *ask(const char *text)
{
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from(text), NULL, NULL), CRAWL_OK, "%s", text);
    cr_assert_eq(crawl_judge_url(judge, url, &answer), CRAWL_OK, "%s", text);
    return &answer;
}

static bool is(crawl_slice text, const char *expected)
{
    return crawl_slice_equal(text, crawl_slice_from(expected));
}

Test(explain, a_seed_is_known_again_by_its_key)
{
    open_judge();
    crawl_error error = {0};
    cr_expect_not(ask("http://a.example/")->has_origins);
    cr_expect_null(answer.seed);
    cr_expect_null(answer.within);
    cr_expect_eq(seed("http://a.example/x?b=1&a=2", 3, &error), CRAWL_OK);
    cr_expect_eq(seed("http://A.example:80/x?b=1&a=2#part", 0, &error), CRAWL_EXISTS);
    cr_assert(ask("http://a.example/x?b=1&a=2")->seed);
    cr_expect_eq(answer.seed->depth, 3);
    cr_expect(is(answer.seed->url, "http://a.example/x?b=1&a=2"));
    cr_expect(is(answer.seed->place, "a.example"));
    cr_expect_null(ask("http://a.example/y")->seed);
    cr_expect(answer.has_origins);
}

Test(explain, bad_seeds_are_refused_in_words)
{
    crawl_error error = {0};
    set("crawl.depth", "2");
    open_judge();
    cr_expect_eq(seed("a.example/", 0, &error), CRAWL_EPARSE);
    cr_expect_str_eq(error.message, "not an absolute URL: a.example/");
    cr_expect_eq(seed("ftp://a.example/", 0, &error), CRAWL_EINVAL);
    cr_expect_str_eq(error.message, "not http or https: ftp://a.example/");
    cr_expect_eq(seed("http://a.example/", 3, &error), CRAWL_EINVAL);
    cr_expect_str_eq(error.message, "depth 3 is beyond the crawl's depth of 2");
    cr_expect_not(ask("http://a.example/")->has_origins);
}

Test(explain, the_scope_names_the_first_seed_or_place_that_has_the_url)
{
    set("crawl.scope", "prefix");
    open_judge();
    cr_assert_eq(seed("http://a.example/docs/", 0, NULL), CRAWL_OK);
    cr_assert_eq(crawl_judge_place(judge, crawl_slice_from("http://a.example/news/"), false), CRAWL_OK);
    cr_expect_eq(crawl_judge_place(judge, crawl_slice_from("no URL"), false), CRAWL_ECORRUPT);
    cr_assert(ask("http://a.example/docs/x/y")->within);
    cr_expect(is(answer.within->place, "http://a.example/docs/"));
    cr_expect(is(answer.place, "http://a.example/docs/x/"));
    cr_assert(ask("http://a.example/news/1")->within);
    cr_expect(is(answer.within->url, "http://a.example/news/"));
    cr_expect_null(ask("http://a.example/")->within);
    cr_expect_null(ask("http://b.example/docs/")->within);
}

Test(explain, the_pattern_that_decides_is_named)
{
    set("crawl.exclude", "\\.pdf$");
    set("crawl.include", "/keep/");
    open_judge();
    cr_expect(ask("http://a.example/")->passes && !answer.rule);
    cr_expect_not(ask("http://a.example/a.pdf")->passes);
    cr_expect_eq(answer.rule, &config.rules[0]);
    cr_expect(ask("http://a.example/keep/a.pdf")->passes);
    cr_expect_eq(answer.rule, &config.rules[1]);
    cr_expect_not(answer.rule_stopped);
}

Test(explain, a_match_without_end_is_stopped_and_does_not_pass)
{
    char endless[600] = "http://a.example/";
    set("crawl.include", "(a+)+$");
    open_judge();
    memset(endless + strlen(endless), 'a', 400);
    strcat(endless, "!");
    cr_expect_not(ask(endless)->passes);
    cr_expect(answer.rule_stopped);
    cr_expect_eq(answer.rule, &config.rules[0]);
}

Test(explain, shapes_and_keys_follow_the_configuration)
{
    set("crawl.max_path_depth", "2");
    set("seen.drop_params", "utm_*");
    open_judge();
    cr_expect_eq(ask("http://a.example/1/2/3")->trap, CRAWL_TRAP_DEPTH);
    cr_expect_eq(ask("http://a.example/1/?utm_source=x&a=1")->trap, CRAWL_TRAP_NONE);
    cr_expect(is(answer.canonical, "http://a.example/1/?a=1"), "%.*s", (int)answer.canonical.size,
              answer.canonical.data);
    cr_expect(crawl_judge_canonical(judge)->drop);
}

Test(explain, a_wrong_setting_is_told)
{
    crawl_error error = {0};
    set("crawl.include", "(");
    cr_expect_eq(crawl_judge_create(&config, &judge, &error), CRAWL_EPARSE);
    cr_expect(strstr(error.message, "include \"(\""), "%s", error.message);
    judge = NULL;
}

static void expect_address(const char *text, crawl_address_verdict expected)
{
    cr_expect_eq(ask(text)->address, expected, "%s: %d", text, (int)answer.address);
}

Test(explain, addresses_and_ports)
{
    set("politeness.internal_hosts", "wiki.example");
    open_judge();
    cr_assert_eq(seed("http://127.0.0.1:8080/", 0, NULL), CRAWL_OK);
    cr_assert_eq(seed("http://wiki.example:8443/", 0, NULL), CRAWL_OK);
    expect_address("http://8.8.8.8/", CRAWL_ADDRESS_PUBLIC);
    expect_address("http://a.example/", CRAWL_ADDRESS_NAME);
    expect_address("http://a.example:25/", CRAWL_ADDRESS_PORT);
    expect_address("http://127.0.0.1:8080/x", CRAWL_ADDRESS_SEED);
    expect_address("http://127.0.0.1:81/", CRAWL_ADDRESS_NO_PORT);
    expect_address("http://127.0.0.2/", CRAWL_ADDRESS_NO_SEED);
    expect_address("http://b.localhost/", CRAWL_ADDRESS_NO_SEED);
    expect_address("http://wiki.example/", CRAWL_ADDRESS_INTERNAL);
    expect_address("http://wiki.example:8443/", CRAWL_ADDRESS_SEED);
}

Test(explain, all_addresses_where_the_configuration_allows_them)
{
    set("fetch.allow_private", "true");
    open_judge();
    expect_address("http://127.0.0.2/", CRAWL_ADDRESS_ALLOWED);
    expect_address("http://127.0.0.2:25/", CRAWL_ADDRESS_PORT);
}

/* ---- notes ---- */

static crawl_state_note note;

static crawl_state_note_kind read_note(const char *name, crawl_slice text)
{
    return crawl_state_note_read(crawl_slice_from(name), text, &note);
}

Test(explain, notes_of_places_of_seeds_of_walls_and_of_blocks)
{
    cr_expect_eq(read_note(CRAWL_STATE_PLACES "http://a.example/x/", crawl_slice_from("s")), CRAWL_STATE_PLACE);
    cr_expect(note.of_seed && is(note.place, "http://a.example/x/"));
    cr_expect_eq(read_note(CRAWL_STATE_PLACES "http://a.example/", crawl_slice_from("r")), CRAWL_STATE_PLACE);
    cr_expect_not(note.of_seed);
    cr_expect_eq(read_note("#seeds", crawl_slice_from("seeds.txt")), CRAWL_STATE_SEEDS);
    cr_expect(is(note.seeds_from, "seeds.txt"));
    cr_expect_eq(read_note("#pages host a.example", crawl_slice_from("12")), CRAWL_STATE_OTHER);
    static const char wall[] = "\1\2\0\0\0\0\0\0http://a.example/x wall of Cloudflare: text";
    cr_expect_eq(read_note(CRAWL_STATE_WALLS "http://a.example:80", crawl_slice_of(wall, sizeof wall - 1)),
                 CRAWL_STATE_WALL);
    cr_expect(is(note.wall_url, "http://a.example/x") && is(note.wall, "wall of Cloudflare: text"));
    cr_expect_eq(note.wall_ms, 513);
    cr_expect_eq(read_note(CRAWL_STATE_BLOCKS "http://a.example:80", crawl_slice_from("b")), CRAWL_STATE_BLOCK);
    for (size_t size = 0; size < 10; size++)
        cr_expect_eq(read_note(CRAWL_STATE_WALLS "http://a.example:80", crawl_slice_of(wall, size)), CRAWL_STATE_OTHER);
    cr_expect_eq(note.kind, CRAWL_STATE_OTHER);
}

Test(explain, notes_of_hosts)
{
    crawl_buf bytes = {0};
    cw_host_site_note site = {.robots = CRAWL_HOST_ROBOTS_RULES,
                              .expires_ms = 7,
                              .hold_until_ms = 8,
                              .away_until_ms = 9,
                              .text = crawl_slice_from("User-agent: *\n")};
    cr_assert_eq(cw_host_site_note_write(&site, &bytes), CRAWL_OK);
    cr_expect_eq(read_note("http://a.example:80", crawl_buf_slice(&bytes)), CRAWL_STATE_HOST);
    cr_expect_eq(note.robots, CRAWL_HOST_ROBOTS_RULES);
    cr_expect(note.robots_expires_ms == 7 && note.hold_until_ms == 8 && note.away_until_ms == 9);
    cr_expect(is(note.text, "User-agent: *\n"));
    site.robots = CRAWL_HOST_ROBOTS_REFUSED;
    site.error_class = CRAWL_CLASS_TIMEOUT;
    site.text = crawl_slice_from("no answer");
    cr_assert_eq(cw_host_site_note_write(&site, &bytes), CRAWL_OK);
    cr_expect_eq(read_note("http://a.example:80", crawl_buf_slice(&bytes)), CRAWL_STATE_HOST);
    cr_expect(note.robots == CRAWL_HOST_ROBOTS_REFUSED && is(note.text, "no answer"));
    cr_expect_eq(read_note("http://a.example:80", crawl_slice_from("short")), CRAWL_STATE_OTHER);
    crawl_buf_free(&bytes);
}

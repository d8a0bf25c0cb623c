#include "config/config_values.h"
#include "crawler/program/live/live_stats.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static crawl_config config = {.connections = 64, .seen = {.kind = CRAWL_BLOOM_SCALABLE}};
static cw_live_history history;

static crawl_engine_stats stats_of_a_crawl(void)
{
    crawl_engine_stats stats = {
        .elapsed_ms = 4000,
        .pages = 10,
        .bytes = 2048,
        .wire_bytes = 3000,
        .status = {1, 0, 6, 2, 0, 1},
        .external = {4, 0, 7, 0, 3, 0},
        .errors = 3,
        .retries = 4,
        .robots = 5,
        .links = 100,
        .sitemap_urls = 11,
        .llms_txt = 2,
        .withheld = 4,
        .robots_cut = 2,
        .links_cut = 1,
        .running = 9,
        .connections = 60,
        .no_socket = 3,
        .frontier = {.queued = 30,
                     .leased = 2,
                     .hosts = 4,
                     .pushed = 99,
                     .accepted = 50,
                     .seen = 40,
                     .finished = 60,
                     .full = 8},
        .before = {.accepted = 10, .seen = 15, .full = 2},
    };
    stats.error_classes[CRAWL_CLASS_DNS] = 1;
    stats.error_classes[CRAWL_CLASS_GIVEN_UP] = 2;
    stats.edges[CRAWL_EDGE_NEW] = 73;
    stats.edges[CRAWL_EDGE_REPEATED] = 20;
    stats.edges[CRAWL_EDGE_SCOPE] = 7;
    stats.sitemap_edges[CRAWL_EDGE_SEEN] = 11;
    stats.sitemap_faults[CRAWL_SITEMAP_BROKEN] = 2;
    stats.traps[CRAWL_TRAP_REPEATS] = 6;
    stats.frontier.filter = (crawl_bloom_stats){.count = 50,
                                                .capacity = 1000000,
                                                .bytes = 4096,
                                                .fill = 0.25,
                                                .fpr = 1e-4,
                                                .fpr_now = 2e-5,
                                                .expected_false = 0.5};
    crawl_load *load = &stats.bound.load;
    load->now_ms = 1795000000000;
    load->running = 9;
    load->frontier.hosts[CRAWL_STANDING_PAUSED] = 3;
    load->frontier.hosts[CRAWL_STANDING_DATED] = 1;
    load->frontier.due_ms = load->now_ms + 1500;
    load->frontier.due =
        (crawl_held_host){.origin = "http://a.example:80", .standing = CRAWL_STANDING_PAUSED, .queued = 12};
    load->frontier.most_queued[0] = load->frontier.due;
    load->frontier.most_queued_count = 1;
    stats.bound.bound = CRAWL_BOUND_PAUSES;
    stats.bound.bound_ms[CRAWL_BOUND_PAUSES] = 3250;
    return stats;
}

static cw_live_source source_of(const crawl_engine_stats *stats)
{
    return (cw_live_source){
        .stats = stats, .config = &config, .history = &history, .started_ms = 1794999996000, .resident_bytes = 1 << 20};
}

static json_t *json_of(const crawl_engine_stats *stats)
{
    cw_live_source source = source_of(stats);
    crawl_buf text = {0};
    json_error_t error;
    cr_assert_eq(cw_live_json(&source, &text), CRAWL_OK);
    json_t *object = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, &error);
    cr_assert(json_is_object(object), "%s: %s", error.text, text.data);
    cr_expect_eq(text.data[text.size - 1], '\n');
    crawl_buf_free(&text);
    return object;
}

/* Returns the member at a path such as "links.found". */
static const json_t *at(const json_t *object, const char *path)
{
    char parts[100];
    snprintf(parts, sizeof parts, "%s", path);
    char *rest = NULL;
    for (const char *part = strtok_r(parts, "/", &rest); part; part = strtok_r(NULL, "/", &rest))
        object = json_object_get(object, part);
    cr_assert_not_null(object, "no %s", path);
    return object;
}

static const struct {
    const char *path;
    double value;
} figures[] = {
    {"elapsed_s", 4},
    {"pages", 10},
    {"pages_per_s", 2.5},
    {"recent_pages_per_s", 3},
    {"bytes", 2048},
    {"bytes_received", 3000},
    {"status/other", 1},
    {"status/2xx", 6},
    {"status/5xx", 1},
    {"external/none", 4},
    {"external/2xx", 7},
    {"external/4xx", 3},
    {"errors", 3},
    {"errors_by_class/dns", 1},
    {"errors_by_class/given-up", 2},
    {"errors_by_class/tls", 0},
    {"retries", 4},
    {"robots_asked", 5},
    {"robots_cut", 2},
    {"links_cut", 1},
    {"links/found", 100},
    {"links/by_verdict/new", 73},
    {"links/by_verdict/repeated", 20},
    {"links/by_verdict/scope", 7},
    {"links/by_verdict/not-http", 0},
    {"withheld", 4},
    {"sitemaps/urls", 11},
    {"sitemaps/llms_txt", 2},
    {"sitemaps/urls_by_verdict/seen", 11},
    {"sitemaps/unread_by_fault/broken", 2},
    {"sitemaps/unread_by_fault/cut", 0},
    {"queue/accepted", 40},
    {"queue/seen", 25},
    {"queue/left_out", 6},
    {"links/traps/crawl.max_repeats", 6},
    {"queue/queued", 30},
    {"queue/leased", 2},
    {"queue/finished", 60},
    {"hosts/known", 4},
    {"hosts/standing/paused", 3},
    {"hosts/standing/later", 1},
    {"hosts/standing/ready", 0},
    {"hosts/next_due_s", 1.5},
    {"connections/in_use", 9},
    {"connections/limit", 60},
    {"connections/no_socket", 3},
    {"bound/time_s/pauses", 3.25},
    {"filter/keys", 50},
    {"filter/bytes", 4096},
    {"filter/fill", 0.25},
    {"filter/false_positive_rate", 2e-5},
    {"filter/expected_lost", 0.5},
    {"memory/resident_bytes", 1 << 20},
};

Test(live_stats, json_of_a_crawl)
{
    crawl_engine_stats stats = stats_of_a_crawl();
    cw_live_history_add(&history, (cw_live_moment){1000, 1});
    cw_live_history_add(&history, (cw_live_moment){2000, 3});
    json_t *object = json_of(&stats);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        cr_expect_float_eq(json_number_value(at(object, figures[i].path)), figures[i].value, 1e-9, "%s",
                           figures[i].path);
    cr_expect_str_eq(json_string_value(at(object, "version")), crawl_version());
    cr_expect_str_eq(json_string_value(at(object, "started")), "2026-11-18T11:06:36.000Z");
    cr_expect_str_eq(json_string_value(at(object, "state")), "running");
    cr_expect_str_eq(json_string_value(at(object, "bound/by")), "pauses");
    cr_expect_str_eq(json_string_value(at(object, "bound/words")),
                     "waiting for pauses of 3 hosts (next in 1.5 s; most queued: a.example:80 (12))");
    cr_expect_str_eq(json_string_value(at(object, "filter/kind")), "scalable");
    cr_expect_str_eq(json_string_value(at(object, "hosts/next_due_host")), "http://a.example:80");
    cr_expect_str_eq(json_string_value(at(object, "hosts/next_due_at")), "2026-11-18T11:06:41.500Z");
    const json_t *first = json_array_get(at(object, "hosts/most_queued"), 0);
    cr_expect_str_eq(json_string_value(at(first, "host")), "http://a.example:80");
    cr_expect_str_eq(json_string_value(at(first, "standing")), "paused");
    cr_expect_eq(json_array_size(at(object, "pages_per_s_history")), 1);
    cr_expect_eq(json_number_value(json_array_get(at(object, "pages_per_s_history"), 0)), 2);
    json_decref(object);
}

Test(live_stats, what_is_not_known_is_null_and_no_sample)
{
    crawl_engine_stats stats = stats_of_a_crawl();
    stats.bound.load.frontier.due_ms = CRAWL_FOREVER;
    stats.frontier.filter.fpr_now = NAN;
    stats.bound.bound = CRAWL_BOUND_NOTHING;
    stats.end = CRAWL_END_MAX_PAGES;
    json_t *object = json_of(&stats);
    cr_expect(json_is_null(at(object, "hosts/next_due_s")));
    cr_expect(json_is_null(at(object, "hosts/next_due_at")));
    cr_expect(json_is_null(at(object, "hosts/next_due_host")));
    cr_expect(json_is_null(at(object, "filter/false_positive_rate")));
    cr_expect(json_is_null(at(object, "bound/words")));
    cr_expect_str_eq(json_string_value(at(object, "state")), "crawl.max_pages reached");
    json_decref(object);
    cw_live_source source = source_of(&stats);
    crawl_buf text = {0};
    cr_assert_eq(cw_live_metrics(&source, &text), CRAWL_OK);
    cr_expect_null(strstr(text.data, "\ncrawl_hosts_next_due_seconds "));
    cr_expect_null(strstr(text.data, "nan"));
    crawl_buf_free(&text);
}

Test(live_stats, a_host_whose_name_is_no_text)
{
    crawl_engine_stats stats = stats_of_a_crawl();
    strcpy(stats.bound.load.frontier.most_queued[0].origin, "http://\xff<script>\":80");
    json_t *object = json_of(&stats);
    cr_expect_str_eq(json_string_value(at(json_array_get(at(object, "hosts/most_queued"), 0), "host")),
                     "http://\xef\xbf\xbd<script>\":80");
    json_decref(object);
}

Test(live_stats, metrics_of_a_crawl)
{
    static const char *const lines[] = {
        "# TYPE crawl_pages_total counter\ncrawl_pages_total 10\n",
        "# HELP crawl_pages_total Answers, robots.txt and sitemaps excluded.\n",
        "\ncrawl_info{version=\"0.1.0\",filter=\"scalable\"} 1\n",
        "\ncrawl_start_time_seconds 1794999996.000\n",
        "\ncrawl_responses_total{class=\"2xx\"} 6\n",
        "\ncrawl_errors_total{class=\"given-up\"} 2\n",
        "\ncrawl_links_found_total 100\n",
        "\ncrawl_links_by_verdict_total{verdict=\"scope\"} 7\n",
        "\ncrawl_sitemap_urls_by_verdict_total{verdict=\"seen\"} 11\n",
        "\ncrawl_sitemaps_unread_total{fault=\"broken\"} 2\n",
        "\ncrawl_queue_seen_total 25\n",
        "\ncrawl_links_trapped_total{limit=\"crawl.max_repeats\"} 6\n",
        "\ncrawl_hosts_queued{standing=\"paused\"} 3\n",
        "\ncrawl_hosts_next_due_seconds 1.5\n",
        "\ncrawl_bound_seconds_total{by=\"pauses\"} 3.25\n",
        "\ncrawl_filter_false_positive_ratio 2e-05\n",
        "\ncrawl_resident_memory_bytes 1048576\n",
    };
    crawl_engine_stats stats = stats_of_a_crawl();
    cw_live_source source = source_of(&stats);
    crawl_buf text = {0};
    cr_assert_eq(cw_live_metrics(&source, &text), CRAWL_OK);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_expect_not_null(strstr(text.data, lines[i]), "%s", lines[i]);
    cr_expect_null(strstr(text.data, "\"\""), "a label without a value");
    cr_expect_null(strstr(text.data, "a.example"), "hosts are without bound");
    crawl_buf_free(&text);
}

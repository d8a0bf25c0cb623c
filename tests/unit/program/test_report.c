#include "config/config_values.h"
#include "crawler/program/summary/report.h"

#include <criterion/criterion.h>

static crawl_engine_stats stats_of_a_crawl(void)
{
    crawl_engine_stats stats = {
        .end = CRAWL_END_DRAINED, .elapsed_ms = 2000, .pages = 10, .bytes = 2048, .wire_bytes = 100};
    stats.status[2] = 9;
    stats.status[4] = 1;
    stats.errors = 2;
    stats.error_classes[CRAWL_CLASS_DNS] = 2;
    stats.frontier.filter = (crawl_bloom_stats){
        .count = 12, .bytes = 4096, .filters = 2, .fill = 0.5, .fpr_now = 1e-5, .fpr = 1e-4, .expected_false = 0.25};
    return stats;
}

static bool says(const crawl_buf *text, const char *words)
{
    bool found = strstr(text->data, words) != NULL;
    if (!found)
        fprintf(stderr, "missing \"%s\" in:\n%s\n", words, text->data);
    return found;
}

Test(report, summary_states_everything)
{
    crawl_engine_stats stats = stats_of_a_crawl();
    crawl_config config = {0};
    crawl_buf text = {0};
    cw_report_summary(&stats, &config, &text);
    cr_expect(says(&text, "nothing left to fetch after 2.0 s"));
    cr_expect(says(&text, "10 (5.0/s), 2.0 KiB, 100 B received"));
    cr_expect(says(&text, "2xx 9 4xx 1\n"));
    cr_expect(says(&text, "errors    2: dns 2;"));
    cr_expect_null(strstr(text.data, "filter"), "the usual one, which lost nothing");
    stats.frontier.filter.expected_false = 1.25;
    cw_report_summary(&stats, &config, &text);
    cr_expect(says(&text, "12 URLs in 4.0 KiB, 2 filters, fill 50.0%, false-positive rate 1e-05 (limit 0.0001)"));
    cr_expect(says(&text, "1.2500 URLs expected"));
    cr_expect(says(&text, "  links     0 found\n"));
    cr_expect_null(strstr(text.data, "sitemaps "));
    cr_expect_null(strstr(text.data, "external"));
    stats.external[0] = 1, stats.external[4] = 2;
    cw_report_summary(&stats, &config, &text);
    cr_expect(says(&text, "  external  4xx 2 without an answer 1\n"));
    crawl_buf_free(&text);
}

Test(report, what_was_cut_is_said)
{
    crawl_engine_stats stats = stats_of_a_crawl();
    stats.links_cut = 3, stats.robots_cut = 2;
    crawl_config config = {0};
    crawl_buf text = {0};
    cw_report_summary(&stats, &config, &text);
    cr_expect(says(&text, "  warning   pages cut at 100000 links: 3\n"));
    cr_expect(says(&text, "  warning   robots.txt cut at 512000 bytes: 2\n"));
    crawl_buf_free(&text);
}

Test(report, links_by_what_became_of_them)
{
    crawl_engine_stats stats = stats_of_a_crawl();
    stats.links = 10, stats.edges[CRAWL_EDGE_NEW] = 4, stats.edges[CRAWL_EDGE_DEPTH] = 5,
    stats.edges[CRAWL_EDGE_NOT_HTTP] = 1;
    stats.sitemaps = 2, stats.sitemap_urls = 3, stats.sitemap_edges[CRAWL_EDGE_SEEN] = 3;
    stats.sitemap_faults[CRAWL_SITEMAP_CUT] = 1, stats.sitemap_faults[CRAWL_SITEMAP_NONE] = 2;
    strcpy(stats.sitemap_first[CRAWL_SITEMAP_CUT], "http://a/1.xml"),
        strcpy(stats.sitemap_first[CRAWL_SITEMAP_NONE], "http://a/2.xml");
    stats.frontier.accepted = 7, stats.before.accepted = 2, stats.frontier.hosts = 3, stats.frontier.full = 1;
    stats.frontier.finished = 6, stats.frontier.queued = 2; /* and robots.txt */
    crawl_config config = {0};
    crawl_buf text = {0};
    cw_report_summary(&stats, &config, &text);
    cr_expect(says(&text, "  links     10 found: 4 new, 5 depth, 1 not-http\n"));
    cr_expect(says(&text, "  sitemaps  2 asked, 3 URLs in them: 3 seen\n"));
    cr_expect(says(&text, "  unread    of sitemaps 1 cut (http://a/1.xml), 2 none (first http://a/2.xml)\n"));
    cr_expect(says(
        &text,
        "  queue     5 requests taken on 3 hosts; 1 left out by crawl.max_queued or crawl.max_hosts; 1 not fetched\n"));
    crawl_buf_free(&text);
}

Test(report, urls_of_feeds_are_said_to_be_of_feeds)
{
    crawl_engine_stats stats = stats_of_a_crawl();
    stats.feeds_asked = 3, stats.feeds_found = 1, stats.sitemap_urls = 4;
    stats.sitemap_edges[CRAWL_EDGE_NEW] = 4;
    crawl_config config = {0};
    crawl_buf text = {0};
    cw_report_summary(&stats, &config, &text);
    cr_expect(says(&text, "  sitemaps  1 feed found, 4 URLs in them: 4 new\n"));
    crawl_buf_clear(&text);
    stats.sitemaps = 2;
    cw_report_summary(&stats, &config, &text);
    cr_expect(says(&text, "  sitemaps  2 asked, 1 feed found, 4 URLs in them: 4 new\n"));
    crawl_buf_free(&text);
}

Test(report, visits_of_pages_again)
{
    crawl_engine_stats stats = stats_of_a_crawl();
    crawl_config config = {0};
    crawl_buf text = {0};
    cw_report_summary(&stats, &config, &text);
    cr_expect_null(strstr(text.data, "  visits "));
    stats.visits = 7, stats.changed = 2, stats.unchanged = 4, stats.not_modified = 3, stats.gone = 1;
    stats.next_ms = 90000;
    stats.frontier.queued = stats.frontier.revisits = 6;
    crawl_buf_clear(&text);
    cw_report_summary(&stats, &config, &text);
    cr_expect(says(
        &text,
        "visits    7 of pages visited before: 2 changed, 4 not, of them 3 by status 304; 1 pages are gone; 6 wait for the "
        "next, due in 1 min 30 s\n"));
    cr_expect_null(strstr(text.data, "not fetched"));
    stats.next_ms = 2 * 86400000 - 1;
    crawl_buf_clear(&text);
    cw_report_summary(&stats, &config, &text);
    cr_expect(says(&text, "; 6 wait for the next, due in 47 h 59 min\n"));
    stats.next_ms = 4 * 86400000 + 7 * 3600000;
    crawl_buf_clear(&text);
    cw_report_summary(&stats, &config, &text);
    cr_expect(says(&text, "; 6 wait for the next, due in 4 d 7 h\n"));
    stats.next_ms = -1;
    crawl_buf_clear(&text);
    cw_report_summary(&stats, &config, &text);
    cr_expect(says(&text, "; 6 wait for the next\n"), "where the date is not known");
    crawl_buf_clear(&text);
    cw_report_progress(&stats, &stats, 200, &text);
    cr_expect(says(&text, "6 queued  0 in flight  2 errors  7 visits again, 2 changed  0 hosts"));
    crawl_buf_clear(&text);
    cw_report_left(&stats, CRAWL_REVISIT_OFF, "d", &text);
    cr_expect(says(&text, "6; resume with: crawl --revisit --state d\n"));
    stats.frontier.queued = 7;
    crawl_buf_clear(&text);
    cw_report_left(&stats, CRAWL_REVISIT_OFF, "d", &text);
    cr_expect(says(&text, "resume with: crawl --state d\n"));
    crawl_buf_free(&text);
}

Test(report, shared_figures_that_are_known)
{
    crawl_engine_stats stats = stats_of_a_crawl();
    char place[] = "redis://localhost/0?name=a";
    crawl_config config = {.shared = place};
    crawl_buf text = {0};
    stats.is_shared = true;
    stats.shared.finished = 7, stats.shared.queued = 2, stats.shared.held = 1, stats.shared.lost = 1;
    cw_report_summary(&stats, &config, &text);
    cr_expect(says(&text, "  shared    redis://localhost/0?name=a: 7 requests finished by all, 3 left; "
                          "1 session of hosts ended by their deadline\n"));
    stats.shared.finished = 0, stats.shared.later = 5, stats.shared.lost = 0;
    config.revisit = CRAWL_REVISIT_DUE;
    crawl_buf_clear(&text);
    cw_report_summary(&stats, &config, &text);
    cr_expect(says(&text, "  shared    redis://localhost/0?name=a: 3 left, 5 for a later run\n"));
    stats.end = CRAWL_END_FAILED;
    crawl_buf_clear(&text);
    cw_report_summary(&stats, &config, &text);
    cr_expect_null(strstr(text.data, "  shared "));
    crawl_buf_free(&text);
}

/* No other process need be there, and after a failure of Redis none goes on. */
Test(report, what_a_shared_crawl_leaves)
{
    crawl_engine_stats stats = stats_of_a_crawl();
    crawl_buf text = {0};
    stats.is_shared = true;
    stats.end = CRAWL_END_STOPPED;
    cw_report_left(&stats, CRAWL_REVISIT_OFF, "redis://h/0?name=a", &text);
    cr_expect_str_eq(text.data, "crawl: stopped; other processes, if any, go on; join again with: crawl --state "
                                "'redis://h/0?name=a'\n");
    stats.end = CRAWL_END_FAILED;
    crawl_buf_clear(&text);
    cw_report_left(&stats, CRAWL_REVISIT_OFF, "redis://h/0?name=it's", &text);
    cr_expect_str_eq(text.data, "crawl: ended by a failure; when that is mended, join again with: crawl --state "
                                "'redis://h/0?name=it'\\''s'\n");
    stats.is_shared = false;
    stats.frontier.queued = 1;
    crawl_buf_clear(&text);
    cw_report_left(&stats, CRAWL_REVISIT_OFF, "my state", &text);
    cr_expect_str_eq(text.data, "crawl: ended by a failure; resume with: crawl --state 'my state'\n");
    crawl_buf_free(&text);
}

Test(report, a_filter_beyond_its_limit_is_warned_of)
{
    crawl_bloom_stats filter = {
        .count = 2000, .capacity = 1000, .bytes = 4096, .filters = 1, .fpr = 1e-4, .fpr_now = 1.05e-4};
    crawl_buf text = {0};
    cw_report_filter(&filter, CRAWL_BLOOM_CLASSIC, "lines", &text);
    cr_expect(says(&text, "  filter    bloom, 2000 lines in 4.0 KiB, 1 filter, fill"));
    cr_expect_null(strstr(text.data, "warning"), "within what measuring gives");
    filter.fpr_now = 2e-3;
    cw_report_filter(&filter, CRAWL_BLOOM_CLASSIC, "lines", &text);
    cr_expect(says(&text, "  warning   the filter is beyond its capacity of 1000"));
    crawl_buf_clear(&text);
    filter.fpr = 0;
    cw_report_filter(&filter, CRAWL_BLOOM_DIGEST, "lines", &text);
    cr_expect(says(&text, "false-positive rate 0.002\n"));
    cr_expect_null(strstr(text.data, "warning"), "a kind without a limit");
    crawl_buf_free(&text);
}

Test(report, progress_fits_the_terminal)
{
    crawl_engine_stats stats = stats_of_a_crawl();
    crawl_engine_stats before = {0};
    crawl_buf text = {0};
    cw_report_progress(&stats, &before, 200, &text);
    cr_expect(says(&text, "10 pages  5/s"));
    cr_expect(says(&text, "filter 50%"));
    crawl_buf_clear(&text);
    cw_report_progress(&stats, &before, 30, &text);
    cr_expect_eq(text.size, 30);
    crawl_buf_free(&text);
}

Test(report, record_line_lets_no_control_character_through)
{
    crawl_record record = {.size = sizeof record,
                           .url = crawl_slice_from("http://a.example/"),
                           .status = 302,
                           .redirect = crawl_slice_from("http://\x1b[2J"),
                           .error = "redirects",
                           .error_text = "to no\nURL"};
    crawl_buf text = {0};
    cw_report_record(&record, &text);
    cr_expect_str_eq(text.data, "crawl: 302 http://a.example/ -> http://\\x1b[2J: redirects: to no\\x0aURL\n");
    crawl_buf_free(&text);
}

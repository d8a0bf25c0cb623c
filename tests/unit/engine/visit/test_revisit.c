#include "bench/programs/keys.h"
#include "crawler/engine/visit/again/revisit.h"

#include <crawl/frontier.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#define MINUTE INT64_C(60000)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

static const cw_visit_revisit_rules rules = {.interval_ms = DAY, .min_ms = 10000, .max_ms = 365 * DAY, .gone = 3};

/* ---- changing pages, in simulated time ---- */

typedef struct site_page {
    cw_visit_revisit page;
    int64_t now_ms;
    int64_t change_ms; /* the next one */
    double mean_ms;
    bool is_periodic;
    uint64_t random;
} site_page;

static double draw_part(site_page *p)
{
    return ((double)(next_random(&p->random) >> 11) + 0.5) / (double)(1ull << 53);
}

static int64_t next_change(site_page *p)
{
    double gap = p->is_periodic ? p->mean_ms : -log(draw_part(p)) * p->mean_ms;
    return p->change_ms + 1 + (int64_t)gap;
}

static void change_rate(site_page *p, double mean_ms)
{
    p->mean_ms = mean_ms;
    p->change_ms = p->now_ms;
    p->change_ms = next_change(p);
}

static site_page start(double mean_ms, bool is_periodic, uint64_t seed)
{
    site_page p = {.page = cw_visit_revisit_read((crawl_slice){0}),
                   .now_ms = 1000,
                   .is_periodic = is_periodic,
                   .random = seed * 7919};
    change_rate(&p, mean_ms);
    p.change_ms += (int64_t)(draw_part(&p) * mean_ms); /* with any phase */
    return p;
}

static void visit(site_page *p, const cw_visit_revisit_rules *by)
{
    bool changed = p->change_ms <= p->now_ms;
    while (p->change_ms <= p->now_ms)
        p->change_ms = next_change(p);
    cw_visit_revisit_outcome outcome = !p->page.is_known ? CW_VISIT_REVISIT_FIRST
                                       : changed         ? CW_VISIT_REVISIT_CHANGED
                                                         : CW_VISIT_REVISIT_UNCHANGED;
    int64_t due = cw_visit_revisit_next(by, &p->page, outcome, CW_VISIT_REVISIT_NO_DATE, p->now_ms, p->now_ms,
                                        next_random(&p->random));
    cr_assert(due >= p->now_ms + by->min_ms && due <= p->now_ms + by->max_ms, "%lld", (long long)(due - p->now_ms));
    p->now_ms = due;
    crawl_buf memo = {0}; /* its form between two visits */
    cr_assert_eq(cw_visit_revisit_write(&p->page, &memo), CRAWL_OK);
    p->page = cw_visit_revisit_read(crawl_buf_slice(&memo));
    crawl_buf_free(&memo);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { PAGES = 100 };

/* The median over many pages of the interval relative to the ideal one, and the share within a factor of 2. */
typedef struct spread {
    double median;
    double within;
} spread;

static spread after(double mean_ms, bool is_periodic, unsigned visits, double then_ms, unsigned more)
{
    double ratios[PAGES];
    spread s = {0};
    for (unsigned i = 0; i < PAGES; i++) {
        site_page p = start(mean_ms, is_periodic, i + 1);
        for (unsigned n = 0; n < visits; n++)
            visit(&p, &rules);
        if (more)
            change_rate(&p, then_ms);
        for (unsigned n = 0; n < more; n++)
            visit(&p, &rules);
        ratios[i] = (double)p.page.interval_ms / sqrt(p.mean_ms * (double)DAY);
        s.within += (ratios[i] >= 0.5 && ratios[i] <= 2) / (double)PAGES;
    }
    qsort(ratios, PAGES, sizeof *ratios, compare);
    s.median = ratios[PAGES / 2];
    return s;
}

static const int64_t means[] = {HOUR, 6 * HOUR, DAY, 7 * DAY, 30 * DAY};
#define MEANS (sizeof means / sizeof *means)

Test(revisit, the_interval_becomes_the_geometric_mean_of_a_day_and_the_time_between_changes)
{
    for (size_t i = 0; i < MEANS; i++)
        for (int periodic = 0; periodic < 2; periodic++) {
            double mean = (double)means[i];
            spread soon = after(mean, periodic, 30, 0, 0);
            spread later = after(mean, periodic, 100, 0, 0);
            spread long_after = after(mean, periodic, 400, 0, 0);
            cr_expect(soon.median > 0.5 && soon.median < 2, "%g %d: %.2f", mean, periodic, soon.median);
            cr_expect(later.median > 0.5 && later.median < 1.5, "%g %d: %.2f", mean, periodic, later.median);
            cr_expect(later.within > 0.9, "%g %d: %.2f", mean, periodic, later.within);
            cr_expect(long_after.within > 0.8, "%g %d: %.2f", mean, periodic, long_after.within);
        }
}

Test(revisit, it_follows_a_change_of_rate)
{
    static const int64_t rates[][2] = {{HOUR, 30 * DAY}, {30 * DAY, HOUR}, {HOUR, DAY}, {DAY, HOUR}, {DAY, 7 * DAY}};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (int periodic = 0; periodic < 2; periodic++) {
            spread s = after((double)rates[i][0], periodic, 100, (double)rates[i][1], 45);
            cr_expect(s.median > 0.5 && s.median < 2, "%zu %d: %.2f", i, periodic, s.median);
            cr_expect(s.within > 0.75, "%zu %d: %.2f", i, periodic, s.within);
        }
}

/* A page with a date or a counter changes at each visit, however soon that comes. */
Test(revisit, a_page_that_changes_at_each_visit)
{
    site_page p = start(1, false, 1);
    for (unsigned n = 0; n < 100; n++)
        visit(&p, &rules);
    cr_assert_eq(p.page.interval_ms, (int64_t)sqrt((double)rules.min_ms * (double)DAY));
}

/* Faster than the shortest time between changes, slower than the longest interval: it stays at the limit, and can leave
 * it. */
Test(revisit, bounds_hold)
{
    static const cw_visit_revisit_rules narrow = {
        .interval_ms = 10 * DAY, .min_ms = HOUR, .max_ms = 4 * HOUR, .gone = 3};
    site_page p = start((double)MINUTE, false, 1);
    visit(&p, &narrow);
    cr_assert_eq(p.page.interval_ms, 4 * HOUR);
    for (unsigned n = 0; n < 100; n++)
        visit(&p, &narrow);
    cr_assert_eq(p.page.interval_ms, 2 * HOUR); /* between one and four */
    change_rate(&p, 100. * DAY);
    for (unsigned n = 0; n < 20; n++)
        visit(&p, &narrow);
    cr_assert_eq(p.page.interval_ms, 4 * HOUR);
    change_rate(&p, (double)MINUTE);
    for (unsigned n = 0; n < 20; n++)
        visit(&p, &narrow);
    cr_assert_eq(p.page.interval_ms, 2 * HOUR);
}

/* After a month's interruption a crawl knows of a page that changes every hour only that it changed "at least so
 * often". */
Test(revisit, a_long_gap_with_a_change_teaches_little)
{
    site_page p = start((double)HOUR, false, 5);
    for (unsigned n = 0; n < 100; n++)
        visit(&p, &rules);
    double before = p.page.rate.time_ms / p.page.rate.changes;
    p.now_ms += 30 * DAY;
    visit(&p, &rules);
    double after_it = p.page.rate.time_ms / p.page.rate.changes;
    cr_assert(after_it < before * 1.2 && after_it > before / 1.2, "%.0f %.0f", before, after_it);
}

/* Figures computed by hand: at a rate of 1 per interval, a change within it is expected after 1 - 1 / (e - 1) of it. */
Test(revisit, the_estimate)
{
    cw_visit_revisit page = {.interval_ms = 1000, .is_known = true, .lastmod_ms = CW_VISIT_REVISIT_NO_DATE};
    page.rate =
        (cw_visit_revisit_rate){.changes = 4, .time_ms = 4000, .surprise = -1, .in_changes = false, .is_settled = true};
    cw_visit_revisit_next(&(cw_visit_revisit_rules){1000, 1, DAY, 0}, &page, CW_VISIT_REVISIT_CHANGED,
                          CW_VISIT_REVISIT_NO_DATE, 1000, 1000, 0);
    cr_assert_float_eq(page.rate.changes, 4.6, 1e-5);
    cr_assert_float_eq(page.rate.time_ms, 3600 + 418.0233, 1e-3);
    cr_assert_eq(page.interval_ms, 991); /* the root of 1000 * 4518.02 / 4.6 */
    page = (cw_visit_revisit){.interval_ms = 1000, .is_known = true, .lastmod_ms = CW_VISIT_REVISIT_NO_DATE};
    page.rate =
        (cw_visit_revisit_rate){.changes = 4, .time_ms = 4000, .surprise = -1, .in_changes = true, .is_settled = true};
    cw_visit_revisit_next(&(cw_visit_revisit_rules){1000, 1, DAY, 0}, &page, CW_VISIT_REVISIT_UNCHANGED,
                          CW_VISIT_REVISIT_NO_DATE, 1000, 1000, 0);
    cr_assert_float_eq(page.rate.time_ms, 4600, 1e-3);
    cr_assert_eq(page.interval_ms, 1190); /* the root of 1000 * 5100 / 3.6 */
}

/* ---- first intervals, failures, jitter ---- */

/* Without jitter: this salt is the middle. */
#define MIDDLE ((uint64_t)1 << 63)

static int64_t first_delay(int64_t last_modified_ms, int64_t lastmod_ms)
{
    cw_visit_revisit page = {.lastmod_ms = lastmod_ms};
    return cw_visit_revisit_next(&rules, &page, CW_VISIT_REVISIT_FIRST, last_modified_ms, 2000 * DAY, 0, MIDDLE);
}

Test(revisit, the_first_interval)
{
    cr_expect_eq(first_delay(CW_VISIT_REVISIT_NO_DATE, CW_VISIT_REVISIT_NO_DATE), DAY);
    cr_expect_eq(first_delay(1990 * DAY, CW_VISIT_REVISIT_NO_DATE), DAY);
    cr_expect_eq(first_delay(1900 * DAY, CW_VISIT_REVISIT_NO_DATE), 10 * DAY);
    cr_expect_eq(first_delay(CW_VISIT_REVISIT_NO_DATE, 1900 * DAY), 10 * DAY);
    cr_expect_eq(first_delay(1000 * DAY, 1900 * DAY), 10 * DAY);
    cr_expect_eq(first_delay(1900 * DAY, 1000 * DAY), 10 * DAY);
    cr_expect_eq(first_delay(1999 * DAY, CW_VISIT_REVISIT_NO_DATE), DAY);
    cr_expect_eq(first_delay(2001 * DAY, CW_VISIT_REVISIT_NO_DATE), DAY);
    cr_expect_eq(first_delay(INT64_MAX, INT64_MAX), DAY);
    cr_expect_eq(first_delay(-DAY, CW_VISIT_REVISIT_NO_DATE), DAY);
    cw_visit_revisit page = {.lastmod_ms = 0};
    cr_expect_eq(
        cw_visit_revisit_next(&rules, &page, CW_VISIT_REVISIT_FIRST, CW_VISIT_REVISIT_NO_DATE, 20000 * DAY, 0, MIDDLE),
        365 * DAY);
}

static int64_t delay(cw_visit_revisit *page, cw_visit_revisit_outcome outcome)
{
    return cw_visit_revisit_next(&rules, page, outcome, CW_VISIT_REVISIT_NO_DATE, 5000, 5000, MIDDLE) - 5000;
}

Test(revisit, failures_say_nothing_of_changes)
{
    cw_visit_revisit page = {.lastmod_ms = CW_VISIT_REVISIT_NO_DATE};
    cr_expect_eq(delay(&page, CW_VISIT_REVISIT_FIRST), DAY);
    cw_visit_revisit_rate before = page.rate;
    cr_expect_eq(delay(&page, CW_VISIT_REVISIT_UNASKED), DAY);
    cr_expect_eq(delay(&page, CW_VISIT_REVISIT_FAILED), DAY);
    cr_expect_eq(delay(&page, CW_VISIT_REVISIT_FAILED), 2 * DAY);
    cr_expect_eq(delay(&page, CW_VISIT_REVISIT_FAILED), 4 * DAY);
    cr_expect_eq(delay(&page, CW_VISIT_REVISIT_UNASKED), 4 * DAY);
    for (unsigned n = 0; n < 300; n++)
        cr_expect_leq(delay(&page, CW_VISIT_REVISIT_FAILED), 365 * DAY);
    cr_expect_eq(delay(&page, CW_VISIT_REVISIT_FAILED), 365 * DAY);
    cr_expect_eq(before.changes, page.rate.changes);
    cr_expect_eq(before.time_ms, page.rate.time_ms);
    cr_expect_eq(page.known_ms, 5000);
    cr_expect_eq(delay(&page, CW_VISIT_REVISIT_UNCHANGED), 2 * DAY); /* like a first visit that finds no change */
    cr_expect_eq(page.failures, 0);
}

Test(revisit, gone_pages_are_dropped)
{
    cw_visit_revisit page = {.lastmod_ms = CW_VISIT_REVISIT_NO_DATE};
    cr_expect_eq(delay(&page, CW_VISIT_REVISIT_GONE), 4 * DAY);
    cr_expect_eq(delay(&page, CW_VISIT_REVISIT_GONE), 16 * DAY);
    cr_expect_eq(delay(&page, CW_VISIT_REVISIT_FAILED), 4 * DAY); /* the third failure, and no longer gone */
    cr_expect_eq(delay(&page, CW_VISIT_REVISIT_GONE), 4 * DAY);
    cr_expect_eq(delay(&page, CW_VISIT_REVISIT_GONE), 16 * DAY);
    cr_expect_eq(delay(&page, CW_VISIT_REVISIT_GONE), CRAWL_FOREVER - 5000);
    cw_visit_revisit_rules never = rules;
    never.gone = 0;
    for (unsigned n = 0; n < 300; n++)
        cr_expect_leq(
            cw_visit_revisit_next(&never, &page, CW_VISIT_REVISIT_GONE, CW_VISIT_REVISIT_NO_DATE, 0, 0, MIDDLE),
            365 * DAY);
}

Test(revisit, jitter_spreads_and_keeps_within)
{
    int64_t least = INT64_MAX, most = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        cw_visit_revisit page = {.lastmod_ms = CW_VISIT_REVISIT_NO_DATE};
        int64_t due =
            cw_visit_revisit_next(&rules, &page, CW_VISIT_REVISIT_FIRST, CW_VISIT_REVISIT_NO_DATE, 0, 0, i << 54);
        least = due < least ? due : least;
        most = due > most ? due : most;
        cr_expect_eq(page.interval_ms, DAY);
    }
    cr_expect(least >= DAY - DAY / 10 && least < DAY - DAY / 11, "%lld", (long long)least);
    cr_expect(most <= DAY + DAY / 10 && most > DAY + DAY / 11, "%lld", (long long)most);
}

/* ---- memos ---- */

Test(revisit, memos_come_back)
{
    cw_visit_revisit page = {.interval_ms = 123456789012,
                             .lastmod_ms = -5,
                             .failures = 3,
                             .gone = 2,
                             .suspect = 2,
                             .is_known = true,
                             .rate = {1.5f, 2e9f, -0.25f, true, true},
                             .known_ms = INT64_C(1) << 41,
                             .fetched_ms = 77,
                             .digest = UINT64_MAX - 1,
                             .has_simhash = true,
                             .simhash = 42,
                             .etag = crawl_slice_from("W/\"x\""),
                             .last_modified = crawl_slice_from("Thu, 01 Jan 1970 00:00:00 GMT")};
    crawl_buf memo = {0};
    cr_assert_eq(cw_visit_revisit_write(&page, &memo), CRAWL_OK);
    cw_visit_revisit back = cw_visit_revisit_read(crawl_buf_slice(&memo));
    cr_expect_eq(back.interval_ms, page.interval_ms);
    cr_expect_eq(back.lastmod_ms, -5);
    cr_expect(back.failures == 3 && back.gone == 2 && back.suspect == 2 && back.is_known);
    cr_expect(back.rate.changes == 1.5f && back.rate.time_ms == 2e9f && back.rate.surprise == -0.25f);
    cr_expect(back.rate.in_changes && back.rate.is_settled);
    cr_expect(back.known_ms == page.known_ms && back.fetched_ms == 77 && back.digest == page.digest);
    cr_expect(back.has_simhash && back.simhash == 42);
    cr_expect(crawl_slice_equal(back.etag, page.etag) && crawl_slice_equal(back.last_modified, page.last_modified));
    for (size_t size = 0; size < memo.size; size++)
        cr_expect_not(cw_visit_revisit_read(crawl_slice_of(memo.data, size)).is_known, "%zu", size);
    memo.data[0] = 99;
    cr_expect_not(cw_visit_revisit_read(crawl_buf_slice(&memo)).is_known);
    crawl_buf_free(&memo);
}

/* A damaged directory does no harm. */
Test(revisit, any_bytes_are_a_memo)
{
    site_page p = start(1, false, 3);
    for (unsigned i = 0; i < 20000; i++) {
        char bytes[96];
        for (size_t j = 0; j < sizeof bytes; j++)
            bytes[j] = (char)next_random(&p.random);
        bytes[0] = 1;
        bytes[1] = (char)(bytes[1] | 1);
        size_t size = 20 + 36 + 8 + 3;
        bytes[size - 1] = bytes[size - 2] = bytes[size - 3] = 0;
        if (!(bytes[1] & 2))
            memset(bytes + (size -= 8) - 3, 0, 3);
        cw_visit_revisit page = cw_visit_revisit_read(crawl_slice_of(bytes, size));
        for (int outcome = CW_VISIT_REVISIT_FIRST; outcome <= CW_VISIT_REVISIT_GONE; outcome++) {
            cw_visit_revisit copy = page;
            int64_t due = cw_visit_revisit_next(&rules, &copy, (cw_visit_revisit_outcome)outcome,
                                                CW_VISIT_REVISIT_NO_DATE, 0, 50, next_random(&p.random));
            cr_assert(due == CRAWL_FOREVER || (due >= 50 + rules.min_ms && due <= 50 + rules.max_ms));
        }
    }
}

Test(revisit, conditions)
{
    cw_visit_revisit page = {.is_known = true, .etag = crawl_slice_from("\"1\"")};
    crawl_buf out = {0};
    bool conditional;
    crawl_slice own = crawl_slice_from("Cookie: a=b\nAccept: x\n");
    cr_assert_eq(cw_visit_revisit_conditions(&page, own, &out, &conditional), CRAWL_OK);
    cr_expect(conditional);
    cr_expect_str_eq(out.data, "If-None-Match: \"1\"\n");
    page.last_modified = crawl_slice_from("D");
    crawl_buf_clear(&out);
    cr_assert_eq(cw_visit_revisit_conditions(&page, (crawl_slice){0}, &out, &conditional), CRAWL_OK);
    cr_expect_str_eq(out.data, "If-None-Match: \"1\"\nIf-Modified-Since: D\n");
    crawl_buf_clear(&out);
    cr_assert_eq(cw_visit_revisit_conditions(&page, crawl_slice_from("A: b\nif-match: \"2\"\n"), &out, &conditional),
                 CRAWL_OK);
    cr_expect(!conditional && out.size == 0);
    page.is_known = false;
    cr_assert_eq(cw_visit_revisit_conditions(&page, own, &out, &conditional), CRAWL_OK);
    cr_expect(!conditional && out.size == 0);
    crawl_buf_free(&out);
}

/* ---- visits because of a sitemap ---- */

Test(revisit, a_page_is_hinted_when_its_lastmod_is_later_than_its_last_visit)
{
    cw_visit_revisit page = {.is_known = true, .known_ms = 5000, .lastmod_ms = CW_VISIT_REVISIT_NO_DATE};
    const int64_t wall_ms = 1000 * DAY; /* at 7000 of the other clock */
    cr_expect_not(cw_visit_revisit_is_hinted(&page, 7000, wall_ms));
    page.lastmod_ms = wall_ms - 2000;
    cr_expect_not(cw_visit_revisit_is_hinted(&page, 7000, wall_ms));
    page.lastmod_ms = wall_ms - 1999;
    cr_expect(cw_visit_revisit_is_hinted(&page, 7000, wall_ms));
    page.is_known = false;
    cr_expect_not(cw_visit_revisit_is_hinted(&page, 7000, wall_ms));
}

Test(revisit, an_early_visit_without_a_change_does_not_double_the_interval)
{
    cw_visit_revisit page = {.interval_ms = 8 * DAY, .is_known = true, .known_ms = 1};
    cw_visit_revisit late = page;
    cw_visit_revisit_next(&rules, &page, CW_VISIT_REVISIT_UNCHANGED, 0, 0, DAY, 0);
    cr_expect_eq(page.interval_ms, 8 * DAY);
    cw_visit_revisit_next(&rules, &late, CW_VISIT_REVISIT_UNCHANGED, 0, 0, 8 * DAY, 0);
    cr_expect_eq(late.interval_ms, 16 * DAY);
}

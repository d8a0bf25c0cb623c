/* crawler/engine/visit/answer/dedupe.c: originals and duplicates of pages. */
#include "config/config_values.h"
#include "crawler/engine/visit/answer/dedupe.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static cw_visit_dedupe *create(crawl_dedupe kind, uint64_t most)
{
    crawl_config config = {.dedupe = kind, .dedupe_distance = 3, .dedupe_max_pages = most};
    cw_visit_dedupe *dedupe = NULL;
    cr_assert_eq(cw_visit_dedupe_create(&config, &dedupe), CRAWL_OK);
    return dedupe;
}

/* Returns the original with the same body, or "~" and the one with nearly the same text, or "". */
static const char *ask(cw_visit_dedupe *dedupe, crawl_slice url, uint8_t digest, const uint64_t *simhash)
{
    static char text[CW_VISIT_DEDUPE_MAX_URL + 2];
    crawl_fingerprint fingerprint = {{digest}};
    cw_visit_dedupe_answer answer;
    cr_assert_eq(cw_visit_dedupe_ask(dedupe, url, &fingerprint, simhash, &answer), CRAWL_OK);
    cr_assert(!answer.duplicate_of.size || !answer.near_duplicate_of.size);
    crawl_slice found = answer.duplicate_of.size ? answer.duplicate_of : answer.near_duplicate_of;
    snprintf(text, sizeof text, "%s%.*s", answer.near_duplicate_of.size ? "~" : "", (int)found.size, found.data);
    return text;
}

static void expect(cw_visit_dedupe *dedupe, const char *url, uint8_t digest, uint64_t simhash, const char *original)
{
    cr_expect_str_eq(ask(dedupe, crawl_slice_from(url), digest, &simhash), original, "%s", url);
}

Test(dedupe, originals)
{
    cw_visit_dedupe *dedupe = create(CRAWL_DEDUPE_NEAR, 100);
    expect(dedupe, "a", 1, 0, "");
    expect(dedupe, "a", 1, 0, "");
    expect(dedupe, "b", 1, 0, "a");
    expect(dedupe, "c", 2, 0x7, "~a");
    expect(dedupe, "a", 3, 0x1, "");  /* its text has changed a little */
    expect(dedupe, "d", 2, 0x7, "c"); /* the same as one that is near another */
    expect(dedupe, "e", 4, 0x3f, ""); /* near c, which is no original of similar pages */
    expect(dedupe, "f", 5, 0x1f, "~e");
    cr_expect_str_eq(ask(dedupe, crawl_slice_from("g"), 6, NULL), "");
    cr_expect_str_eq(ask(dedupe, crawl_slice_from("h"), 6, NULL), "g");
    cw_visit_dedupe_free(dedupe);
}

Test(dedupe, exact_does_not_look_at_text)
{
    cw_visit_dedupe *dedupe = create(CRAWL_DEDUPE_EXACT, 100);
    expect(dedupe, "a", 1, 0, "");
    expect(dedupe, "b", 2, 0, "");
    expect(dedupe, "c", 2, 99, "b");
    cw_visit_dedupe_free(dedupe);
}

Test(dedupe, maxima)
{
    cw_visit_dedupe *dedupe = create(CRAWL_DEDUPE_NEAR, 2);
    char *url = malloc(CW_VISIT_DEDUPE_MAX_URL + 1);
    cr_assert(url);
    memset(url, 'u', CW_VISIT_DEDUPE_MAX_URL + 1);
    cr_expect_str_eq(ask(dedupe, crawl_slice_of(url, CW_VISIT_DEDUPE_MAX_URL + 1), 1, NULL), "");
    cr_expect_str_eq(ask(dedupe, crawl_slice_from("short"), 1, NULL), "", "a long URL is an original");
    cr_expect_str_eq(ask(dedupe, crawl_slice_of(url, CW_VISIT_DEDUPE_MAX_URL), 2, NULL), "");
    cr_expect_eq(strlen(ask(dedupe, crawl_slice_from("x"), 2, NULL)), CW_VISIT_DEDUPE_MAX_URL);
    expect(dedupe, "third", 3, 5, "");
    expect(dedupe, "fourth", 3, 5, ""); /* the third was not remembered */
    cw_visit_dedupe_free(dedupe);
    free(url);
}

static void settle(cw_visit_dedupe *dedupe, const char *url, uint8_t digest)
{
    crawl_fingerprint fingerprint = {{digest}};
    cw_visit_original *page = cw_visit_dedupe_original(dedupe, crawl_slice_from(url), &fingerprint);
    cr_assert_eq(cw_visit_dedupe_settle(dedupe, page), CRAWL_OK);
}

/* Starts another process on the same frontier. */
static cw_visit_dedupe *begin_anew(cw_visit_dedupe *before, crawl_frontier *frontier, crawl_dedupe kind, uint64_t most)
{
    if (before)
        cr_assert_eq(cw_visit_dedupe_flush(before), CRAWL_OK);
    cw_visit_dedupe_free(before);
    cw_visit_dedupe *dedupe = create(kind, most);
    cr_assert_eq(cw_visit_dedupe_keep(dedupe, frontier), CRAWL_OK);
    return dedupe;
}

static crawl_frontier *make_frontier(void)
{
    crawl_frontier_options options;
    crawl_frontier *frontier = NULL;
    crawl_frontier_options_init(&options, sizeof options);
    cr_assert_eq(crawl_frontier_create(&options, &frontier, NULL), CRAWL_OK);
    return frontier;
}

Test(dedupe, pages_that_have_a_record_are_originals_in_later_runs)
{
    crawl_frontier *frontier = make_frontier();
    cw_visit_dedupe *dedupe = begin_anew(NULL, frontier, CRAWL_DEDUPE_NEAR, 100);
    expect(dedupe, "a", 1, 0xf00000000000000f, "");
    expect(dedupe, "b", 1, 0xf00000000000000f, "a");
    expect(dedupe, "in flight at the end", 3, 0xffff, "");
    expect(dedupe, "c", 2, 0xf000000000000007, "~a");
    settle(dedupe, "b", 1); /* it duplicates one that is not settled yet */
    settle(dedupe, "c", 2);
    dedupe = begin_anew(dedupe, frontier, CRAWL_DEDUPE_NEAR, 100);
    expect(dedupe, "d", 1, 0xf00000000000000f, "");
    expect(dedupe, "e", 2, 0xf00000000000000f, "c");
    settle(dedupe, "d", 1);
    dedupe = begin_anew(dedupe, frontier, CRAWL_DEDUPE_NEAR, 100);
    expect(dedupe, "f", 1, 0, "d");
    expect(dedupe, "g", 4, 0xf00000000000000f, "~d");
    expect(dedupe, "h", 5, 0xffff, "");
    expect(dedupe, "d", 1, 0, "");
    dedupe = begin_anew(dedupe, frontier, CRAWL_DEDUPE_EXACT, 100);
    expect(dedupe, "i", 1, 0, "d");
    expect(dedupe, "j", 5, 0, ""); /* h was not settled */
    cw_visit_dedupe_free(dedupe);
    crawl_frontier_free(frontier);
}

Test(dedupe, no_more_are_taken_over_than_may_be_known)
{
    crawl_frontier *frontier = make_frontier();
    cw_visit_dedupe *dedupe = begin_anew(NULL, frontier, CRAWL_DEDUPE_EXACT, 10);
    for (uint8_t i = 0; i < 10; i++) {
        const char url[] = {(char)('a' + i), '\0'};
        expect(dedupe, url, i, 0, "");
        settle(dedupe, url, i);
    }
    dedupe = begin_anew(dedupe, frontier, CRAWL_DEDUPE_EXACT, 4);
    unsigned known = 0;
    for (uint8_t i = 0; i < 10; i++)
        known += *ask(dedupe, crawl_slice_from("x"), i, NULL) != '\0';
    cr_expect_eq(known, 4);
    cw_visit_dedupe_free(dedupe);
    crawl_frontier_free(frontier);
}

/* crawler/dedupe.c: which page is the original of which. */
#include "crawler/dedupe.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static cw_dedupe *create(crawl_dedupe kind, uint64_t most)
{
    crawl_config config = {.dedupe = kind, .dedupe_distance = 3, .dedupe_max_pages = most};
    cw_dedupe *dedupe = NULL;
    cr_assert_eq(cw_dedupe_create(&config, &dedupe), CRAWL_OK);
    return dedupe;
}

/* The original of the same body, or "~" and that of nearly the same text, or "". */
static const char *ask(cw_dedupe *dedupe, crawl_slice url, uint8_t digest, const uint64_t *simhash)
{
    static char text[CW_DEDUPE_MAX_URL + 2];
    crawl_fingerprint fingerprint = {{digest}};
    cw_dedupe_answer answer;
    cr_assert_eq(cw_dedupe_ask(dedupe, url, &fingerprint, simhash, &answer), CRAWL_OK);
    cr_assert(!answer.duplicate_of.size || !answer.near_duplicate_of.size);
    crawl_slice found = answer.duplicate_of.size ? answer.duplicate_of : answer.near_duplicate_of;
    snprintf(text, sizeof text, "%s%.*s", answer.near_duplicate_of.size ? "~" : "", (int)found.size, found.data);
    return text;
}

static void expect(cw_dedupe *dedupe, const char *url, uint8_t digest, uint64_t simhash, const char *original)
{
    cr_expect_str_eq(ask(dedupe, crawl_slice_from(url), digest, &simhash), original, "%s", url);
}

Test(dedupe, originals)
{
    cw_dedupe *dedupe = create(CRAWL_DEDUPE_NEAR, 100);
    expect(dedupe, "a", 1, 0, "");
    expect(dedupe, "a", 1, 0, "");
    expect(dedupe, "b", 1, 0, "a");
    expect(dedupe, "c", 2, 0x7, "~a");
    expect(dedupe, "a", 3, 0x1, "");  /* its text has changed a little */
    expect(dedupe, "d", 2, 0x7, "c"); /* the same as one that is near another */
    expect(dedupe, "e", 4, 0x3f, ""); /* near c, which is no original of near ones */
    expect(dedupe, "f", 5, 0x1f, "~e");
    cr_expect_str_eq(ask(dedupe, crawl_slice_from("g"), 6, NULL), "");
    cr_expect_str_eq(ask(dedupe, crawl_slice_from("h"), 6, NULL), "g");
    cw_dedupe_free(dedupe);
}

Test(dedupe, exact_does_not_look_at_text)
{
    cw_dedupe *dedupe = create(CRAWL_DEDUPE_EXACT, 100);
    expect(dedupe, "a", 1, 0, "");
    expect(dedupe, "b", 2, 0, "");
    expect(dedupe, "c", 2, 99, "b");
    cw_dedupe_free(dedupe);
}

Test(dedupe, maxima)
{
    cw_dedupe *dedupe = create(CRAWL_DEDUPE_NEAR, 2);
    char *url = malloc(CW_DEDUPE_MAX_URL + 1);
    cr_assert(url);
    memset(url, 'u', CW_DEDUPE_MAX_URL + 1);
    cr_expect_str_eq(ask(dedupe, crawl_slice_of(url, CW_DEDUPE_MAX_URL + 1), 1, NULL), "");
    cr_expect_str_eq(ask(dedupe, crawl_slice_from("short"), 1, NULL), "", "a long URL is an original");
    cr_expect_str_eq(ask(dedupe, crawl_slice_of(url, CW_DEDUPE_MAX_URL), 2, NULL), "");
    cr_expect_eq(strlen(ask(dedupe, crawl_slice_from("x"), 2, NULL)), CW_DEDUPE_MAX_URL);
    expect(dedupe, "third", 3, 5, "");
    expect(dedupe, "fourth", 3, 5, ""); /* the third was not remembered */
    cw_dedupe_free(dedupe);
    free(url);
}

/* crawler/engine/links/fate.c: the trap guard, the frontier and redirects use one vocabulary for links. */
#include "crawler/engine/links/fate.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* The verdict of a limit has the name of the limit's setting, and leads back to the limit. */
Test(fate, limits)
{
    cr_assert_eq(cw_links_fate_of_trap(CRAWL_TRAP_NONE), CRAWL_EDGE_NEW);
    cr_assert_eq(cw_links_fate_trap(CRAWL_EDGE_NEW), CRAWL_TRAP_NONE);
    for (crawl_trap trap = CRAWL_TRAP_NONE + 1; trap < CRAWL_TRAP_COUNT; trap++) {
        char setting[64];
        crawl_edge_verdict verdict = cw_links_fate_of_trap(trap);
        snprintf(setting, sizeof setting, "crawl.%s", crawl_edge_verdict_name(verdict));
        cr_assert_str_eq(setting, crawl_trap_name(trap));
        cr_assert_eq(cw_links_fate_trap(verdict), trap);
    }
}

/* The guard knows only verdicts of limits. */
Test(fate, other_verdicts)
{
    for (crawl_edge_verdict verdict = CRAWL_EDGE_NEW; verdict < CRAWL_EDGE_MAX_URL; verdict++)
        cr_assert_eq(cw_links_fate_trap(verdict), CRAWL_TRAP_NONE, "%s", crawl_edge_verdict_name(verdict));
}

Test(fate, pushed)
{
    cr_assert_eq(cw_links_fate_of_push(CRAWL_PUSHED_NEW), CRAWL_EDGE_NEW);
    cr_assert_eq(cw_links_fate_of_push(CRAWL_PUSHED_SEEN), CRAWL_EDGE_SEEN);
    cr_assert_eq(cw_links_fate_of_push(CRAWL_PUSHED_INVALID), CRAWL_EDGE_FULL);
    cr_assert_eq(cw_links_fate_of_push(CRAWL_PUSHED_FULL), CRAWL_EDGE_FULL);
}

/* A redirect that is queued, or was seen, is no error; one stopped by a limit is, and names the setting. */
Test(fate, redirects)
{
    cr_assert_null(cw_links_fate_of_redirect(CRAWL_EDGE_NEW).words);
    cr_assert_null(cw_links_fate_of_redirect(CRAWL_EDGE_SEEN).words);
    cr_assert_eq(cw_links_fate_of_redirect(CRAWL_EDGE_SCOPE).error_class, CRAWL_CLASS_SCOPE);
    for (crawl_trap trap = CRAWL_TRAP_NONE + 1; trap < CRAWL_TRAP_COUNT; trap++) {
        cw_links_fate_error error = cw_links_fate_of_redirect(cw_links_fate_of_trap(trap));
        cr_assert_eq(error.error_class, CRAWL_CLASS_LIMIT);
        cr_assert_not_null(strstr(error.words, crawl_trap_name(trap)), "%s", error.words);
    }
}

Test(fate, names)
{
    for (crawl_edge_verdict verdict = CRAWL_EDGE_NEW; verdict < CRAWL_EDGE_COUNT; verdict++)
        cr_assert(*crawl_edge_verdict_name(verdict), "%d", (int)verdict);
    cr_assert_str_eq(crawl_edge_verdict_name(CRAWL_EDGE_COUNT), "");
}

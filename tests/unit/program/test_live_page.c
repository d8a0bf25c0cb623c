/* The page has words for each name that the figures use. */
#include "crawler/engine/host/pace.h"
#include "crawler/program/live/live_stats.h"
#include "crawler/program/live/page/live_page.h"

#include <crawl/sys/bound.h>
#include <criterion/criterion.h>
#include <stdio.h>

/* Counts the entries with this name in the tables of a script. */
static unsigned entries(const char *js, const char *name)
{
    char plain[64], quoted[64];
    unsigned count = 0;
    snprintf(plain, sizeof plain, " %s: ", name);
    snprintf(quoted, sizeof quoted, "\"%s\": ", name);
    for (const char *at = js; *at; at++)
        count += strncmp(at, plain, strlen(plain)) == 0 || strncmp(at, quoted, strlen(quoted)) == 0;
    return count;
}

Test(live_page, has_words_for_what_limits_the_crawl)
{
    for (int bound = 0; bound < CRAWL_BOUND_COUNT; bound++) {
        char shade[16];
        const char *name = crawl_bound_name((crawl_bound)bound);
        snprintf(shade, sizeof shade, ".shade-%d ", bound);
        cr_expect_geq(entries(cw_live_figures_js, name), 2, "%s", name);
        cr_expect_not_null(strstr(cw_live_css, shade), "%s", shade);
    }
}

Test(live_page, has_words_for_what_became_of_a_link)
{
    for (int verdict = 0; verdict < CRAWL_EDGE_MAX_URL; verdict++) {
        const char *name = crawl_edge_verdict_name((crawl_edge_verdict)verdict);
        cr_expect_geq(entries(cw_live_figures_js, name), 1, "%s", name);
    }
}

Test(live_page, has_words_for_what_holds_a_host)
{
    for (int by = CW_HOLD_NONE + 1; by <= CW_HOLD_QUOTA; by++)
        cr_expect_geq(entries(cw_live_hosts_js, cw_host_hold_by_name((cw_host_hold_by)by)), 1, "%s",
                      cw_host_hold_by_name((cw_host_hold_by)by));
    for (int standing = 0; standing <= CRAWL_STANDING_COUNT; standing++)
        cr_expect_geq(entries(cw_live_hosts_js, cw_live_standing((crawl_standing)standing)), 1, "%s",
                      cw_live_standing((crawl_standing)standing));
}

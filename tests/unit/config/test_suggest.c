/* Distances between names, and suggestions. */
#include "base/text/nearest.h"
#include "config/suggest.h"

#include "config/config.h"

#include <criterion/criterion.h>

static size_t distance(const char *a, const char *b)
{
    return cw_distance(crawl_slice_from(a), crawl_slice_from(b));
}

Test(suggest, distances)
{
    cr_expect_eq(distance("", ""), 0);
    cr_expect_eq(distance("", "abc"), 3);
    cr_expect_eq(distance("delay", "delay"), 0);
    cr_expect_eq(distance("Delay", "delay"), 0);
    cr_expect_eq(distance("dealy", "delay"), 1, "a swap of neighbours is one mistake");
    cr_expect_eq(distance("elay", "delay"), 1);
    cr_expect_eq(distance("delayy", "delay"), 1);
    cr_expect_eq(distance("delax", "delay"), 1);
    cr_expect_eq(distance("kitten", "sitting"), 3);
    cr_expect_eq(distance("ca", "abc"), 3, "optimal string alignment");
    cr_expect_eq(distance("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", "a"), SIZE_MAX);
}

Test(suggest, only_near_names_are_suggested)
{
    cw_nearest nearest = {.text = crawl_slice_from("dealy")};
    cw_nearest_offer(&nearest, "depth");
    cr_expect_null(nearest.best);
    cw_nearest_offer(&nearest, "delay");
    cr_expect_str_eq(nearest.best, "delay");
    cw_nearest_offer(&nearest, "dealt");
    cr_expect_str_eq(nearest.best, "delay", "the first of equals stays");
}

Test(suggest, keys_of_the_section_come_first)
{
    crawl_slice politeness = crawl_slice_from("politeness");
    cr_expect_str_eq(cw_config_suggest_key(politeness, crawl_slice_from("dealy")).text, "; did you mean \"delay\"?");
    cr_expect_str_eq(cw_config_suggest_key(politeness, crawl_slice_from("depth")).text,
                     "; did you mean \"depth\" of [crawl]?");
    cr_expect_str_eq(cw_config_suggest_key(politeness, crawl_slice_from("zzzzzz")).text, "");
    cr_expect_str_eq(cw_config_suggest_section(crawl_slice_from("politness")).text, "; did you mean [politeness]?");
    cr_expect_str_eq(cw_config_suggest_full(crawl_slice_from("politness.dealy")).text,
                     "; did you mean \"politeness.delay\"?");
    cr_expect_str_eq(cw_config_suggest_full(crawl_slice_from("delay")).text, "; did you mean \"politeness.delay\"?");
}

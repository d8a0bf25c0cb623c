/* Structs whose first member is their size, from callers with older and newer headers. */
#include "base/sized.h"

#include <criterion/criterion.h>
#include <stddef.h>

typedef struct options {
    size_t size;
    int first;
    const char *second;
    int third; /* of a later version */
} options;

/* The size of the struct in a version that had no `third`. */
enum { BEFORE = offsetof(options, third) };

static const options defaults = {.size = sizeof(options), .first = 1, .second = "two", .third = 3};

Test(sized, of_this_version_is_taken_as_it_is)
{
    const options given = {.size = sizeof given, .first = 5};
    options own = defaults;
    cr_expect_eq(cw_sized(&own, sizeof own, &given), &given);
    cr_expect(cw_sized_copy(&own, sizeof own, &given));
    cr_expect(own.size == sizeof own && own.first == 5 && !own.second && own.third == 0);
}

Test(sized, of_an_older_version_has_the_defaults_for_the_rest)
{
    const options given = {.size = BEFORE, .first = 5, .second = "six", .third = 7};
    options own = defaults;
    cr_expect(cw_sized_copy(&own, sizeof own, &given));
    cr_expect(own.size == sizeof own && own.first == 5 && own.third == 3);
    cr_expect_str_eq(own.second, "six");
}

Test(sized, that_is_only_read_has_zeros_for_the_rest)
{
    const options given = {.size = BEFORE, .first = 5, .third = 7};
    options own = defaults;
    const options *taken = cw_sized(&own, sizeof own, &given);
    cr_expect_eq(taken, &own);
    cr_expect(own.size == sizeof own && own.first == 5 && !own.second && own.third == 0);
}

Test(sized, without_a_size_or_of_a_later_version_is_refused_in_words)
{
    options own = defaults;
    crawl_error error = {0};
    options given = {.first = 5};
    cr_expect_null(cw_sized(&own, sizeof own, &given));
    cr_expect_not(cw_sized_copy(&own, sizeof own, &given));
    cr_expect_eq(cw_sized_refused(&given, sizeof own, "options", &error), CRAWL_EINVAL);
    cr_expect_str_eq(error.message, "options.size is 0, expected sizeof(options)");
    given.size = sizeof given + 8;
    cr_expect_null(cw_sized(&own, sizeof own, &given));
    cr_expect_not(cw_sized_copy(&own, sizeof own, &given));
    cr_expect_eq(cw_sized_refused(&given, sizeof own, "options", &error), CRAWL_EINVAL);
    cr_expect(strstr(error.message, "headers of a later version"), "%s", error.message);
    cr_expect_eq(own.first, 1);
}

Test(sized, is_filled_as_far_as_the_caller_knows_it)
{
    options out = {.third = 9};
    cw_sized_fill(&out, BEFORE, &defaults, sizeof defaults);
    cr_expect(out.size == BEFORE && out.first == 1 && out.third == 9);
    cw_sized_fill(&out, sizeof out, &defaults, BEFORE);
    cr_expect(out.size == sizeof out && out.first == 1 && out.third == 0);
}

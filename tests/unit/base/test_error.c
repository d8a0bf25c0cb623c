#include <crawl/base.h>
#include <criterion/criterion.h>
#include <stdio.h>

Test(error, each_code_has_a_name_of_its_own)
{
    for (int a = 0; a < CRAWL_ERR_COUNT; a++) {
        const char *name = crawl_strerror((crawl_err)a);
        cr_assert(name && *name, "code %d", a);
        cr_assert_str_neq(name, "unknown error");
        for (int b = 0; b < a; b++)
            cr_assert_str_neq(name, crawl_strerror((crawl_err)b));
    }
    cr_assert_str_eq(crawl_strerror(CRAWL_OK), "ok");
}

Test(error, other_codes_are_unknown)
{
    cr_assert_str_eq(crawl_strerror(CRAWL_ERR_COUNT), "unknown error");
    cr_assert_str_eq(crawl_strerror((crawl_err)-1), "unknown error");
}

Test(error, set_fills_and_returns_the_code)
{
    crawl_error error = {.line = 3, .column = 4};
    cr_assert_eq(crawl_error_set(&error, CRAWL_EIO, "%s: %d", "file", 7), CRAWL_EIO);
    cr_assert_eq(error.code, CRAWL_EIO);
    cr_assert_eq(error.line, 0);
    cr_assert_eq(error.column, 0);
    cr_assert_str_eq(error.message, "file: 7");
}

Test(error, set_without_a_place_only_returns)
{
    cr_assert_eq(crawl_error_set(NULL, CRAWL_EPARSE, "%s", "x"), CRAWL_EPARSE);
}

Test(error, long_messages_are_cut)
{
    crawl_error error;
    crawl_error_set(&error, CRAWL_EINVAL, "%02000d", 1);
    cr_assert_eq(strlen(error.message), sizeof error.message - 1);
}

Test(version, has_three_numbers)
{
    unsigned major, minor, patch;
    char rest;
    cr_assert_eq(sscanf(crawl_version(), "%u.%u.%u%c", &major, &minor, &patch, &rest), 3);
}

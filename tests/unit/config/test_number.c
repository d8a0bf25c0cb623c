/* Quantities and decimal numbers. */
#include "config/number.h"

#include <criterion/criterion.h>
#include <locale.h>

static const struct {
    const cw_config_unit *units;
    const char *text;
    uint64_t value;
} good[] = {
    {cw_config_units_duration, "250ms", 250},
    {cw_config_units_duration, "5s", 5000},
    {cw_config_units_duration, "2m", 120000},
    {cw_config_units_duration, "1h", 3600000},
    {cw_config_units_duration, "7d", 604800000},
    {cw_config_units_duration, "0", 0},
    {cw_config_units_duration, "1.5s", 1500},
    {cw_config_units_duration, "0.001s", 1},
    {cw_config_units_duration, "1.0ms", 1},
    {cw_config_units_duration, "0.0625m", 3750},
    {cw_config_units_count, "10k", 10000},
    {cw_config_units_count, "5M", 5000000},
    {cw_config_units_count, "1G", 1000000000},
    {cw_config_units_count, "2.5k", 2500},
    {cw_config_units_count, "18446744073709551615", UINT64_MAX},
    {cw_config_units_count, "1.00000000000000000000000000000", 1},
    {cw_config_units_rate, "2M", 2000000},
    {cw_config_units_rate, "1.5MiB", 1572864},
    {cw_config_units_duration, "5", 5000},
    {cw_config_units_duration, "0.25", 250},
    {cw_config_units_duration, "0", 0},
    {cw_config_units_rate, "500k", 500000},
    {cw_config_units_rate, "800", 800},
    {cw_config_units_rate, "200K", 200000},
    {cw_config_units_rate, "200KB", 200000},
    {cw_config_units_count, "10K", 10000},
    {cw_config_units_size, "200k", 200000},
    {cw_config_units_size, "200K", 200000},
    {cw_config_units_size, "200KB", 200000},
    {cw_config_units_size, "10M", 10000000},
    {cw_config_units_size, "2G", 2000000000},
    {cw_config_units_size, "1T", 1000000000000},
    {cw_config_units_size, "64KiB", 65536},
    {cw_config_units_size, "1MiB", 1048576},
    {cw_config_units_size, "1.5KiB", 1536},
    {cw_config_units_size, "100", 100},
    {cw_config_units_size, "100B", 100},
    {cw_config_units_size, "2MB", 2000000},
    {cw_config_units_size, "16777215TiB", 16777215ull << 40},
    {cw_config_units_plain, "007", 7},
};

Test(number, quantities_are_read_exactly)
{
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t value = 77;
        cr_expect_eq(cw_config_quantity_parse(crawl_slice_from(good[i].text), good[i].units, &value), CRAWL_OK, "%s",
                     good[i].text);
        cr_expect_eq(value, good[i].value, "%s gave %llu", good[i].text, (unsigned long long)value);
    }
}

static const struct {
    const cw_config_unit *units;
    const char *text;
} bad[] = {
    {cw_config_units_duration, ""},
    {cw_config_units_duration, "5 s"},
    {cw_config_units_duration, " 5s"},
    {cw_config_units_duration, "-3s"},
    {cw_config_units_duration, "+3s"},
    {cw_config_units_duration, "s"},
    {cw_config_units_duration, ".5s"},
    {cw_config_units_duration, "5.s"},
    {cw_config_units_duration, "1.5ms"},
    {cw_config_units_duration, "1.0005s"},
    {cw_config_units_duration, "5S"},
    {cw_config_units_duration, "1h30m"},
    {cw_config_units_duration, "1e3s"},
    {cw_config_units_duration, "213503982335d"},
    {cw_config_units_count, "18446744073709551616"},
    {cw_config_units_count, "99999999999999999999999"},
    {cw_config_units_count, "18446744073709552k"},
    {cw_config_units_count, "0.5"},
    {cw_config_units_count, "1.00000000000000000001k"},
    {cw_config_units_size, "16777216TiB"},
    {cw_config_units_size, "1Mb"},
    {cw_config_units_size, "1m"},
    {cw_config_units_size, "1kib"},
    {cw_config_units_rate, "1Kb"},
    {cw_config_units_rate, "2m"},
    {cw_config_units_rate, "2M/s"},
    {cw_config_units_size, "1.3KiB"},
    {cw_config_units_plain, "1k"},
    {cw_config_units_plain, "0x10"},
};

Test(number, what_is_no_quantity_is_refused_and_leaves_the_result)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t value = 77;
        cr_expect_eq(cw_config_quantity_parse(crawl_slice_from(bad[i].text), bad[i].units, &value), CRAWL_EPARSE, "%s",
                     bad[i].text);
        cr_expect_eq(value, 77, "%s", bad[i].text);
    }
}

Test(number, a_quantity_is_printed_in_its_largest_whole_unit)
{
    static const struct {
        const cw_config_unit *units;
        uint64_t value;
        const char *text;
    } rows[] = {
        {cw_config_units_duration, 0, "0"},           {cw_config_units_duration, 250, "250ms"},
        {cw_config_units_duration, 60000, "1m"},      {cw_config_units_duration, 90000, "90s"},
        {cw_config_units_duration, 86400000, "1d"},   {cw_config_units_count, 1000000, "1M"},
        {cw_config_units_count, 1500, "1500"},        {cw_config_units_size, 65536, "64KiB"},
        {cw_config_units_size, 1000000, "1000000"},   {cw_config_units_size, 16u << 20, "16MiB"},
        {cw_config_units_plain, 1000000, "1000000"},  {cw_config_units_rate, 2000000, "2M"},
        {cw_config_units_count, 10000, "10k"},        {cw_config_units_rate, 200000, "200k"},
        {cw_config_units_size, 1000000000000, "1TB"}, {cw_config_units_rate, 1500, "1500"},
        {cw_config_units_rate, 1u << 20, "1MiB"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf out = {0};
        uint64_t back = 1;
        cr_expect_eq(cw_config_quantity_print(rows[i].value, rows[i].units, &out), CRAWL_OK);
        cr_expect_str_eq(out.data, rows[i].text);
        cr_expect_eq(cw_config_quantity_parse(crawl_buf_slice(&out), rows[i].units, &back), CRAWL_OK);
        cr_expect_eq(back, rows[i].value);
        crawl_buf_free(&out);
    }
}

Test(number, decimal_numbers)
{
    double value = 0;
    cr_expect(cw_config_double_parse(crawl_slice_from("1e-4"), &value) == CRAWL_OK && value == 1e-4);
    cr_expect(cw_config_double_parse(crawl_slice_from("0.85"), &value) == CRAWL_OK && value == 0.85);
    static const char *const refused[] = {"", "nan", "inf", "0x1p3", " 1", "1 ", "1e999", "1,5", "1e", "--1", "."};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        cr_expect_eq(cw_config_double_parse(crawl_slice_from(refused[i]), &value), CRAWL_EPARSE, "%s", refused[i]);
}

Test(number, decimal_numbers_come_back_the_same)
{
    static const double rows[] = {1e-4, 0.85, 2, 1.0 / 3, 1e-9, 0.1 + 0.2, 16};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf out = {0};
        double back = -1;
        cr_expect_eq(cw_config_double_print(rows[i], &out), CRAWL_OK);
        cr_expect_eq(cw_config_double_parse(crawl_buf_slice(&out), &back), CRAWL_OK);
        cr_expect(back == rows[i], "%s", out.data);
        crawl_buf_free(&out);
    }
}

/* A program that calls setlocale for its messages must not change the meaning of a configuration. */
Test(number, the_locale_does_not_matter)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    bool comma = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !comma; i++)
        comma = setlocale(LC_NUMERIC, names[i]) && *localeconv()->decimal_point == ',';
    if (!comma)
        cr_skip_test("no locale with a decimal comma is installed");
    double value;
    crawl_buf out = {0};
    cr_assert(cw_config_double_parse(crawl_slice_from("0.5"), &value) == CRAWL_OK && value == 0.5);
    cr_assert_eq(cw_config_double_print(0.5, &out), CRAWL_OK);
    cr_assert_str_eq(out.data, "0.5");
    crawl_buf_free(&out);
}

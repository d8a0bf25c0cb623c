/* Tests numbers and dates read from texts of pages. */
#include "parse/extract/extract_text.h"

#include <criterion/criterion.h>

static const char *const numbers[][2] = {
    {"12", "12"},
    {"12.5", "12.5"},
    {"12,5", "12.5"},
    {"1,299", "1299"},
    {"1.299", "1.299"},
    {"1,299.00", "1299.00"},
    {"1.299,50 EUR", "1299.50"},
    {"1 299,00", "1299.00"},
    {"1\xc2\xa0"
     "299\xe2\x80\xaf"
     "000",
     "1299000"},
    {"1'299.95", "1299.95"},
    {"1,234,567", "1234567"},
    {"1.234.567", "1234567"},
    {"1.234.567,89", "1234567.89"},
    {"$ 5", "5"},
    {"$-5", "-5"},
    {"-US$5", "-5"},
    {"-R$ 5,50", "-5.50"},
    {"-z\xc5\x82"
     "5",
     "-5"},
    {"-EUR 5", "-5"},
    {"10-R5", "10"},
    {"-5", "-5"},
    {"\xe2\x88\x92"
     "5",
     "-5"},
    {"pages 3-5", "3"},
    {"a-5", "5"},
    {"007", "7"},
    {"0.50", "0.50"},
    {"0", "0"},
    {".5", "0.5"},
    {"-.5", "-0.5"},
    {"ab.5", "5"},
    {"5.", "5"},
    {"5, 6", "5"},
    {"in stock: 12 of 30", "12"},
    {"12 345 6", "12345"},
    {"0,125", "0.125"},
    {"none", NULL},
    {"", NULL},
    {"1234567890123456789012345678901", NULL},
};

Test(extract_text, numbers)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char out[CW_EXTRACT_NUMBER_SIZE] = "";
        bool found = cw_extract_number(crawl_slice_from(numbers[i][0]), out);
        cr_expect_eq(found, numbers[i][1] != NULL, "%s: %s", numbers[i][0], out);
        if (found && numbers[i][1])
            cr_expect_str_eq(out, numbers[i][1], "%s", numbers[i][0]);
    }
}

static const char *const dates[][2] = {
    {"9999-12-31T23:59:59+01:00", "9999-12-31T22:59:59Z"},
    {"9999-12-31T23:59:59-01:00", NULL},
    {"0001-01-01T00:00:00+01:00", NULL},
    {"2024-05-06", "2024-05-06"},
    {"2024/5/6", "2024-05-06"},
    {"2024-05-06T10:20", "2024-05-06T10:20:00"},
    {"2024-05-06T10:20:30Z", "2024-05-06T10:20:30Z"},
    {"2024-05-06 10:20:30.125+02:00", "2024-05-06T08:20:30Z"},
    {"2024-12-31T23:30:00-0130", "2025-01-01T01:00:00Z"},
    {"Mon, 06 May 2024 10:20:30 GMT", "2024-05-06T10:20:30Z"},
    {"Mon, 6 May 2024 10:20:30 +0200", "2024-05-06T08:20:30Z"},
    {"6 May 2024", "2024-05-06"},
    {"May 6, 2024", "2024-05-06"},
    {"May 6th, 2024", "2024-05-06"},
    {"the 2nd of December 2024", "2024-12-02"},
    {"Sept. 3, 2024 at 3:05 pm", "2024-09-03T15:05:00"},
    {"12 Jan 2024 12:01 am", "2024-01-12T00:01:00"},
    {"6.5.2024", "2024-05-06"},
    {"29.02.2024", "2024-02-29"},
    {"29.02.2023", NULL},
    {"5/6/2024", NULL},
    {"2024-13-01", NULL},
    {"May 2024", NULL},
    {"yesterday", NULL},
    {"6 May June 2024", NULL},
    {"2024-05-06T25:00", NULL},
    {"", NULL},
};

Test(extract_text, dates)
{
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        char out[CW_EXTRACT_DATE_SIZE] = "";
        bool found = cw_extract_date(crawl_slice_from(dates[i][0]), out);
        cr_expect_eq(found, dates[i][1] != NULL, "%s: %s", dates[i][0], out);
        if (found && dates[i][1])
            cr_expect_str_eq(out, dates[i][1], "%s", dates[i][0]);
    }
}

/* Dates as text, of years that servers send for dates that they do not know too. */
#include "base/date.h"

#include <criterion/criterion.h>

Test(date, years_have_four_digits)
{
    cr_expect_str_eq(cw_date_of(-62135596800000).text, "0001-01-01T00:00:00.000Z");
    cr_expect_str_eq(cw_date_of(-30610224001000).text, "0999-12-31T23:59:59.000Z");
    cr_expect_str_eq(cw_date_of(1769860800123).text, "2026-01-31T12:00:00.123Z");
}

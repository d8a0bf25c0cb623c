/* See number.h. A quantity is computed in integers: digits * scale / 10^decimals, reduced before it is multiplied, so
 * that 1.5s is exactly 1500 ms and 1.0005s is refused. */
#include "config/number.h"

#include "base/bytes.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const cw_config_unit cw_config_units_plain[] = {{"", 1}, {0}};

/* The first of several names for a unit is printed. */
const cw_config_unit cw_config_units_count[] = {{"", 1},           {"k", 1000},          {"K", 1000}, {"M", 1000000},
                                                {"G", 1000000000}, {"T", 1000000000000}, {0}};

const cw_config_unit cw_config_units_size[] = {
    {"", 1},
    {"B", 1},
    {"kB", 1000},
    {"KB", 1000},
    {"k", 1000},
    {"K", 1000},
    {"KiB", 1024},
    {"MB", 1000000},
    {"M", 1000000},
    {"MiB", 1ull << 20},
    {"GB", 1000000000},
    {"G", 1000000000},
    {"GiB", 1ull << 30},
    {"TB", 1000000000000},
    {"T", 1000000000000},
    {"TiB", 1ull << 40},
    {0},
};

const cw_config_unit cw_config_units_rate[] = {
    {"", 1},
    {"B", 1},
    {"k", 1000},
    {"K", 1000},
    {"kB", 1000},
    {"KB", 1000},
    {"KiB", 1024},
    {"M", 1000000},
    {"MB", 1000000},
    {"MiB", 1ull << 20},
    {"G", 1000000000},
    {"GB", 1000000000},
    {"GiB", 1ull << 30},
    {0},
};

const cw_config_unit cw_config_units_percent[] = {{"%", 1}, {0}};
const cw_config_unit cw_config_units_duration[] = {{"ms", 1},      {"s", 1000},     {"m", 60000},
                                                   {"h", 3600000}, {"d", 86400000}, {0}};

/* Maximum number of decimals: 10^19 still fits in 64 bits. */
#define MAX_DECIMALS 19u

typedef struct decimal {
    uint64_t digits;
    unsigned decimals;
} decimal;

/* Removes digits from the front of *text and appends them to number. False: too many. */
static bool number_take_digits(crawl_slice *text, decimal *number, bool fraction)
{
    for (; text->size && cw_is_digit((unsigned char)*text->data); text->data++, text->size--) {
        uint64_t digit = (uint64_t)(*text->data - '0');
        if (__builtin_mul_overflow(number->digits, 10u, &number->digits) ||
            __builtin_add_overflow(number->digits, digit, &number->digits))
            return false;
        number->decimals += fraction;
    }
    return number->decimals <= MAX_DECIMALS;
}

/* Removes a number such as "12" or "12.5" from the front of *text. Ignores zeros at the end of the decimals. */
static bool take_decimal(crawl_slice *text, decimal *out)
{
    size_t before = text->size;
    *out = (decimal){0};
    if (!number_take_digits(text, out, false) || text->size == before)
        return false;
    if (!cw_take_text(text, "."))
        return true;
    crawl_slice fraction = cw_take(text, cw_count_digits(*text));
    if (!fraction.size)
        return false;
    while (fraction.size && fraction.data[fraction.size - 1] == '0')
        fraction.size--;
    return number_take_digits(&fraction, out, true);
}

static const cw_config_unit *find_unit(const cw_config_unit *units, crawl_slice name)
{
    for (; units->name; units++)
        if (cw_is(name, units->name))
            return units;
    return NULL;
}

static uint64_t divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Computes digits * scale / 10^decimals, if that is whole and fits. */
static bool scaled(decimal number, uint64_t scale, uint64_t *out)
{
    uint64_t power = 1;
    for (unsigned i = 0; i < number.decimals; i++)
        power *= 10;
    uint64_t common = divisor(number.digits, power);
    power /= common;
    return scale % power == 0 && !__builtin_mul_overflow(number.digits / common, scale / power, out);
}

crawl_err cw_config_quantity_parse(crawl_slice text, const cw_config_unit *units, uint64_t *out)
{
    decimal number;
    if (!take_decimal(&text, &number))
        return CRAWL_EPARSE;
    const cw_config_unit *unit = find_unit(units, text);
    if (!unit && text.size == 0)
        unit = number.digits == 0                  ? units
               : units == cw_config_units_duration ? find_unit(units, crawl_slice_from("s"))
                                                   : NULL;
    uint64_t value;
    if (!unit || !scaled(number, unit->scale, &value))
        return CRAWL_EPARSE;
    *out = value;
    return CRAWL_OK;
}

crawl_err cw_config_quantity_print(uint64_t value, const cw_config_unit *units, crawl_buf *out)
{
    if (value == 0)
        return crawl_buf_append_char(out, '0');
    const cw_config_unit *best = units;
    bool binary = units == cw_config_units_size;
    for (const cw_config_unit *unit = units; unit->name; unit++)
        if (unit->scale > best->scale && value % unit->scale == 0 && (!binary || unit->scale % 1024 == 0))
            best = unit;
    return crawl_buf_printf(out, "%llu%s", (unsigned long long)(value / best->scale), best->name);
}

/* Maximum length of a number: no double needs more digits. */
#define MAX_NUMBER 64u

crawl_err cw_config_double_parse(crawl_slice text, double *out)
{
    char copy[MAX_NUMBER + 1];
    if (text.size == 0 || text.size > MAX_NUMBER)
        return CRAWL_EPARSE;
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    if (strspn(copy, "0123456789.eE+-") != text.size)
        return CRAWL_EPARSE;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        return CRAWL_ENOMEM;
    char *end;
    double value = strtod_l(copy, &end, plain);
    freelocale(plain);
    if (end == copy || *end || !isfinite(value))
        return CRAWL_EPARSE;
    *out = value;
    return CRAWL_OK;
}

crawl_err cw_config_double_print(double value, crawl_buf *out)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        return CRAWL_ENOMEM;
    locale_t callers = uselocale(plain);
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    uselocale(callers);
    freelocale(plain);
    return crawl_buf_append_text(out, text);
}

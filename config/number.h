/* Parses and prints numbers as people write them: 250ms, 10k, 1.5MiB, 1e-4. Exact, checked for overflow, independent of
 * the locale. */
#pragma once

#include <crawl/base.h>

/* A unit and its value in the smallest unit. A list starts with the smallest and ends with {0}. "" stands for a number
 * without a unit. */
typedef struct cw_config_unit {
    const char *name;
    uint64_t scale;
} cw_config_unit;

extern const cw_config_unit cw_config_units_plain[];    /* "" */
extern const cw_config_unit cw_config_units_count[];    /* "" k M G T */
extern const cw_config_unit cw_config_units_size[];     /* "" B kB KiB MB MiB GB GiB TB TiB */
extern const cw_config_unit cw_config_units_rate[];     /* "" B k kB KiB M MB MiB G GB GiB, bytes per second */
extern const cw_config_unit cw_config_units_percent[];  /* % */
extern const cw_config_unit cw_config_units_duration[]; /* ms s m h d: in milliseconds; only 0 may have no unit */

/* Parses digits, a decimal point if the result is still whole, and a unit. CRAWL_EPARSE: text is something else, or
 * beyond 64 bits. */
crawl_err cw_config_quantity_parse(crawl_slice text, const cw_config_unit *units, uint64_t *out);

/* Appends value in the largest unit in which it is whole (1024 before 1000), so that parse reads it back. */
crawl_err cw_config_quantity_print(uint64_t value, const cw_config_unit *units, crawl_buf *out);

/* Parses a finite decimal number. CRAWL_EPARSE: text is something else. */
crawl_err cw_config_double_parse(crawl_slice text, double *out);

/* Appends the shortest text that parse reads back as the same number. */
crawl_err cw_config_double_print(double value, crawl_buf *out);

/* The value of a text: with collapsed white space, as the number in it, or as a date. */
#pragma once

#include <crawl/base.h>

/* The most digits of a number that is read. */
#define CW_EXTRACT_MAX_DIGITS 30u
/* Room for a number as text, and for a date. */
#define CW_EXTRACT_NUMBER_SIZE (CW_EXTRACT_MAX_DIGITS + 12u)
#define CW_EXTRACT_DATE_SIZE 32u

/* Appends text without white space at its ends, and with one space for any white space within. CRAWL_ENOMEM. */
crawl_err cw_extract_collapse(crawl_slice text, crawl_buf *out);

/* Copies text with full-width and Arabic digits and their marks as ASCII, as far as there is room. Returns the size. */
size_t cw_extract_plain(crawl_slice text, char *to, size_t room);

/* Writes the first number of a text as JSON: "1 299,00 EUR" is 1299.00. See docs/extract.md for commas, points and
 * blanks. false: there is none. */
bool cw_extract_number(crawl_slice text, char out[CW_EXTRACT_NUMBER_SIZE]);

/* Writes the date that the whole text is, in ISO 8601: "2024-05-06", "2024-05-06T10:20:30" if it has a time without a
 * zone, "2024-05-06T08:20:30Z" if it has one. Reads ISO 8601, 6.5.2024, 2024.5.6, years, months and days with their
 * signs in Chinese, Japanese or Korean, and dates with an English month name: "Mon, 6 May 2024 10:20:30 GMT",
 * "May 6th, 2024". false: not a date. */
bool cw_extract_date(crawl_slice text, char out[CW_EXTRACT_DATE_SIZE]);

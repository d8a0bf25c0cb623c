/* The value of a text: white space collapsed, the number in it, the date that it is. */
#pragma once

#include <crawl/base.h>

/* The longest number that is read, in digits. */
#define CW_EXTRACT_MAX_DIGITS 30u
/* Room for a number as text, and for a date. */
#define CW_EXTRACT_NUMBER_SIZE (CW_EXTRACT_MAX_DIGITS + 12u)
#define CW_EXTRACT_DATE_SIZE 32u

/* Appends text without white space at its ends, and one space for any white space within it. CRAWL_ENOMEM. */
crawl_err cw_extract_collapse(crawl_slice text, crawl_buf *out);

/* The first number of a text as JSON writes it: "1 299,00 EUR" is 1299.00. See docs/extract.md for commas, points and
 * blanks. False: there is none. */
bool cw_extract_number(crawl_slice text, char out[CW_EXTRACT_NUMBER_SIZE]);

/* The date that the whole text is, by ISO 8601: "2024-05-06", "2024-05-06T10:20:30" where it has a time without a zone,
 * "2024-05-06T08:20:30Z" where it has one. Read are ISO 8601, 6.5.2024, and dates with the name of a month in English:
 * "Mon, 6 May 2024 10:20:30 GMT", "May 6th, 2024". False: it is none. */
bool cw_extract_date(crawl_slice text, char out[CW_EXTRACT_DATE_SIZE]);

/* Byte sequences that iconv decodes differently from the Encoding Standard. */
#pragma once

#include <crawl/base.h>

/* The bytes of a character, the first one highest, and its code point. */
typedef struct cw_charset_difference {
    uint32_t bytes;
    uint16_t code;
} cw_charset_difference;

typedef struct cw_charset_differences {
    const cw_charset_difference *items; /* sorted by bytes */
    size_t count;
} cw_charset_differences;

/* Returns the differences of a multi-byte encoding, by its name in the standard; most have none. */
cw_charset_differences cw_charset_differences_of(const char *charset);

/* Returns the code point of these bytes. 0: iconv is right. */
uint16_t cw_charset_difference_at(const cw_charset_differences *differences, uint32_t bytes);

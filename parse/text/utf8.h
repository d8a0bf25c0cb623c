/* UTF-8 as the Encoding standard decodes it: a broken sequence is U+FFFD for each maximal part of it. */
#ifndef CW_UTF8_H
#define CW_UTF8_H

#include <crawl/base.h>

#define CW_UTF8_REPLACEMENT 0xfffdu
#define CW_UTF8_REPLACEMENT_TEXT "\xef\xbf\xbd"

/* The code point at `at`, which is before end, and in *size its bytes. Where the sequence is broken: U+FFFD and the
 * bytes to skip. */
uint32_t cw_utf8_decode(const char *at, const char *end, size_t *size);

/* Writes at most four bytes and returns how many. code is a Unicode scalar value. */
size_t cw_utf8_encode(uint32_t code, char *to);

/* Appends text with broken sequences replaced. CRAWL_ENOMEM. */
crawl_err cw_utf8_repair(crawl_slice text, crawl_buf *out);

/* Is no byte above 0x7f there? */
bool cw_utf8_is_ascii(crawl_slice text);

#endif

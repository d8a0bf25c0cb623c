/* UTF-8 as the Encoding standard decodes it: a broken sequence is U+FFFD for each maximal part of it (Unicode, table
 * 3-7). Everything that is read is asked whether it is UTF-8, and everything that is shown has to be. */
#ifndef CW_UTF8_H
#define CW_UTF8_H

#include <crawl/base.h>

#define CW_UTF8_REPLACEMENT 0xfffdu
#define CW_UTF8_REPLACEMENT_TEXT "\xef\xbf\xbd"

typedef struct cw_utf8 {
    uint32_t code; /* U+FFFD where the sequence is broken */
    uint8_t size;  /* bytes of the sequence; of a broken one those that a character could begin with, at least one */
    bool broken;
    bool cut; /* broken only because the text ends */
} cw_utf8;

/* The character at `at`, which is before end. */
cw_utf8 cw_utf8_next(const char *at, const char *end);

/* Writes at most four bytes and returns how many. code is a Unicode scalar value. */
size_t cw_utf8_encode(uint32_t code, char *to);

/* Appends text with broken sequences replaced. CRAWL_ENOMEM. */
crawl_err cw_utf8_repair(crawl_slice text, crawl_buf *out);

/* Is no byte above 0x7f there? */
bool cw_utf8_is_ascii(crawl_slice text);

/* How many bytes at the start of text are well-formed, at the speed of reading it; text.size: all of them. */
size_t cw_utf8_valid_prefix(crawl_slice text);

/* Is text well-formed but for a last sequence that may have been cut off? */
bool cw_utf8_plausible(crawl_slice text);

/* At most `most` bytes from the start of text, not ending inside a character. */
crawl_slice cw_utf8_cut(crawl_slice text, size_t most);

#endif

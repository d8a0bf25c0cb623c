/* Decodes UTF-8 as the Encoding standard does: each maximal part of a broken sequence becomes a U+FFFD (Unicode, table
 * 3-7). All input is checked to be UTF-8, and all output has to be. */
#pragma once

#include <crawl/base.h>

#define CW_UTF8_REPLACEMENT 0xfffdu
#define CW_UTF8_REPLACEMENT_TEXT "\xef\xbf\xbd"

typedef struct cw_utf8 {
    uint32_t code; /* U+FFFD if the sequence is broken */
    uint8_t size;  /* bytes of the sequence; of a broken one those that a character could begin with, at least one
                    */
    bool broken;
    bool cut; /* broken only because the text ends */
} cw_utf8;

/* The character at `at`, which is before end. */
cw_utf8 cw_utf8_next(const char *at, const char *end);

/* Writes a character in at most four bytes, and returns how many. code is a Unicode scalar value. */
size_t cw_utf8_encode(uint32_t code, char *to);

/* Appends text with broken sequences replaced. CRAWL_ENOMEM. */
crawl_err cw_utf8_repair(crawl_slice text, crawl_buf *out);

/* The same with as many replacements as the broken sequence has bytes, as in our lines of JSON. */
crawl_err cw_utf8_repair_bytes(crawl_slice text, crawl_buf *out);

/* Appends text with each byte of a broken sequence as %XX. CRAWL_ENOMEM. */
crawl_err cw_utf8_escape(crawl_slice text, crawl_buf *out);

/* How many characters text has, which is well-formed. */
size_t cw_utf8_count(crawl_slice text);

/* Does text have no byte above 0x7f? */
bool cw_utf8_is_ascii(crawl_slice text);

/* How many bytes at the start of text are well-formed, at the speed of reading it; text.size: all of them. */
size_t cw_utf8_valid_prefix(crawl_slice text);

/* Is text well-formed, except for a last sequence that may have been cut off? */
bool cw_utf8_plausible(crawl_slice text);

/* At most `most` bytes from the start of text, not ending inside a character. */
crawl_slice cw_utf8_cut(crawl_slice text, size_t most);

/* How many bytes at the start of text are below 0x80. Pages are read to their ends for this, and consist mostly of it:
 * the widest implementation that the processor has is chosen when the program runs. */
size_t cw_ascii_prefix(crawl_slice text);

/* The implementation for any processor. */
size_t cw_ascii_prefix_portably(crawl_slice text);

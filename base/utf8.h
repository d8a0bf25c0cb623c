/* Decodes UTF-8 as the Encoding standard does: each maximal part of a broken sequence becomes a U+FFFD (Unicode, table
 * 3-7). All input is validated, and all output must be UTF-8. */
#pragma once

#include <crawl/base.h>

#define CW_UTF8_REPLACEMENT 0xfffdu
#define CW_UTF8_REPLACEMENT_TEXT "\xef\xbf\xbd"

typedef struct cw_utf8 {
    uint32_t code; /* U+FFFD if the sequence is broken */
    uint8_t size;  /* bytes of the sequence; if broken, of the part that could begin a character, at least one */
    bool broken;
    bool cut; /* broken only because the text ends */
} cw_utf8;

/* Decodes the character at `at`, which must be before end. */
cw_utf8 cw_utf8_next(const char *at, const char *end);

/* Encodes a character in at most four bytes and returns their number. code is a Unicode scalar value. */
size_t cw_utf8_encode(uint32_t code, char *to);

/* Appends text with broken sequences replaced. CRAWL_ENOMEM. */
crawl_err cw_utf8_repair(crawl_slice text, crawl_buf *out);

/* As cw_utf8_repair, with one replacement for each byte of a broken sequence, as in our JSON lines. */
crawl_err cw_utf8_repair_bytes(crawl_slice text, crawl_buf *out);

/* Appends text with each byte of a broken sequence as %XX. CRAWL_ENOMEM. */
crawl_err cw_utf8_escape(crawl_slice text, crawl_buf *out);

/* Returns the number of characters in well-formed text. */
size_t cw_utf8_count(crawl_slice text);

/* Returns true if text has no byte above 0x7f. */
bool cw_utf8_is_ascii(crawl_slice text);

/* Returns the number of well-formed bytes at the start of text, at the speed of reading it; text.size: all of them. */
size_t cw_utf8_valid_prefix(crawl_slice text);

/* Returns true if text is well-formed, except for a last sequence that may have been cut off. */
bool cw_utf8_plausible(crawl_slice text);

/* Returns at most `most` bytes from the start of text, not ending inside a character. */
crawl_slice cw_utf8_cut(crawl_slice text, size_t most);

/* Returns the number of ASCII bytes at the start of text. Every page is read to its end by this, and pages are mostly
 * ASCII, so the widest implementation that the processor supports is chosen at run time. */
size_t cw_ascii_prefix(crawl_slice text);

/* The implementation for any processor. */
size_t cw_ascii_prefix_portably(crawl_slice text);

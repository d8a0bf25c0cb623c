/* Decodes the bytes of a page to UTF-8 by the Encoding Standard, and finds the encoding that a page declares in its
 * first bytes (HTML standard, 13.2.3.2 "prescan a byte stream to determine its encoding" and "get an XML encoding"). */
#pragma once

#include <crawl/base.h>

#include <iconv.h>

/* --- charset_decode.c --- */

/* Keeps the tables of the last encoding used, since most pages of a site share one. `{0}` is an empty decoder. For one
 * thread only. */
typedef struct cw_charset_decoder {
    const char *charset; /* the encoding that the other members are for; NULL: none */
    bool single_byte;    /* decoded by table; otherwise by converter */
    uint16_t table[128]; /* code points of the bytes from 0x80 on */
    iconv_t converter;
} cw_charset_decoder;

void cw_charset_decoder_close(cw_charset_decoder *decoder);

/* Decodes bytes from the encoding with the WHATWG name charset (static), and removes a byte order mark. *text is bytes
 * itself if they are well-formed UTF-8 already; otherwise it is in *storage, which is cleared first. Invalid bytes
 * become U+FFFD. If iconv does not know the encoding, ASCII is kept and everything else becomes U+FFFD.
 * CRAWL_ENOMEM. */
crawl_err cw_charset_decode(cw_charset_decoder *decoder, const char *charset, crawl_slice bytes, crawl_buf *storage,
                            crawl_slice *text);

/* The code points of the bytes 0x80 to 0x9f in windows-1252, which numeric character references of HTML share. */
extern const uint16_t cw_charset_windows_1252[32];

/* --- charset_sniff.c --- */

/* A declaration must be within this many bytes, by the standard. */
#define CW_CHARSET_PRESCAN_BYTES 1024u
/* After them only the head is read, up to this many bytes: one page in seven that declares its encoding does so there,
 * and a browser reloads such a page. */
#define CW_CHARSET_HEAD_BYTES (64u << 10)

/* Returns the encoding that a page declares in its first CW_CHARSET_PRESCAN_BYTES bytes, or else in its head: a WHATWG
 * name, static. NULL: none. */
const char *cw_charset_prescan(crawl_slice html);

/* Returns the encoding that a byte order mark indicates (Encoding Standard, 6 "BOM sniff"). NULL: there is none. */
const char *cw_charset_of_mark(crawl_slice bytes);

/* Like crawl_charset_sniff. Sets *valid if all of html is well-formed UTF-8 without a byte order mark, so that it needs
 * no cw_charset_decode. */
const char *cw_charset_sniff(crawl_slice html, const char *transport, bool *valid);

/* Returns the encoding that the value of a <meta content> names (HTML standard, 2.5.3 "extracting a character encoding
 * from a meta element"). NULL: none. */
const char *cw_charset_of_meta_content(crawl_slice content);

/* The bytes of a page as UTF-8, by the decoders of the Encoding Standard; and the encoding that a page declares in its
 * first bytes (HTML standard, 13.2.3.2 "prescan a byte stream to determine its encoding" and "get an XML encoding"). */
#ifndef CW_CHARSET_H
#define CW_CHARSET_H

#include <crawl/base.h>

#include <iconv.h>

/* --- charset_decode.c --- */

/* Keeps what decoding needs of the last encoding, since pages of a site come in the same one. `{0}` is an empty one.
 * Single-thread. */
typedef struct cw_charset_decoder {
    const char *charset; /* that the rest is of; NULL: none */
    bool single_byte;    /* by table; else by converter */
    uint16_t table[128]; /* code points of the bytes from 0x80 on */
    iconv_t converter;
} cw_charset_decoder;

void cw_charset_decoder_close(cw_charset_decoder *decoder);

/* Decodes bytes, in the encoding of the static WHATWG name charset, without its byte order mark. *text is bytes itself
 * where they are well-formed UTF-8 already, else it lies in *storage (cleared first). What is broken becomes U+FFFD.
 * Where iconv does not know the encoding, ASCII is kept and all else becomes U+FFFD. CRAWL_ENOMEM. */
crawl_err cw_charset_decode(cw_charset_decoder *decoder, const char *charset, crawl_slice bytes, crawl_buf *storage,
                            crawl_slice *text);

/* The code points of the bytes 0x80 to 0x9f in windows-1252, which numeric character references of HTML share. */
extern const uint16_t cw_charset_windows_1252[32];

/* --- charset_sniff.c --- */

/* How many bytes a declaration must stand in: the standard's figure. */
#define CW_CHARSET_PRESCAN_BYTES 1024u

/* Only the first CW_CHARSET_PRESCAN_BYTES of html count. A WHATWG name, static; NULL: none is declared. */
const char *cw_charset_prescan(crawl_slice html);

/* As crawl_charset_sniff. *valid: html was found to be UTF-8, all of it well-formed and without a mark, so that it
 * needs no cw_charset_decode. */
const char *cw_charset_sniff(crawl_slice html, const char *transport, bool *valid);

/* The encoding named by the value of a <meta content> (HTML standard, 2.5.3 "extracting a character encoding from a
 * meta element"); NULL: none. */
const char *cw_charset_of_meta_content(crawl_slice content);

#endif

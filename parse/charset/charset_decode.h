/* The bytes of a page as UTF-8, by the decoders of the Encoding Standard. */
#ifndef CW_CHARSET_DECODE_H
#define CW_CHARSET_DECODE_H

#include <crawl/base.h>

#include <iconv.h>

/* Keeps what decoding needs of the last encoding, since pages of a site come in the same one. `{0}` is an empty one.
 * Single-thread. */
typedef struct cw_decoder {
    const char *charset; /* that the rest is of; NULL: none */
    bool single_byte;    /* by table; else by converter */
    uint16_t table[128]; /* code points of the bytes from 0x80 on */
    iconv_t converter;
} cw_decoder;

void cw_decoder_close(cw_decoder *decoder);

/* Decodes bytes, in the encoding of the static WHATWG name charset, without its byte order mark. *text is bytes itself
 * where they are well-formed UTF-8 already, else it lies in *storage (cleared first). What is broken becomes U+FFFD.
 * Where iconv does not know the encoding, ASCII is kept and all else becomes U+FFFD. CRAWL_ENOMEM. */
crawl_err cw_decode(cw_decoder *decoder, const char *charset, crawl_slice bytes, crawl_buf *storage, crawl_slice *text);

/* The code points of the bytes 0x80 to 0x9f in windows-1252, which numeric character references of HTML share. */
extern const uint16_t cw_windows_1252[32];

#endif

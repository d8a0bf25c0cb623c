/* Decodes the bytes of a sitemap to UTF-8 as they arrive, so that later stages know only one encoding. The byte order
 * mark or the XML declaration names the encoding; otherwise it is UTF-8. In UTF-8, invalid bytes are read as
 * windows-1252; in other encodings they become U+FFFD. */
#include "base/utf8.h"
#include "parse/charset/charset.h"
#include "parse/sitemap/sitemap_private.h"

#include <crawl/links.h>

#include <errno.h>

/* Returns true for encodings in which a declaration cannot be written, or whose states could hide markup. */
static bool is_unfit(const char *charset)
{
    return strncmp(charset, "utf-", 4) == 0 || strcmp(charset, "replacement") == 0 ||
           strcmp(charset, "iso-2022-jp") == 0 || strcmp(charset, "x-user-defined") == 0;
}

/* Returns the value of encoding="..." as a name of the Encoding standard. NULL: none. */
static const char *sitemap_decode_declared(crawl_slice declaration)
{
    static const char name[] = "encoding";
    const char *end = declaration.data + declaration.size;
    const char *at = memmem(declaration.data, declaration.size, name, sizeof name - 1);
    while (at && at < end && *at != '"' && *at != '\'')
        at++;
    const char *close = at && at < end ? memchr(at + 1, *at, (size_t)(end - at - 1)) : NULL;
    return close ? crawl_charset_name(crawl_slice_of(at + 1, (size_t)(close - at - 1))) : NULL;
}

void cw_sitemap_decode_as(crawl_sitemap *sitemap, const char *charset)
{
    iconv_t converter = iconv_open("UTF-8", charset);
    sitemap->converts = converter != (iconv_t)-1;
    if (sitemap->converts)
        sitemap->converter = converter;
}

void cw_sitemap_decode_declared(crawl_sitemap *sitemap, crawl_slice declaration)
{
    const char *charset = sitemap_decode_declared(declaration);
    if (charset && !is_unfit(charset))
        cw_sitemap_decode_as(sitemap, charset);
}

void cw_sitemap_decode_end(crawl_sitemap *sitemap)
{
    if (sitemap->converts)
        iconv_close(sitemap->converter);
    sitemap->converts = false;
}

static uint32_t sitemap_decode_code_of_byte(unsigned char byte)
{
    return byte >= 0x80 && byte < 0xa0 ? cw_charset_windows_1252[byte - 0x80] : byte;
}

/* Repairs UTF-8. Returns how many bytes of in were used. */
static size_t repair(crawl_slice in, bool last, crawl_buf *out)
{
    const char *end = in.data + in.size;
    const char *at = in.data;
    while (at < end) {
        cw_utf8 next = cw_utf8_next(at, end);
        if (next.cut && !last)
            break;
        uint32_t code = next.broken ? sitemap_decode_code_of_byte((unsigned char)*at) : next.code;
        out->size += cw_utf8_encode(code, out->data + out->size);
        at += next.broken ? 1 : next.size;
    }
    return (size_t)(at - in.data);
}

/* Converts from another encoding. Returns how many bytes of in were used. out must have room for the largest result. */
static size_t sitemap_decode_convert(iconv_t converter, crawl_slice in, bool last, crawl_buf *out)
{
    char *from = (char *)in.data; /* iconv's type: it writes nothing there */
    size_t left = in.size;
    while (left) {
        char *to = out->data + out->size;
        size_t room = out->capacity - out->size - 1;
        size_t result = iconv(converter, &from, &left, &to, &room);
        out->size = (size_t)(to - out->data);
        if (result != (size_t)-1)
            break;
        if (errno == E2BIG || (errno == EINVAL && !last))
            break;
        memcpy(out->data + out->size, CW_UTF8_REPLACEMENT_TEXT, 3);
        out->size += 3;
        from++;
        left--;
    }
    return in.size - left;
}

crawl_err cw_sitemap_decode(crawl_sitemap *sitemap, crawl_slice bytes, bool last)
{
    crawl_buf *in = &sitemap->encoded;
    crawl_buf *out = &sitemap->utf8;
    crawl_buf_clear(out);
    crawl_err err = crawl_buf_append(in, bytes.data, bytes.size);
    if (!err)
        err = crawl_buf_reserve(out, 4 * in->size + 16); /* a byte becomes at most three bytes, those of U+FFFD */
    if (err || !in->size)
        return err;
    size_t taken = sitemap->converts ? sitemap_decode_convert(sitemap->converter, crawl_buf_slice(in), last, out)
                                     : repair(crawl_buf_slice(in), last, out);
    in->size -= taken;
    memmove(in->data, in->data + taken, in->size);
    return CRAWL_OK;
}

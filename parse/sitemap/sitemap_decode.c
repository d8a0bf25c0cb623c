/* Decodes the bytes of a sitemap to UTF-8 as they arrive, so that later stages know only one encoding. The byte order
 * mark or the XML declaration names the encoding; otherwise it is UTF-8. In UTF-8, invalid bytes are read as
 * windows-1252; other encodings are decoded as those of pages, where invalid bytes become U+FFFD. */
#include "base/bytes.h"
#include "base/utf8.h"
#include "parse/sitemap/sitemap_private.h"

#include <crawl/links.h>

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

void cw_sitemap_decode_declared(crawl_sitemap *sitemap, crawl_slice declaration)
{
    const char *charset = sitemap_decode_declared(declaration);
    if (charset && !is_unfit(charset))
        sitemap->charset = charset;
}

static uint32_t sitemap_decode_code_of_byte(unsigned char byte)
{
    return byte >= 0x80 && byte < 0xa0 ? cw_charset_windows_1252[byte - 0x80] : byte;
}

/* Repairs UTF-8. Returns how many bytes of in were used. out must have room for the largest result. */
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

static size_t whole_utf16(crawl_slice in, bool big)
{
    size_t size = in.size & ~(size_t)1;
    bool is_cut = size && ((unsigned char)in.data[size - (big ? 2 : 1)] & 0xfc) == 0xd8;
    return is_cut ? size - 2 : size;
}

/* Returns the size of the part that ends with a whole character: in no encoding do these bytes end one of several
 * bytes. Without any of them, which text is not, the part is all of it. */
static size_t whole_part(const char *charset, crawl_slice in)
{
    enum { LONGEST = 65536 };
    if (cw_starts_with(crawl_slice_from(charset), "utf-16"))
        return whole_utf16(in, strcmp(charset, "utf-16be") == 0);
    size_t size = in.size;
    while (size && !strchr(" \n\r\t<>\"'=/", in.data[size - 1]))
        size--;
    return size || in.size < LONGEST ? size : in.size;
}

/* Returns how many bytes of in were used. */
static crawl_err decode_part(crawl_sitemap *sitemap, crawl_slice in, bool last, size_t *taken)
{
    crawl_slice text;
    *taken = last ? in.size : whole_part(sitemap->charset, in);
    return cw_charset_decode(&sitemap->decoder, sitemap->charset, crawl_slice_of(in.data, *taken), &sitemap->utf8,
                             &text);
}

static crawl_err repair_part(crawl_sitemap *sitemap, crawl_slice in, bool last, size_t *taken)
{
    crawl_err err = crawl_buf_reserve(&sitemap->utf8, 3 * in.size); /* a byte becomes at most three */
    *taken = err ? 0 : repair(in, last, &sitemap->utf8);
    return err;
}

crawl_err cw_sitemap_decode(crawl_sitemap *sitemap, crawl_slice bytes, bool last)
{
    crawl_buf *in = &sitemap->encoded;
    crawl_buf_clear(&sitemap->utf8);
    crawl_err err = crawl_buf_append(in, bytes.data, bytes.size);
    if (err || !in->size)
        return err;
    size_t taken;
    err = (sitemap->charset ? decode_part : repair_part)(sitemap, crawl_buf_slice(in), last, &taken);
    if (err)
        return err;
    in->size -= taken;
    memmove(in->data, in->data + taken, in->size);
    cw_buf_drop_nuls(&sitemap->utf8);
    return CRAWL_OK;
}

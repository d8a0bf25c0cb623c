/* Decoding of script strings (ECMA-262, 12.9.4 "String Literals", which include JSON's). */
#include "parse/script/script_token.h"

#include "base/bytes.h"
#include "base/utf8.h"

/* Takes the digits of \xHH or \uHHHH. -1: they are not digits. */
static int unescape_digits(crawl_slice *rest, size_t count)
{
    int value = 0;
    for (size_t i = 0; i < count; i++) {
        int digit = i < rest->size ? cw_hex_value((unsigned char)rest->data[i]) : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    *rest = cw_drop(*rest, count);
    return value;
}

/* Takes \u{H...}, whose "{" comes next. -1: it is not one. */
static int unescape_braced(crawl_slice *rest)
{
    crawl_slice digits = cw_drop(*rest, 1);
    size_t size = 0;
    int value = 0;
    for (; size < digits.size && digits.data[size] != '}'; size++) {
        int digit = cw_hex_value((unsigned char)digits.data[size]);
        if (digit < 0 || size == 6)
            return -1;
        value = value * 16 + digit;
    }
    if (!size || size == digits.size || value > 0x10ffff)
        return -1;
    *rest = cw_drop(digits, size + 1);
    return value;
}

/* Takes an escape, after its "\u". */
static int unescape_unicode(crawl_slice *rest)
{
    if (cw_starts_with(*rest, "{"))
        return unescape_braced(rest);
    int unit = unescape_digits(rest, 4);
    crawl_slice behind = *rest;
    if (unit < 0xd800 || unit > 0xdfff)
        return unit;
    int low = unit < 0xdc00 && cw_take_text(&behind, "\\u") ? unescape_digits(&behind, 4) : -1;
    if (low < 0xdc00 || low > 0xdfff)
        return CW_UTF8_REPLACEMENT;
    *rest = behind;
    return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

/* Writes the character of an escape, whose "\" was taken, into existing room. */
static void unescape_one(crawl_slice *rest, crawl_buf *out)
{
    static const char from[] = "nrtbfv0", to[] = "\n\r\t\b\f\v";
    char c = rest->data[0];
    const char *known = memchr(from, c, sizeof from - 1);
    crawl_slice behind = cw_drop(*rest, 1);
    int code = c == 'u' ? unescape_unicode(&behind) : c == 'x' ? unescape_digits(&behind, 2) : 0;
    *rest = behind;
    if (code < 0 || (c != 'u' && c != 'x')) {
        if (c != '\n') /* a continued line */
            out->data[out->size++] = known ? to[known - from] : c;
        return;
    }
    if (code >= 0xd800 && code <= 0xdfff)
        code = CW_UTF8_REPLACEMENT;
    out->size += cw_utf8_encode((uint32_t)code, out->data + out->size);
}

crawl_err cw_script_unescape(crawl_slice raw, crawl_buf *out)
{
    /* No escape is shorter than its bytes; \xHH takes four for two. */
    crawl_err err = crawl_buf_reserve(out, raw.size);
    while (!err && raw.size) {
        size_t plain = cw_find_char(raw, '\\');
        memcpy(out->data + out->size, raw.data, plain);
        out->size += plain;
        raw = cw_drop(raw, plain + 1 < raw.size ? plain + 1 : raw.size);
        if (raw.size)
            unescape_one(&raw, out);
    }
    return err;
}

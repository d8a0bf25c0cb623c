#include "base/text/percent.h"

#define USERINFO CW_SET_USERINFO
#define PATH (CW_SET_PATH | USERINFO)
#define QUERY (CW_SET_QUERY | CW_SET_SPECIAL_QUERY | PATH)
#define ALL (CW_SET_C0 | CW_SET_FRAGMENT | QUERY)

/* Each name stands for a set and the sets that contain it, as the standard builds them up. */
const uint8_t cw_percent_sets[256] = {
    [0x00 ... 0x1f] = ALL,
    [' '] = CW_SET_FRAGMENT | QUERY,
    ['"'] = CW_SET_FRAGMENT | QUERY,
    ['#'] = QUERY,
    ['\''] = CW_SET_SPECIAL_QUERY,
    ['-' ... '.'] = CW_UNRESERVED,
    ['/'] = USERINFO,
    ['0' ... '9'] = CW_UNRESERVED,
    [':' ... ';'] = USERINFO,
    ['<'] = CW_SET_FRAGMENT | QUERY,
    ['='] = USERINFO,
    ['>'] = CW_SET_FRAGMENT | QUERY,
    ['?'] = PATH,
    ['@'] = USERINFO,
    ['A' ... 'Z'] = CW_UNRESERVED,
    ['[' ... ']'] = USERINFO,
    ['^'] = PATH,
    ['_'] = CW_UNRESERVED,
    ['`'] = CW_SET_FRAGMENT | PATH,
    ['a' ... 'z'] = CW_UNRESERVED,
    ['{'] = PATH,
    ['|'] = USERINFO,
    ['}'] = PATH,
    ['~'] = CW_UNRESERVED,
    [0x7f ... 0xff] = ALL,
};

crawl_err cw_percent_decode(crawl_slice text, crawl_buf *out)
{
    crawl_err err = crawl_buf_reserve(out, text.size);
    if (err)
        return err;
    char *to = out->data + out->size;
    const char *end = text.data + text.size;
    for (const char *at = text.data; at < end;) {
        int value = cw_percent_value(at, end);
        *to++ = (char)(value < 0 ? (unsigned char)*at : value);
        at += value < 0 ? 1 : 3;
    }
    out->size = (size_t)(to - out->data);
    *to = '\0';
    return CRAWL_OK;
}

char *cw_percent_form(char *to, const char *from, const char *end)
{
    while (from < end) {
        unsigned char byte = (unsigned char)*from;
        if ((cw_percent_sets[byte] & CW_UNRESERVED) || byte == '+') {
            *to++ = *from++;
            continue;
        }
        int value = cw_percent_value(from, end);
        from += value < 0 ? 1 : 3;
        byte = value < 0 ? byte : (unsigned char)value;
        if (cw_percent_sets[byte] & CW_UNRESERVED)
            *to++ = (char)byte;
        else if (byte == ' ')
            *to++ = '+';
        else
            to = cw_percent_escape(to, byte);
    }
    return to;
}

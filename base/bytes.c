/* See bytes.h. */
#include "base/bytes.h"

void cw_hex_encode(const void *bytes, size_t size, char *out)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *in = bytes;
    for (size_t i = 0; i < size; i++) {
        *out++ = digits[in[i] >> 4];
        *out++ = digits[in[i] & 15];
    }
    *out = '\0';
}

crawl_err cw_hex_decode(crawl_slice digits, crawl_buf *out)
{
    if (digits.size % 2)
        return CRAWL_EPARSE;
    crawl_err err = crawl_buf_reserve(out, digits.size / 2);
    if (err)
        return err;
    char *at = out->data + out->size;
    for (size_t i = 0; i < digits.size; i += 2) {
        int high = cw_hex_value((unsigned char)digits.data[i]);
        int low = cw_hex_value((unsigned char)digits.data[i + 1]);
        if (high < 0 || low < 0) {
            out->data[out->size] = '\0';
            return CRAWL_EPARSE;
        }
        *at++ = (char)(high << 4 | low);
    }
    *at = '\0';
    out->size += digits.size / 2;
    return CRAWL_OK;
}

void cw_base32_encode(const void *bytes, size_t size, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    const unsigned char *in = bytes;
    unsigned held = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < size; i++) {
        held = held << 8 | in[i];
        for (bits += 8; bits >= 5; bits -= 5)
            *out++ = digits[held >> (bits - 5) & 31];
        held &= 0xff;
    }
    if (bits)
        *out++ = digits[held << (5 - bits) & 31];
    *out = '\0';
}

bool cw_equal_nocase(crawl_slice a, crawl_slice b)
{
    if (a.size != b.size)
        return false;
    for (size_t i = 0; i < a.size; i++)
        if (cw_lower((unsigned char)a.data[i]) != cw_lower((unsigned char)b.data[i]))
            return false;
    return true;
}

crawl_slice cw_trim(crawl_slice text)
{
    while (text.size && cw_is_space((unsigned char)text.data[0])) {
        text.data++;
        text.size--;
    }
    while (text.size && cw_is_space((unsigned char)text.data[text.size - 1]))
        text.size--;
    return text;
}

crawl_err cw_base64_append(crawl_slice bytes, crawl_buf *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    crawl_err err = bytes.size > SIZE_MAX / 2 ? CRAWL_ENOMEM : crawl_buf_reserve(out, bytes.size / 3 * 4 + 4);
    for (size_t i = 0; i < bytes.size && !err; i += 3) {
        size_t left = bytes.size - i;
        uint32_t group = (uint32_t)(unsigned char)bytes.data[i] << 16;
        group |= left > 1 ? (uint32_t)(unsigned char)bytes.data[i + 1] << 8 : 0;
        group |= left > 2 ? (uint32_t)(unsigned char)bytes.data[i + 2] : 0;
        const char quad[4] = {digits[group >> 18], digits[group >> 12 & 63], left > 1 ? digits[group >> 6 & 63] : '=',
                              left > 2 ? digits[group & 63] : '='};
        err = crawl_buf_append(out, quad, sizeof quad);
    }
    return err;
}

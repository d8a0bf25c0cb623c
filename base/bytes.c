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

bool cw_base32_decode(crawl_slice digits, void *out, size_t size)
{
    unsigned char *to = out;
    unsigned held = 0;
    unsigned bits = 0;
    if (digits.size != (size * 8 + 4) / 5)
        return false;
    for (size_t i = 0; i < digits.size; i++) {
        unsigned char c = cw_lower((unsigned char)digits.data[i]);
        if (!(cw_is_alpha(c) || (c >= '2' && c <= '7')))
            return false;
        held = held << 5 | (unsigned)(c >= 'a' ? c - 'a' : c - '2' + 26);
        bits += 5;
        if (bits >= 8) {
            bits -= 8;
            *to++ = (unsigned char)(held >> bits);
        }
        held &= 0xff;
    }
    return true;
}

void cw_copy_lower(char *to, crawl_slice text)
{
    for (size_t i = 0; i < text.size; i++)
        to[i] = (char)cw_lower((unsigned char)text.data[i]);
    to[text.size] = '\0';
}

void cw_buf_lower(crawl_buf *buf)
{
    if (buf->data)
        cw_copy_lower(buf->data, crawl_buf_slice(buf));
}

void cw_buf_drop_nuls(crawl_buf *buf)
{
    crawl_slice rest = crawl_buf_slice(buf);
    crawl_slice kept = cw_cut(&rest, '\0');
    if (kept.size == buf->size)
        return;
    buf->size = kept.size;
    while (rest.size) {
        kept = cw_cut(&rest, '\0');
        memmove(buf->data + buf->size, kept.data, kept.size);
        buf->size += kept.size;
    }
    buf->data[buf->size] = '\0';
}

crawl_err cw_append_lower(crawl_buf *out, crawl_slice text)
{
    crawl_err err = crawl_buf_reserve(out, text.size);
    if (err)
        return err;
    cw_copy_lower(out->data + out->size, text);
    out->size += text.size;
    return CRAWL_OK;
}

void cw_buf_trim(crawl_buf *buf, size_t most)
{
    if (buf->capacity > most)
        crawl_buf_free(buf);
    else
        crawl_buf_clear(buf);
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

bool cw_is_in_domain(crawl_slice host, crawl_slice domain)
{
    size_t before = host.size - domain.size;
    return host.size >= domain.size && cw_equal_nocase(cw_drop(host, before), domain) &&
           (before == 0 || (before > 1 && host.data[before - 1] == '.'));
}

bool cw_is_among(crawl_slice text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cw_is_nocase(text, words[i]))
            return true;
    return false;
}

size_t cw_find_last(crawl_slice text, char c)
{
    const char *found = text.size ? memrchr(text.data, c, text.size) : NULL;
    return found ? (size_t)(found - text.data) : text.size;
}

size_t cw_find_any(crawl_slice text, const char *bytes)
{
    for (size_t at = 0; at < text.size; at++)
        for (const char *byte = bytes; *byte; byte++)
            if (text.data[at] == *byte)
                return at;
    return text.size;
}

size_t cw_count_digits(crawl_slice text)
{
    size_t count = 0;
    while (count < text.size && cw_is_digit((unsigned char)text.data[count]))
        count++;
    return count;
}

crawl_slice cw_take_letters(crawl_slice *rest)
{
    size_t count = 0;
    while (count < rest->size && cw_is_alpha((unsigned char)rest->data[count]))
        count++;
    return cw_take(rest, count);
}

int32_t cw_port_of(crawl_slice digits)
{
    int32_t port = 0;
    if (!digits.size || cw_count_digits(digits) < digits.size)
        return -1;
    for (size_t i = 0; i < digits.size && port <= UINT16_MAX; i++)
        port = port * 10 + (digits.data[i] - '0');
    return port <= UINT16_MAX ? port : -1;
}

static bool separates(char c, bool commas)
{
    return cw_is_space((unsigned char)c) || (commas && c == ',');
}

crawl_slice cw_take_word(crawl_slice *rest, bool commas)
{
    size_t start = 0;
    while (start < rest->size && separates(rest->data[start], commas))
        start++;
    *rest = cw_drop(*rest, start);
    size_t size = 0;
    while (size < rest->size && !separates(rest->data[size], commas))
        size++;
    return cw_take(rest, size);
}

bool cw_has_word(crawl_slice list, crawl_slice word, bool commas)
{
    for (crawl_slice one; (one = cw_take_word(&list, commas)).size;)
        if (cw_equal_nocase(one, word))
            return true;
    return false;
}

crawl_slice cw_trim_start(crawl_slice text)
{
    size_t start = 0;
    while (start < text.size && cw_is_space((unsigned char)text.data[start]))
        start++;
    return cw_drop(text, start);
}

crawl_slice cw_trim(crawl_slice text)
{
    text = cw_trim_start(text);
    while (text.size && cw_is_space((unsigned char)text.data[text.size - 1]))
        text.size--;
    return text;
}

crawl_slice cw_trim_blanks(crawl_slice text)
{
    static const char no_break[] = "\302\240"; /* U+00A0 */
    enum { SIZE = sizeof no_break - 1 };
    size_t before;
    do {
        text = cw_trim(text);
        before = text.size;
        if (cw_starts_with(text, no_break))
            text = cw_drop(text, SIZE);
        if (text.size >= SIZE && cw_is(cw_drop(text, text.size - SIZE), no_break))
            text.size -= SIZE;
    } while (text.size < before);
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

size_t cw_base64_decode(crawl_slice text, const char others[2], void *out, size_t *size)
{
    unsigned char *to = out;
    uint32_t held = 0;
    size_t count = 0;
    for (int value; count < text.size && (value = cw_base64_value((unsigned char)text.data[count], others)) >= 0;) {
        held = held << 6 | (uint32_t)value;
        if (count++ % 4)
            *to++ = (unsigned char)(held >> (4 - count % 4) % 4 * 2);
    }
    *size = (size_t)(to - (unsigned char *)out);
    return count;
}

int cw_compare(crawl_slice a, crawl_slice b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

bool cw_has_nocase(crawl_slice text, crawl_slice part)
{
    for (size_t at = 0; at + part.size <= text.size; at++)
        if (cw_equal_nocase(crawl_slice_of(text.data + at, part.size), part))
            return true;
    return false;
}

size_t crawl_slices_cut(crawl_slice text, char end, crawl_slice *pieces, size_t most)
{
    size_t count = 0;
    const char *next = text.data;
    while (next) {
        const char *piece = next;
        size_t left = text.size - (size_t)(piece - text.data);
        const char *found = left ? memchr(piece, end, left) : NULL;
        if (count < most)
            pieces[count] = crawl_slice_of(piece, found ? (size_t)(found - piece) : left);
        next = found ? found + 1 : NULL;
        count++;
    }
    return count;
}

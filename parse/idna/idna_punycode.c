/* Names follow RFC 3492, section 6. */
#include "parse/idna/idna.h"

#include "base/bytes.h"

enum {
    BASE = 36,
    T_MIN = 1,
    T_MAX = 26,
    SKEW = 38,
    DAMP = 700,
    INITIAL_BIAS = 72,
    INITIAL_N = 128,
    MAX_CODE = 0x110000
};

static uint32_t adapt(uint32_t delta, uint32_t points, bool first)
{
    delta = first ? delta / DAMP : delta / 2;
    delta += delta / points;
    uint32_t k = 0;
    for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE)
        delta /= BASE - T_MIN;
    return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static uint32_t threshold(uint32_t k, uint32_t bias)
{
    return k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
}

static char digit_of(uint32_t value)
{
    return (char)(value < 26 ? 'a' + value : '0' + value - 26);
}

static crawl_err encode_delta(uint32_t delta, uint32_t bias, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (uint32_t k = BASE; !err; k += BASE) {
        uint32_t t = threshold(k, bias);
        if (delta < t)
            return crawl_buf_append_char(out, digit_of(delta));
        err = crawl_buf_append_char(out, digit_of(t + (delta - t) % (BASE - t)));
        delta = (delta - t) / (BASE - t);
    }
    return err;
}

static uint32_t least_from(const uint32_t *codes, size_t count, uint32_t n)
{
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < count; i++)
        if (codes[i] >= n && codes[i] < least)
            least = codes[i];
    return least;
}

static crawl_err encode_basic(const uint32_t *codes, size_t count, crawl_buf *out, uint32_t *basic)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count && !err; i++)
        if (codes[i] < INITIAL_N) {
            err = crawl_buf_append_char(out, (char)codes[i]);
            ++*basic;
        }
    return *basic && !err ? crawl_buf_append_char(out, '-') : err;
}

crawl_err cw_idna_punycode_encode(const uint32_t *codes, size_t count, crawl_buf *out)
{
    uint32_t basic = 0;
    crawl_err err = encode_basic(codes, count, out, &basic);
    uint32_t delta = 0;
    uint32_t bias = INITIAL_BIAS;
    uint32_t n = INITIAL_N;
    for (uint32_t done = basic; done < count && !err; delta++, n++) {
        uint32_t next = least_from(codes, count, n);
        delta += (next - n) * (done + 1); /* below 2^32 for the lengths that callers allow: 2048 * 0x110000 */
        n = next;
        for (size_t i = 0; i < count && !err; i++) {
            delta += codes[i] < n;
            if (codes[i] != n)
                continue;
            err = encode_delta(delta, bias, out);
            bias = adapt(delta, done + 1, done == basic);
            delta = 0;
            done++;
        }
    }
    return err;
}

static int idna_punycode_digit_value(unsigned char c)
{
    if (cw_is_digit(c))
        return c - '0' + 26;
    return cw_is_alpha(c) ? (c | 0x20) - 'a' : -1;
}

/* Reads one generalized variable-length integer and adds it to *i. */
static bool decode_delta(crawl_slice *text, uint32_t bias, uint32_t *i)
{
    uint64_t weight = 1;
    uint64_t sum = *i;
    for (uint32_t k = BASE; text->size; k += BASE) {
        int digit = idna_punycode_digit_value((unsigned char)*text->data++);
        text->size--;
        if (digit < 0)
            return false;
        sum += (uint64_t)digit * weight;
        if (sum > UINT32_MAX)
            return false;
        uint32_t t = threshold(k, bias);
        if ((uint32_t)digit < t) {
            *i = (uint32_t)sum;
            return true;
        }
        weight *= BASE - t;
        if (weight > UINT32_MAX)
            return false;
    }
    return false;
}

static bool is_scalar(uint32_t code)
{
    return code < MAX_CODE && (code < 0xd800 || code >= 0xe000);
}

static crawl_err decode_basic(crawl_slice *text, uint32_t *codes, size_t capacity, size_t *count)
{
    const char *dash = memrchr(text->data, '-', text->size);
    size_t size = dash ? (size_t)(dash - text->data) : 0;
    if (size > capacity)
        return CRAWL_EPARSE;
    for (*count = 0; *count < size; ++*count)
        codes[*count] = (unsigned char)text->data[*count];
    /* A dash at the start delimits nothing: it stays, and is not a digit. */
    if (size)
        *text = crawl_slice_of(dash + 1, text->size - size - 1);
    return CRAWL_OK;
}

crawl_err cw_idna_punycode_decode(crawl_slice text, uint32_t *codes, size_t capacity, size_t *count)
{
    crawl_err err = decode_basic(&text, codes, capacity, count);
    uint32_t bias = INITIAL_BIAS;
    uint32_t n = INITIAL_N;
    uint32_t i = 0;
    for (bool first = true; text.size && !err; first = false) {
        uint32_t before = i;
        if (*count == capacity || !decode_delta(&text, bias, &i))
            return CRAWL_EPARSE;
        uint32_t points = (uint32_t)*count + 1;
        bias = adapt(i - before, points, first);
        if (i / points >= MAX_CODE || !is_scalar(n + i / points))
            return CRAWL_EPARSE;
        n += i / points;
        i %= points;
        memmove(codes + i + 1, codes + i, (*count - i) * sizeof *codes);
        codes[i++] = n;
        ++*count;
    }
    return err;
}

/* See idna.h. The steps of UTS 46, 4: all code points are mapped, the result is normalized, cut into labels, and each
 * label checked; then those that are not ASCII are encoded. Labels that begin with "xn--" are decoded first and must
 * come out as valid. */
#include "parse/idna/idna_private.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "parse/idna/idna_punycode.h"

#include <stdlib.h>
#include <uninorm.h>

/* A label, cut out of a domain. */
typedef struct label {
    const uint32_t *code;
    size_t count;
} label;

static bool is_ascii(label l)
{
    for (size_t i = 0; i < l.count; i++)
        if (l.code[i] >= 0x80)
            return false;
    return true;
}

static bool is_a_label(label l)
{
    return l.count >= 4 && l.code[0] == 'x' && l.code[1] == 'n' && l.code[2] == '-' && l.code[3] == '-';
}

static crawl_err map_all(crawl_slice domain, cw_codes *out)
{
    const char *end = domain.data + domain.size;
    crawl_err err = CRAWL_OK;
    out->count = 0;
    for (const char *at = domain.data; at < end && !err;) {
        cw_utf8 next = cw_utf8_next(at, end);
        err = cw_idna_map(next.code, out);
        at += next.size;
    }
    return err;
}

/* To NFC, in place. Nothing becomes longer by it that was not longer before. */
static crawl_err normalize(cw_codes *codes)
{
    size_t count;
    uint32_t *normal = u32_normalize(UNINORM_NFC, codes->code, codes->count, NULL, &count);
    if (!normal)
        return codes->count ? CRAWL_ENOMEM : CRAWL_OK;
    crawl_err err = count > CW_CODES_MAX ? CRAWL_EPARSE : CRAWL_OK;
    if (!err) {
        memcpy(codes->code, normal, count * sizeof *normal);
        codes->count = count;
    }
    free(normal);
    return err;
}

/* The label at *at, which then stands behind the dot, or beyond the end. */
static label next_label(const cw_codes *domain, size_t *at)
{
    size_t end = *at;
    while (end < domain->count && domain->code[end] != '.')
        end++;
    label l = {domain->code + *at, end - *at};
    *at = end + 1;
    return l;
}

/* What an A-label stands for. CRAWL_EPARSE: it is none, or for ASCII alone. */
static crawl_err decode(label l, cw_codes *out)
{
    char digits[CW_CODES_MAX];
    if (!is_ascii(l))
        return CRAWL_EPARSE;
    for (size_t i = 4; i < l.count; i++)
        digits[i - 4] = (char)l.code[i];
    crawl_err err = cw_punycode_decode(crawl_slice_of(digits, l.count - 4), out->code, CW_CODES_MAX, &out->count);
    return !err && is_ascii((label){out->code, out->count}) ? CRAWL_EPARSE : err;
}

static crawl_err check_normal(const cw_codes *codes)
{
    cw_codes normal = *codes;
    crawl_err err = normalize(&normal);
    bool same =
        normal.count == codes->count && memcmp(normal.code, codes->code, codes->count * sizeof *codes->code) == 0;
    return err ? err : same ? CRAWL_OK : CRAWL_EPARSE;
}

/* Calls check with each label, decoded where it is an A-label. */
typedef crawl_err (*label_check)(label l, void *user);

static crawl_err each_label(const cw_codes *domain, label_check check, void *user)
{
    cw_codes decoded;
    crawl_err err = CRAWL_OK;
    for (size_t at = 0; at <= domain->count && !err;) {
        label l = next_label(domain, &at);
        if (is_a_label(l)) {
            err = decode(l, &decoded);
            l = (label){decoded.code, decoded.count};
        }
        if (!err)
            err = check(l, user);
    }
    return err;
}

static crawl_err check_label(label l, void *right_to_left)
{
    *(bool *)right_to_left |= cw_idna_is_right_to_left(l.code, l.count);
    return cw_idna_label_is_valid(l.code, l.count) ? CRAWL_OK : CRAWL_EPARSE;
}

static crawl_err check_bidi(label l, void *ignored)
{
    (void)ignored;
    return cw_idna_keeps_bidi_rule(l.code, l.count) ? CRAWL_OK : CRAWL_EPARSE;
}

/* What an A-label stands for must be in NFC; all else is since it was mapped. */
static crawl_err check_a_labels(const cw_codes *domain)
{
    cw_codes decoded;
    crawl_err err = CRAWL_OK;
    for (size_t at = 0; at <= domain->count && !err;) {
        label l = next_label(domain, &at);
        if (is_a_label(l))
            err = decode(l, &decoded);
        if (!err && is_a_label(l))
            err = check_normal(&decoded);
    }
    return err;
}

static crawl_err append_label(label l, crawl_buf *out)
{
    if (!is_ascii(l)) {
        crawl_err err = crawl_buf_append_text(out, "xn--");
        return err ? err : cw_punycode_encode(l.code, l.count, out);
    }
    crawl_err err = crawl_buf_reserve(out, l.count);
    for (size_t i = 0; i < l.count && !err; i++)
        out->data[out->size++] = (char)l.code[i];
    return err;
}

static crawl_err append_labels(const cw_codes *domain, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (size_t at = 0; at <= domain->count && !err;) {
        if (at)
            err = crawl_buf_append_char(out, '.');
        label l = next_label(domain, &at);
        if (!err)
            err = append_label(l, out);
    }
    return err;
}

crawl_err cw_idna_to_ascii(crawl_slice domain, crawl_buf *out)
{
    cw_codes codes;
    bool right_to_left = false;
    if (domain.size > CW_IDNA_MAX_DOMAIN)
        return CRAWL_EPARSE;
    crawl_err err = map_all(domain, &codes);
    if (!err)
        err = normalize(&codes);
    if (!err)
        err = check_a_labels(&codes);
    if (!err)
        err = each_label(&codes, check_label, &right_to_left);
    if (!err && right_to_left)
        err = each_label(&codes, check_bidi, NULL);
    return err ? err : append_labels(&codes, out);
}

/* See idna.h.
 *
 * libidn2 maps and checks a whole label, but by the rules of a registrar: it also refuses hyphens where IDNA 2008 wants none,
 * symbols, and labels above 63 bytes. The URL standard takes all of these. So a label that libidn2 refuses on such a ground is
 * taken in pieces: ASCII and symbols (idna_symbols.c) stand for themselves, runs of other characters go through libidn2
 * a few at a time, and what comes out is put together and encoded by our own Punycode. */
#include "parse/idna.h"

#include "base/bytes.h"
#include "parse/idna_punycode.h"
#include "parse/utf8.h"

#include <idn2.h>

enum { PIECE = 10 }; /* code points given to libidn2 at a time: their Punycode fits into its 63 bytes */

typedef struct code_points {
    uint32_t code[CW_IDNA_MAX_DOMAIN];
    size_t count;
} code_points;

static crawl_err error_of(int code)
{
    switch (code) {
    case IDN2_OK:
        return CRAWL_OK;
    case IDN2_MALLOC:
        return CRAWL_ENOMEM;
    case IDN2_DISALLOWED:
    case IDN2_UNASSIGNED:
    case IDN2_2HYPHEN:
    case IDN2_HYPHEN_STARTEND:
    case IDN2_PUNYCODE_BIG_OUTPUT:
    case IDN2_TOO_BIG_LABEL:
    case IDN2_TOO_BIG_DOMAIN:
        return CRAWL_REFUSED;
    default:
        return CRAWL_EPARSE;
    }
}

/* Appends what libidn2 makes of a label. CRAWL_REFUSED: on a ground that the URL standard may not share. */
static crawl_err whole_label(crawl_slice label, crawl_buf *out)
{
    char text[CW_IDNA_MAX_DOMAIN + 1];
    if (label.size > CW_IDNA_MAX_DOMAIN || memchr(label.data, '\0', label.size))
        return CRAWL_EPARSE;
    memcpy(text, label.data, label.size);
    text[label.size] = '\0';
    uint8_t *result = NULL;
    int flags = IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL | IDN2_NO_ALABEL_ROUNDTRIP;
    crawl_err err = error_of(idn2_lookup_u8((const uint8_t *)text, &result, flags));
    if (!err)
        err = crawl_buf_append_text(out, (const char *)result);
    idn2_free(result);
    return err;
}

static bool is_a_label(crawl_slice label)
{
    return label.size >= 4 && cw_equal_nocase(crawl_slice_of(label.data, 4), crawl_slice_from("xn--"));
}

static bool is_ascii(const code_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        if (points->code[i] >= 0x80)
            return false;
    return true;
}

static void from_utf8(crawl_slice text, code_points *points)
{
    const char *end = text.data + text.size;
    points->count = 0;
    for (const char *at = text.data; at < end && points->count < CW_IDNA_MAX_DOMAIN;) {
        size_t size;
        points->code[points->count++] = cw_utf8_decode(at, end, &size);
        at += size;
    }
}

static crawl_err to_utf8(const uint32_t *codes, size_t count, crawl_buf *out)
{
    crawl_err err = crawl_buf_reserve(out, 4 * count);
    for (size_t i = 0; i < count && !err; i++)
        out->size += cw_utf8_encode(codes[i], out->data + out->size);
    return err;
}

/* Adds a label as libidn2 returned it: plain ASCII or an A-label. */
static crawl_err add_mapped(crawl_slice label, code_points *points)
{
    size_t room = CW_IDNA_MAX_DOMAIN - points->count;
    if (is_a_label(label)) {
        size_t count;
        crawl_err err =
            cw_punycode_decode(crawl_slice_of(label.data + 4, label.size - 4), points->code + points->count, room, &count);
        points->count += err ? 0 : count;
        return err;
    }
    if (label.size > room || memchr(label.data, '.', label.size))
        return CRAWL_EPARSE;
    for (size_t i = 0; i < label.size; i++)
        points->code[points->count++] = (unsigned char)label.data[i];
    return CRAWL_OK;
}

static crawl_err map_codes(const uint32_t *codes, size_t count, code_points *points)
{
    crawl_buf text = {0};
    crawl_buf mapped = {0};
    crawl_err err = to_utf8(codes, count, &text);
    if (!err)
        err = whole_label(crawl_buf_slice(&text), &mapped);
    if (!err && mapped.size)
        err = add_mapped(crawl_buf_slice(&mapped), points);
    crawl_buf_free(&text);
    crawl_buf_free(&mapped);
    return err;
}

static bool stands_for_itself(uint32_t code)
{
    return code < 0x80 || cw_idna_is_symbol(code);
}

/* May a piece begin with this code point? Not if it joins the one before it: a combining mark, a joiner, a Hangul vowel or final. */
static bool may_begin(uint32_t code)
{
    code_points ignored;
    ignored.count = 0;
    bool joins = (code >= 0x1160 && code < 0x1200) || code == 0x200c || code == 0x200d;
    return !joins && map_codes(&code, 1, &ignored) != CRAWL_EPARSE;
}

/* Maps the longest run from *at on that libidn2 takes. */
static crawl_err add_run(const code_points *label, size_t *at, code_points *points)
{
    size_t end = *at + 1;
    while (end < label->count && end - *at < PIECE && !stands_for_itself(label->code[end]))
        end++;
    for (; end > *at; end--) {
        bool cuts = end < label->count && !stands_for_itself(label->code[end]);
        if (cuts && !may_begin(label->code[end]))
            continue;
        crawl_err err = map_codes(label->code + *at, end - *at, points);
        if (err != CRAWL_EPARSE && err != CRAWL_REFUSED) {
            *at = end;
            return err;
        }
    }
    return CRAWL_EPARSE;
}

/* One symbol or ASCII character, or a run of others. An ASCII character before a run goes with it, for a combining mark may follow,
 * but a hyphen, with which nothing combines and which libidn2 refuses at the start. */
static crawl_err add_piece(const code_points *label, size_t *at, code_points *points)
{
    uint32_t code = label->code[*at];
    bool before_run = *at + 1 < label->count && !stands_for_itself(label->code[*at + 1]);
    if (!stands_for_itself(code) || (code < 0x80 && code != '-' && before_run))
        return add_run(label, at, points);
    if (points->count == CW_IDNA_MAX_DOMAIN)
        return CRAWL_EPARSE;
    points->code[points->count++] = code < 0x80 ? cw_lower((unsigned char)code) : code;
    ++*at;
    return CRAWL_OK;
}

static crawl_err append_label(const code_points *points, crawl_buf *out)
{
    static const uint32_t prefix[] = {'x', 'n', '-', '-'};
    if (points->count >= 4 && memcmp(points->code, prefix, sizeof prefix) == 0)
        return CRAWL_EPARSE;
    if (is_ascii(points))
        return to_utf8(points->code, points->count, out);
    crawl_err err = crawl_buf_append_text(out, "xn--");
    return err ? err : cw_punycode_encode(points->code, points->count, out);
}

/* Digits that count as European in the bidi rule. */
static bool is_digit(uint32_t code)
{
    return (code >= '0' && code <= '9') || (code >= 0x6f0 && code <= 0x6f9);
}

/* The blocks of right-to-left scripts, by which pieces are judged together. */
static bool is_right_to_left(uint32_t code)
{
    bool basic = (code >= 0x590 && code < 0x900) || (code >= 0xfb1d && code < 0xfe00) || (code >= 0xfe70 && code < 0xff00);
    return (basic && !is_digit(code)) || (code >= 0x10800 && code < 0x11000) || (code >= 0x1e800 && code < 0x1f000);
}

static bool is_left_to_right(uint32_t code)
{
    if (code < 0x80)
        return cw_is_alpha((unsigned char)code);
    return !is_right_to_left(code) && !is_digit(code) && !cw_idna_is_symbol(code);
}

/* Of the bidi rule (RFC 5893, 2) what libidn2 cannot see in a piece: a label with right-to-left characters begins with one, ends
 * with one or a digit, and has no letters of other scripts. */
static bool keeps_bidi_rule(const code_points *label)
{
    bool right = false;
    bool left = false;
    for (size_t i = 0; i < label->count; i++) {
        right |= is_right_to_left(label->code[i]);
        left |= is_left_to_right(label->code[i]);
    }
    if (!right)
        return true;
    uint32_t last = label->code[label->count - 1];
    return !left && is_right_to_left(label->code[0]) && (is_right_to_left(last) || is_digit(last));
}

static crawl_err label_in_pieces(crawl_slice label, crawl_buf *out)
{
    code_points codes;
    code_points mapped;
    from_utf8(label, &codes);
    mapped.count = 0;
    crawl_err err = CRAWL_OK;
    for (size_t at = 0; at < codes.count && !err;)
        err = add_piece(&codes, &at, &mapped);
    if (!err && !keeps_bidi_rule(&mapped))
        err = CRAWL_EPARSE;
    return err ? err : append_label(&mapped, out);
}

static crawl_err u_label_to_ascii(crawl_slice label, crawl_buf *out)
{
    size_t size = out->size;
    crawl_err err = whole_label(label, out);
    if (err != CRAWL_REFUSED)
        return err;
    out->size = size;
    return label_in_pieces(label, out);
}

/* An A-label is good if what it decodes to comes back as that A-label. */
static crawl_err check_a_label(crawl_slice label)
{
    code_points points;
    crawl_buf text = {0};
    crawl_buf again = {0};
    crawl_slice digits = crawl_slice_of(label.data + 4, label.size - 4);
    crawl_err err = cw_punycode_decode(digits, points.code, CW_IDNA_MAX_DOMAIN, &points.count);
    if (!err && is_ascii(&points))
        err = CRAWL_EPARSE;
    if (!err)
        err = to_utf8(points.code, points.count, &text);
    if (!err)
        err = u_label_to_ascii(crawl_buf_slice(&text), &again);
    if (!err && !crawl_slice_equal(crawl_buf_slice(&again), label))
        err = CRAWL_EPARSE;
    crawl_buf_free(&text);
    crawl_buf_free(&again);
    return err;
}

static crawl_err label_to_ascii(crawl_slice label, crawl_buf *out)
{
    if (!cw_utf8_is_ascii(label))
        return u_label_to_ascii(label, out);
    size_t start = out->size;
    crawl_err err = crawl_buf_append(out, label.data, label.size);
    if (err)
        return err;
    for (size_t i = start; i < out->size; i++)
        out->data[i] = (char)cw_lower((unsigned char)out->data[i]);
    return is_a_label(label) ? check_a_label(crawl_slice_of(out->data + start, label.size)) : CRAWL_OK;
}

/* Bytes of the label separator that text starts with; 0: none. UTS 46 maps three more characters to the full stop. */
static size_t dot_size(const char *at, size_t left)
{
    static const char *const wide[] = {"\xe3\x80\x82", "\xef\xbc\x8e", "\xef\xbd\xa1"};
    if (*at == '.')
        return 1;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (left >= 3 && memcmp(at, wide[i], 3) == 0)
            return 3;
    return 0;
}

crawl_err cw_idna_to_ascii(crawl_slice domain, crawl_buf *out)
{
    if (domain.size > CW_IDNA_MAX_DOMAIN)
        return CRAWL_EPARSE;
    const char *end = domain.data + domain.size;
    const char *label = domain.data;
    crawl_err err = CRAWL_OK;
    for (const char *at = label; at < end && !err;) {
        size_t dot = dot_size(at, (size_t)(end - at));
        if (dot) {
            err = label_to_ascii(crawl_slice_of(label, (size_t)(at - label)), out);
            if (!err)
                err = crawl_buf_append_char(out, '.');
            label = at + dot;
        }
        at += dot ? dot : 1;
    }
    return err ? err : label_to_ascii(crawl_slice_of(label, (size_t)(end - label)), out);
}

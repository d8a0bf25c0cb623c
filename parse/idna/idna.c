/* See idna.h. The steps of UTS 46, 4: all code points are mapped, the result is normalized, cut into labels, and each
 * label checked; then non-ASCII labels are encoded. Labels that begin with "xn--" are decoded first and must come out
 * valid. */
#include "parse/idna/idna.h"

#include "base/utf8.h"
#include "parse/idna/idna_table.h"

#include <crawl/url.h>

#include <stdlib.h>
#include <unicase.h>
#include <uninorm.h>

/* A domain as code points. One may be mapped to 18 others, so a domain of many such is refused. */
typedef struct domain_codes {
    uint32_t code[2 * CW_IDNA_MAX_DOMAIN];
    size_t count;
} domain_codes;

enum { MAX_CODES = 2 * CW_IDNA_MAX_DOMAIN };

/* The properties of a valid code point: its class for the bidi rule (RIGHT: R and AL; NEUTRAL: ES, CS, ET, ON and BN),
 * how it joins (both: D of RFC 5892, appendix A), whether it is a combining mark, and a virama. */
enum {
    CW_IDNA_BIDI_NONE,
    CW_IDNA_BIDI_L,
    CW_IDNA_BIDI_RIGHT,
    CW_IDNA_BIDI_AN,
    CW_IDNA_BIDI_EN,
    CW_IDNA_BIDI_NSM,
    CW_IDNA_BIDI_NEUTRAL,
    CW_IDNA_BIDI = 7,
    CW_IDNA_JOINS_LEFT = 8,
    CW_IDNA_JOINS_RIGHT = 16,
    CW_IDNA_TRANSPARENT = 32,
    CW_IDNA_MARK = 64,
    CW_IDNA_VIRAMA = 128
};

/* --- code points: the mapping of UTS 46 (4, step 1) and their properties, from the table that scripts/idna-tables
 * makes of published data --- */

const char *crawl_unicode_version(void)
{
    return CW_IDNA_UNICODE;
}

/* Returns the kind of a code point; negative: it is in no block, and disallowed. */
static int idna_kind_of(uint32_t code)
{
    if (code >= IDNA_END) {
        if (code - IDNA_TAIL >= IDNA_TAIL_SIZE)
            return -1;
        code = code - IDNA_TAIL + IDNA_END;
    }
    uint32_t row = code / IDNA_ROW;
    row = idna_blocks[idna_planes[row / IDNA_PLANE] * IDNA_PLANE + row % IDNA_PLANE];
    return idna_rows[row * IDNA_ROW + code % IDNA_ROW];
}

static unsigned mapping_of(uint32_t code)
{
    int kind = idna_kind_of(code);
    return kind < 0 ? IDNA_DISALLOWED : idna_mappings[kind];
}

static unsigned properties_of(uint32_t code)
{
    int kind = idna_kind_of(code);
    return kind < 0 ? 0 : idna_properties[kind];
}

static crawl_err idna_append(uint32_t code, domain_codes *out)
{
    if (out->count == MAX_CODES)
        return CRAWL_EPARSE;
    out->code[out->count++] = code;
    return CRAWL_OK;
}

/* Appends the text after its size. */
static crawl_err idna_append_text(const char *sized, domain_codes *out)
{
    const char *at = sized + 1;
    const char *end = at + (unsigned char)sized[0];
    crawl_err err = CRAWL_OK;
    while (at < end && !err) {
        cw_utf8 next = cw_utf8_next(at, end);
        err = idna_append(next.code, out);
        at += next.size;
    }
    return err;
}

/* Appends NFKC and its case folding: at most 18 characters for one. */
static crawl_err idna_append_folded(uint32_t code, domain_codes *out)
{
    uint32_t compatible[32], folded[32];
    size_t compatible_size = sizeof compatible / sizeof *compatible, size = sizeof folded / sizeof *folded;
    bool is_there = u32_normalize(UNINORM_NFKC, &code, 1, compatible, &compatible_size) == compatible &&
                    u32_casefold(compatible, compatible_size, NULL, UNINORM_NFKC, folded, &size) == folded;
    crawl_err err = is_there ? CRAWL_OK : CRAWL_ENOMEM;
    for (size_t i = 0; i < size && !err; i++)
        err = idna_append(folded[i], out);
    return err;
}

/* Appends the mapping of a code point: itself, nothing, or others. CRAWL_EPARSE: it is disallowed, or there is no
 * room. */
static crawl_err map_code(uint32_t code, domain_codes *out)
{
    unsigned mapping = mapping_of(code);
    switch (mapping) {
    case IDNA_VALID:
        return idna_append(code, out);
    case IDNA_DISALLOWED:
        return CRAWL_EPARSE;
    case IDNA_IGNORED:
        return CRAWL_OK;
    case IDNA_FOLDED:
        return idna_append_folded(code, out);
    default:
        return idna_append_text(idna_texts + mapping, out);
    }
}

/* Returns true if the mapping leaves it unchanged. */
static bool idna_is_valid(uint32_t code)
{
    return mapping_of(code) == IDNA_VALID;
}

/* --- validity of labels: UTS 46 (4.1), joiners by RFC 5892 (appendix A), right-to-left text by RFC 5893 --- */

enum { NON_JOINER = 0x200c, JOINER = 0x200d };

/* Returns true if the next character from `at` in direction step, skipping transparent ones, joins in this way. */
static bool joins(const uint32_t *label, size_t count, size_t at, int step, unsigned how)
{
    for (at += (size_t)step; at < count; at += (size_t)step) {
        unsigned found = properties_of(label[at]);
        if (!(found & CW_IDNA_TRANSPARENT))
            return found & how;
    }
    return false;
}

/* RFC 5892, A.1 and A.2 */
static bool is_joiner_in_place(const uint32_t *label, size_t count, size_t at)
{
    if (at > 0 && (properties_of(label[at - 1]) & CW_IDNA_VIRAMA))
        return true;
    return label[at] == NON_JOINER && joins(label, count, at, -1, CW_IDNA_JOINS_LEFT) &&
           joins(label, count, at, 1, CW_IDNA_JOINS_RIGHT);
}

/* The label is decoded: one that still looks like an A-label would be one in disguise (UTS 46, 4.1, 4). */
static bool looks_encoded(const uint32_t *label, size_t count)
{
    return count >= 4 && label[0] == 'x' && label[1] == 'n' && label[2] == '-' && label[3] == '-';
}

/* Returns true if a label, mapped and in NFC, keeps all rules but the one for right-to-left text (UTS 46, 4.1, 5 to 7).
 * Empty ones do. */
static bool label_is_valid(const uint32_t *label, size_t count)
{
    if (looks_encoded(label, count) || (count && (properties_of(label[0]) & CW_IDNA_MARK)))
        return false;
    for (size_t i = 0; i < count; i++) {
        bool joiner = label[i] == NON_JOINER || label[i] == JOINER;
        if (label[i] == '.' || !idna_is_valid(label[i]) || (joiner && !is_joiner_in_place(label, count, i)))
            return false;
    }
    return true;
}

#define BIDI(name) (1u << CW_IDNA_BIDI_##name)
#define EITHER (BIDI(EN) | BIDI(NEUTRAL) | BIDI(NSM))

static unsigned bidi_of(uint32_t code)
{
    return 1u << (properties_of(code) & CW_IDNA_BIDI);
}

/* Returns true if the label makes its domain a bidi domain name (RFC 5893, 1.4). */
static bool is_right_to_left(const uint32_t *label, size_t count)
{
    unsigned all = 0;
    for (size_t i = 0; i < count; i++)
        all |= bidi_of(label[i]);
    return all & (BIDI(RIGHT) | BIDI(AN));
}

/* Returns the class of the last character that is not a mark. */
static unsigned last_bidi(const uint32_t *label, size_t count)
{
    while (count > 1 && bidi_of(label[count - 1]) == BIDI(NSM))
        count--;
    return bidi_of(label[count - 1]);
}

/* Returns true if the label keeps the bidi rule (RFC 5893, 2). Empty ones do. */
static bool keeps_bidi_rule(const uint32_t *label, size_t count)
{
    if (count == 0)
        return true;
    unsigned first = bidi_of(label[0]);
    unsigned last = last_bidi(label, count);
    unsigned all = 0;
    for (size_t i = 0; i < count; i++)
        all |= bidi_of(label[i]);
    if (first & BIDI(L))
        return !(all & ~(BIDI(L) | EITHER)) && (last & (BIDI(L) | BIDI(EN)));
    bool only = !(all & ~(BIDI(RIGHT) | BIDI(AN) | EITHER));
    bool both_digits = (all & BIDI(EN)) && (all & BIDI(AN));
    return (first & BIDI(RIGHT)) && only && !both_digits && (last & (BIDI(RIGHT) | BIDI(EN) | BIDI(AN)));
}

/* --- domains --- */

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

static crawl_err map_all(crawl_slice domain, domain_codes *out)
{
    const char *end = domain.data + domain.size;
    crawl_err err = CRAWL_OK;
    out->count = 0;
    for (const char *at = domain.data; at < end && !err;) {
        cw_utf8 next = cw_utf8_next(at, end);
        err = map_code(next.code, out);
        at += next.size;
    }
    return err;
}

/* Converts to NFC, in place. No code points become longer that mapping had not lengthened before. */
static crawl_err normalize(domain_codes *codes)
{
    size_t count;
    uint32_t *normal = u32_normalize(UNINORM_NFC, codes->code, codes->count, NULL, &count);
    if (!normal)
        return codes->count ? CRAWL_ENOMEM : CRAWL_OK;
    crawl_err err = count > MAX_CODES ? CRAWL_EPARSE : CRAWL_OK;
    if (!err) {
        memcpy(codes->code, normal, count * sizeof *normal);
        codes->count = count;
    }
    free(normal);
    return err;
}

/* Returns the label at *at, and moves *at after the dot, or beyond the end. */
static label next_label(const domain_codes *domain, size_t *at)
{
    size_t end = *at;
    while (end < domain->count && domain->code[end] != '.')
        end++;
    label l = {domain->code + *at, end - *at};
    *at = end + 1;
    return l;
}

/* Decodes an A-label. CRAWL_EPARSE: it is invalid, or encodes only ASCII. */
static crawl_err idna_decode(label l, domain_codes *out)
{
    char digits[MAX_CODES];
    if (!is_ascii(l))
        return CRAWL_EPARSE;
    for (size_t i = 4; i < l.count; i++)
        digits[i - 4] = (char)l.code[i];
    crawl_err err = cw_idna_punycode_decode(crawl_slice_of(digits, l.count - 4), out->code, MAX_CODES, &out->count);
    return !err && is_ascii((label){out->code, out->count}) ? CRAWL_EPARSE : err;
}

static crawl_err check_normal(const domain_codes *codes)
{
    domain_codes normal = *codes;
    crawl_err err = normalize(&normal);
    bool same =
        normal.count == codes->count && memcmp(normal.code, codes->code, codes->count * sizeof *codes->code) == 0;
    return err ? err : same ? CRAWL_OK : CRAWL_EPARSE;
}

/* Calls check with each label, decoded if it is an A-label. A decoded A-label must be in NFC; all others are, since
 * they were mapped. */
typedef crawl_err (*label_check)(label l, void *user);

static crawl_err each_label(const domain_codes *domain, label_check check, void *user)
{
    domain_codes decoded;
    crawl_err err = CRAWL_OK;
    for (size_t at = 0; at <= domain->count && !err;) {
        label l = next_label(domain, &at);
        if (is_a_label(l)) {
            err = idna_decode(l, &decoded);
            if (!err)
                err = check_normal(&decoded);
            l = (label){decoded.code, decoded.count};
        }
        if (!err)
            err = check(l, user);
    }
    return err;
}

static crawl_err check_label(label l, void *right_to_left)
{
    *(bool *)right_to_left |= is_right_to_left(l.code, l.count);
    return label_is_valid(l.code, l.count) ? CRAWL_OK : CRAWL_EPARSE;
}

static crawl_err check_bidi(label l, void *)
{
    return keeps_bidi_rule(l.code, l.count) ? CRAWL_OK : CRAWL_EPARSE;
}

static crawl_err idna_append_label(label l, crawl_buf *out)
{
    if (!is_ascii(l)) {
        crawl_err err = crawl_buf_append_text(out, "xn--");
        return err ? err : cw_idna_punycode_encode(l.code, l.count, out);
    }
    crawl_err err = crawl_buf_reserve(out, l.count);
    for (size_t i = 0; i < l.count && !err; i++)
        out->data[out->size++] = (char)l.code[i];
    return err;
}

static crawl_err idna_append_labels(const domain_codes *domain, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (size_t at = 0; at <= domain->count && !err;) {
        if (at)
            err = crawl_buf_append_char(out, '.');
        label l = next_label(domain, &at);
        if (!err)
            err = idna_append_label(l, out);
    }
    return err;
}

crawl_err cw_idna_to_ascii(crawl_slice domain, crawl_buf *out)
{
    domain_codes codes;
    bool right_to_left = false;
    if (domain.size > CW_IDNA_MAX_DOMAIN)
        return CRAWL_EPARSE;
    crawl_err err = map_all(domain, &codes);
    if (!err)
        err = normalize(&codes);
    if (!err)
        err = each_label(&codes, check_label, &right_to_left);
    if (!err && right_to_left)
        err = each_label(&codes, check_bidi, NULL);
    return err ? err : idna_append_labels(&codes, out);
}

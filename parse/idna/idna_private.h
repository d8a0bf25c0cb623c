/* The inside of IDNA: what is done with code points (idna_map.c), labels (idna_label.c) and domains (idna.c). */
#ifndef CW_IDNA_PRIVATE_H
#define CW_IDNA_PRIVATE_H

#include "parse/idna/idna.h"

/* A domain as code points. One may be mapped to 18 others, so that a domain of many such is refused. */
typedef struct cw_codes {
    uint32_t code[2 * CW_IDNA_MAX_DOMAIN];
    size_t count;
} cw_codes;

enum { CW_CODES_MAX = 2 * CW_IDNA_MAX_DOMAIN };

/* Appends what a code point is mapped to: itself, nothing, or others. CRAWL_EPARSE: it is disallowed, or there is no
 * room. */
crawl_err cw_idna_map(uint32_t code, cw_codes *out);

/* Is it left as it is by the mapping? */
bool cw_idna_is_valid(uint32_t code);

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
unsigned cw_idna_properties(uint32_t code);

/* Does a label, mapped and in NFC, keep the rules but the one for right-to-left text (UTS 46, 4.1, 5 to 7)? Empty ones
 * do. */
bool cw_idna_label_is_valid(const uint32_t *label, size_t count);

/* Is it of the kind that makes a domain a bidi domain name (RFC 5893, 1.4)? */
bool cw_idna_is_right_to_left(const uint32_t *label, size_t count);

/* Does it keep the bidi rule (RFC 5893, 2)? Empty ones do. */
bool cw_idna_keeps_bidi_rule(const uint32_t *label, size_t count);

#endif

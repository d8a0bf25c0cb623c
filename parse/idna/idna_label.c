/* What makes a label valid: UTS 46 (4.1), joiners by RFC 5892 (appendix A), right-to-left text by RFC 5893. */
#include "parse/idna/idna_private.h"

enum { NON_JOINER = 0x200c, JOINER = 0x200d };

/* From at on in steps of one, over transparent characters: does one come that joins so? */
static bool joins(const uint32_t *label, size_t count, size_t at, int step, unsigned how)
{
    for (at += (size_t)step; at < count; at += (size_t)step) {
        unsigned found = cw_idna_properties(label[at]);
        if (!(found & CW_IDNA_TRANSPARENT))
            return found & how;
    }
    return false;
}

/* RFC 5892, A.1 and A.2 */
static bool is_joiner_in_place(const uint32_t *label, size_t count, size_t at)
{
    if (at > 0 && (cw_idna_properties(label[at - 1]) & CW_IDNA_VIRAMA))
        return true;
    return label[at] == NON_JOINER && joins(label, count, at, -1, CW_IDNA_JOINS_LEFT) &&
           joins(label, count, at, 1, CW_IDNA_JOINS_RIGHT);
}

/* The label is decoded: what looks like an A-label now would be one in disguise (UTS 46, 4.1, 4). */
static bool looks_encoded(const uint32_t *label, size_t count)
{
    return count >= 4 && label[0] == 'x' && label[1] == 'n' && label[2] == '-' && label[3] == '-';
}

bool cw_idna_label_is_valid(const uint32_t *label, size_t count)
{
    if (looks_encoded(label, count) || (count && (cw_idna_properties(label[0]) & CW_IDNA_MARK)))
        return false;
    for (size_t i = 0; i < count; i++) {
        bool joiner = label[i] == NON_JOINER || label[i] == JOINER;
        if (label[i] == '.' || !cw_idna_is_valid(label[i]) || (joiner && !is_joiner_in_place(label, count, i)))
            return false;
    }
    return true;
}

#define BIDI(name) (1u << CW_IDNA_BIDI_##name)
#define EITHER (BIDI(EN) | BIDI(NEUTRAL) | BIDI(NSM))

static unsigned bidi_of(uint32_t code)
{
    return 1u << (cw_idna_properties(code) & CW_IDNA_BIDI);
}

bool cw_idna_is_right_to_left(const uint32_t *label, size_t count)
{
    unsigned all = 0;
    for (size_t i = 0; i < count; i++)
        all |= bidi_of(label[i]);
    return all & (BIDI(RIGHT) | BIDI(AN));
}

/* The class of the last character that is no mark. */
static unsigned last_bidi(const uint32_t *label, size_t count)
{
    while (count > 1 && bidi_of(label[count - 1]) == BIDI(NSM))
        count--;
    return bidi_of(label[count - 1]);
}

bool cw_idna_keeps_bidi_rule(const uint32_t *label, size_t count)
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

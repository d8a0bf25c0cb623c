/* What makes a label valid: UTS 46 (4.1), joiners by RFC 5892 (appendix A), right-to-left text by RFC 5893. */
#include "parse/idna_private.h"

#include <unictype.h>

enum { NON_JOINER = 0x200c, JOINER = 0x200d };

static bool follows_virama(const uint32_t *label, size_t at)
{
    return at > 0 && uc_combining_class(label[at - 1]) == UC_CCC_VR;
}

/* From at on in steps of one, over transparent characters: does one of these types come? */
static bool joins(const uint32_t *label, size_t count, size_t at, int step, int type)
{
    for (at += (size_t)step; at < count; at += (size_t)step) {
        int found = uc_joining_type(label[at]);
        if (found != UC_JOINING_TYPE_T)
            return found == UC_JOINING_TYPE_D || found == type;
    }
    return false;
}

/* RFC 5892, A.1 and A.2 */
static bool is_joiner_in_place(const uint32_t *label, size_t count, size_t at)
{
    if (follows_virama(label, at))
        return true;
    return label[at] == NON_JOINER && joins(label, count, at, -1, UC_JOINING_TYPE_L) &&
           joins(label, count, at, 1, UC_JOINING_TYPE_R);
}

static bool is_mark(uint32_t code)
{
    return uc_is_general_category_withtable(code, UC_CATEGORY_MASK_M) || cw_idna_is_younger_mark(code);
}

bool cw_idna_label_is_valid(const uint32_t *label, size_t count)
{
    if (count && is_mark(label[0]))
        return false;
    for (size_t i = 0; i < count; i++) {
        bool joiner = label[i] == NON_JOINER || label[i] == JOINER;
        if (label[i] == '.' || !cw_idna_is_valid(label[i]) || (joiner && !is_joiner_in_place(label, count, i)))
            return false;
    }
    return true;
}

#define BIDI(name) (1u << UC_BIDI_##name)
#define EITHER (BIDI(EN) | BIDI(ES) | BIDI(CS) | BIDI(ET) | BIDI(ON) | BIDI(BN) | BIDI(NSM))

static unsigned bidi_of(uint32_t code)
{
    return cw_idna_is_younger_mark(code) ? BIDI(NSM) : 1u << uc_bidi_class(code);
}

bool cw_idna_is_right_to_left(const uint32_t *label, size_t count)
{
    unsigned all = 0;
    for (size_t i = 0; i < count; i++)
        all |= bidi_of(label[i]);
    return all & (BIDI(R) | BIDI(AL) | BIDI(AN));
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
    bool only = !(all & ~(BIDI(R) | BIDI(AL) | BIDI(AN) | EITHER));
    bool both_digits = (all & BIDI(EN)) && (all & BIDI(AN));
    return (first & (BIDI(R) | BIDI(AL))) && only && !both_digits && (last & (BIDI(R) | BIDI(AL) | BIDI(EN) | BIDI(AN)));
}

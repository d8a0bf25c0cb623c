/* The mapping of UTS 46 (4, step 1), derived from the properties of characters as UTS 46 itself derives its table (section 6): compatibility
 * forms and case folded, ignorable ones removed, and what is then no letter, mark, number, punctuation or symbol refused. The tables below
 * are what the derivation makes exceptions for, and the characters of Unicode 15 that libunistring does not know yet. */
#include "parse/idna_private.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>

typedef struct code_range {
    uint32_t first;
    uint32_t last;
} code_range;

/* clang-format off */
/* Disallowed by UTS 46 for other reasons than what they are: they changed between versions of Unicode, look like nothing, or
 * contain what parts a domain or a URL. */
static const code_range disallowed[] = {
    {0x04c0, 0x04c0}, {0x10a0, 0x10c5}, {0x115f, 0x1160}, {0x1680, 0x1680}, {0x17b4, 0x17b5}, {0x1806, 0x1806},
    {0x2024, 0x2026}, {0x2028, 0x2029}, {0x2132, 0x2132}, {0x2183, 0x2183}, {0x2488, 0x249b}, {0x2ff0, 0x2ffb},
    {0x3164, 0x3164}, {0x33c2, 0x33c2}, {0x33c7, 0x33c7}, {0x33d8, 0x33d8}, {0xfe12, 0xfe12}, {0xfe19, 0xfe19},
    {0xfe30, 0xfe30}, {0xfe52, 0xfe52}, {0xffa0, 0xffa0}, {0xfffc, 0xfffd}, {0x1f100, 0x1f100}, {0x2f868, 0x2f868},
    {0x2f874, 0x2f874}, {0x2f91f, 0x2f91f}, {0x2f95f, 0x2f95f}, {0x2f9bf, 0x2f9bf},
};

/* Format characters that are ignored and not disallowed. */
static const code_range ignored[] = {
    {0x00ad, 0x00ad}, {0x200b, 0x200b}, {0x2060, 0x2060}, {0x2064, 0x2064}, {0xfeff, 0xfeff}, {0x1bca0, 0x1bca3},
};

/* Valid in Unicode 15, unassigned in libunistring's 14. */
static const code_range younger[] = {
    {0x0cf3, 0x0cf3}, {0x0ece, 0x0ece}, {0x10efd, 0x10eff}, {0x1123f, 0x11241}, {0x11b00, 0x11b09}, {0x11f00, 0x11f10},
    {0x11f12, 0x11f3a}, {0x11f3e, 0x11f59}, {0x1342f, 0x1342f}, {0x13440, 0x13455}, {0x1b132, 0x1b132}, {0x1b155, 0x1b155},
    {0x1d2c0, 0x1d2d3}, {0x1df25, 0x1df2a}, {0x1e08f, 0x1e08f}, {0x1e4d0, 0x1e4f9}, {0x1f6dc, 0x1f6dc}, {0x1f774, 0x1f776},
    {0x1f77b, 0x1f77f}, {0x1f7d9, 0x1f7d9}, {0x1fa75, 0x1fa77}, {0x1fa87, 0x1fa88}, {0x1faad, 0x1faaf}, {0x1fabb, 0x1fabd},
    {0x1fabf, 0x1fabf}, {0x1face, 0x1facf}, {0x1fada, 0x1fadb}, {0x1fae8, 0x1fae8}, {0x1faf7, 0x1faf8}, {0x2b739, 0x2b739},
    {0x31350, 0x323af},
};

/* The combining marks among them. */
static const code_range younger_marks[] = {
    {0x0cf3, 0x0cf3}, {0x0ece, 0x0ece}, {0x10efd, 0x10eff}, {0x11241, 0x11241}, {0x11f00, 0x11f01}, {0x11f03, 0x11f03},
    {0x11f34, 0x11f3a}, {0x11f3e, 0x11f42}, {0x13440, 0x13440}, {0x13447, 0x13455}, {0x1e08f, 0x1e08f}, {0x1e4ec, 0x1e4ef},
};

/* Modifier letters of Unicode 15, from U+1E030 on, and the letters they are mapped to. */
enum { MODIFIERS = 0x1e030 };
static const uint16_t modifier_letters[] = {
    0x0430, 0x0431, 0x0432, 0x0433, 0x0434, 0x0435, 0x0436, 0x0437, 0x0438, 0x043a, 0x043b, 0x043c, 0x043e, 0x043f, 0x0440, 0x0441,
    0x0442, 0x0443, 0x0444, 0x0445, 0x0446, 0x0447, 0x0448, 0x044b, 0x044d, 0x044e, 0xa689, 0x04d9, 0x0456, 0x0458, 0x04e9, 0x04af,
    0x04cf, 0x0430, 0x0431, 0x0432, 0x0433, 0x0434, 0x0435, 0x0436, 0x0437, 0x0438, 0x043a, 0x043b, 0x043e, 0x043f, 0x0441,
    0x0443, 0x0444, 0x0445, 0x0446, 0x0447, 0x0448, 0x044a, 0x044b, 0x0491, 0x0456, 0x0455, 0x045f, 0x04ab, 0xa651, 0x04b1,
};
/* clang-format on */

#define IS_AMONG(code, ranges) is_among(code, ranges, sizeof(ranges) / sizeof *(ranges))

static bool is_among(uint32_t code, const code_range *ranges, size_t count)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && code >= ranges[low].first;
}

bool cw_idna_is_younger_mark(uint32_t code)
{
    return IS_AMONG(code, younger_marks);
}

static crawl_err append(uint32_t code, cw_codes *out)
{
    if (out->count == CW_CODES_MAX)
        return CRAWL_EPARSE;
    out->code[out->count++] = code;
    return CRAWL_OK;
}

/* Valid where the mapping is not transitional, though folding would change them: sharp s, final sigma, the joiners. */
static bool is_deviation(uint32_t code)
{
    return code == 0xdf || code == 0x3c2 || code == 0x200c || code == 0x200d;
}

/* What has one code point that it stands for; 0: it has not. */
static uint32_t single_of(uint32_t code)
{
    if (code < 0x80)
        return code ? cw_lower((unsigned char)code) : 0;
    if (code == 0x1e9e)
        return 0xdf; /* capital sharp s */
    if (code == 0x3002 || code == 0xff61)
        return '.';
    if (is_deviation(code) || IS_AMONG(code, younger))
        return code;
    size_t modifier = code - MODIFIERS;
    return code >= MODIFIERS && modifier < sizeof modifier_letters / sizeof *modifier_letters ? modifier_letters[modifier] : 0;
}

enum { FOLDED = 64 }; /* the longest is 18 */

/* codes folded to compatibility forms and to lower case into room; NULL: no memory. */
static uint32_t *fold(const uint32_t *codes, size_t count, uint32_t room[FOLDED], size_t *folded)
{
    *folded = FOLDED;
    return u32_casefold(codes, count, NULL, UNINORM_NFKC, room, folded);
}

static void give_back(uint32_t *codes, const uint32_t *room)
{
    if (codes != room)
        free(codes);
}

/* Twice, as what the first time leaves may have a form once more. */
static crawl_err append_folded(uint32_t code, cw_codes *out)
{
    uint32_t first_room[FOLDED];
    uint32_t second_room[FOLDED];
    size_t count;
    uint32_t *first = fold(&code, 1, first_room, &count);
    uint32_t *second = first ? fold(first, count, second_room, &count) : NULL;
    crawl_err err = second ? CRAWL_OK : CRAWL_ENOMEM;
    for (size_t i = 0; i < count && !err; i++)
        if (!uc_is_property_default_ignorable_code_point(second[i]))
            err = append(second[i], out);
    if (second)
        give_back(second, second_room);
    if (first)
        give_back(first, first_room);
    return err;
}

crawl_err cw_idna_map(uint32_t code, cw_codes *out)
{
    uint32_t single = single_of(code);
    if (single)
        return append(single, out);
    if (IS_AMONG(code, ignored))
        return CRAWL_OK;
    if (IS_AMONG(code, disallowed) || uc_is_general_category_withtable(code, UC_CATEGORY_MASK_C))
        return CRAWL_EPARSE;
    return append_folded(code, out);
}

bool cw_idna_is_valid(uint32_t code)
{
    cw_codes mapped;
    mapped.count = 0;
    return cw_idna_map(code, &mapped) == CRAWL_OK && mapped.count == 1 && mapped.code[0] == code;
}

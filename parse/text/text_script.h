/* Words of scripts without spaces between them, told by the first two bytes of a character in UTF-8. */
#pragma once

#include <stdbool.h>

/* Letters of Thai and its like that count as a word. */
#define CW_TEXT_SCRIPT_LETTERS 4

/* Returns true for a Chinese or Japanese character, each of which counts as a word: U+3000 to U+9FFF. */
static inline bool cw_text_script_is_ideograph(unsigned char lead)
{
    return lead >= 0xe3 && lead <= 0xe9;
}

/* Returns true for Thai, Lao, Tibetan (U+0E00 to U+0FFF), Burmese (with old Georgian capitals, which begin with the
 * same bytes) and Khmer. */
static inline bool cw_text_script_is_unspaced(unsigned char lead, unsigned char second)
{
    return (lead == 0xe0 && second >= 0xb8) || (lead == 0xe1 && (second <= 0x82 || second == 0x9e || second == 0x9f));
}

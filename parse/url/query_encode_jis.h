/* What the Japanese encodings share: characters by their place in JIS X 0208, as Microsoft's code page has it. */
#ifndef CW_URL_QUERY_ENCODE_JIS_H
#define CW_URL_QUERY_ENCODE_JIS_H

#include <stdbool.h>
#include <stdint.h>

/* From two bytes of code page 932 to row and cell, 0 to 93 each. Characters that IBM added have their place among those
 * that NEC did, as the index of the Encoding standard has them for EUC-JP and ISO-2022-JP. False: it has none. */
bool cw_url_jis_place(const char bytes[2], unsigned *row, unsigned *cell);

/* The fullwidth form of halfwidth katakana (index ISO-2022-JP katakana); any other code point is itself. */
uint32_t cw_url_jis_fullwidth(uint32_t code);

#endif

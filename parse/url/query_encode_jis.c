#include "parse/url/query_encode_jis.h"

enum {
    CELLS = 94,
    CELLS_OF_LEAD = 2 * CELLS,
    NEC_SELECTED = 88 * CELLS, /* place of the first of them */
};

/* IBM's characters come in the order of NEC's selection of them, but for a few that stand elsewhere. */
static int nec_of_ibm(unsigned index)
{
    enum { ROMAN = 10, SIGNS = 20, KANJI = 28, SIGNS_END = 24, IBM_END = 388 };
    if (index < ROMAN)
        return (int)index + 362;
    if (index >= SIGNS && index < SIGNS_END)
        return (int)index + 352;
    return index >= KANJI && index < IBM_END ? (int)index - KANJI : -1;
}

bool cw_url_jis_place(const char bytes[2], unsigned *row, unsigned *cell)
{
    unsigned lead = (unsigned char)bytes[0];
    unsigned trail = (unsigned char)bytes[1];
    unsigned in_lead = trail - (trail < 0x7f ? 0x40 : 0x41);
    unsigned place;
    if (trail < 0x40 || in_lead >= CELLS_OF_LEAD)
        return false;
    if (lead >= 0xfa) {
        int nec = nec_of_ibm((lead - 0xfa) * CELLS_OF_LEAD + in_lead);
        if (nec < 0)
            return false;
        place = NEC_SELECTED + (unsigned)nec;
    } else {
        place = (lead - (lead < 0xa0 ? 0x81 : 0xc1)) * CELLS_OF_LEAD + in_lead;
    }
    *row = place / CELLS;
    *cell = place % CELLS;
    return *row < CELLS;
}

uint32_t cw_url_jis_fullwidth(uint32_t code)
{
    /* clang-format off */
    static const uint16_t fullwidth[] = {
        0x3002, 0x300c, 0x300d, 0x3001, 0x30fb, 0x30f2, 0x30a1, 0x30a3, 0x30a5, 0x30a7, 0x30a9, 0x30e3,
        0x30e5, 0x30e7, 0x30c3, 0x30fc, 0x30a2, 0x30a4, 0x30a6, 0x30a8, 0x30aa, 0x30ab, 0x30ad, 0x30af,
        0x30b1, 0x30b3, 0x30b5, 0x30b7, 0x30b9, 0x30bb, 0x30bd, 0x30bf, 0x30c1, 0x30c4, 0x30c6, 0x30c8,
        0x30ca, 0x30cb, 0x30cc, 0x30cd, 0x30ce, 0x30cf, 0x30d2, 0x30d5, 0x30d8, 0x30db, 0x30de, 0x30df,
        0x30e0, 0x30e1, 0x30e2, 0x30e4, 0x30e6, 0x30e8, 0x30e9, 0x30ea, 0x30eb, 0x30ec, 0x30ed, 0x30ef,
        0x30f3, 0x309b, 0x309c,
    };
    /* clang-format on */
    return code >= 0xff61 && code <= 0xff9f ? fullwidth[code - 0xff61] : code;
}

/* See query_encode.h.
 *
 * iconv's tables are those of the Encoding standard except for some code points, which query_encode_tables.h lists.
 * Characters are converted one by one: non-ASCII queries are short and rare, and so each character can be handled
 * before iconv is called, and iconv's result can be checked. */
#include "parse/url/query_encode.h"

#include "base/text/percent.h"
#include "base/utf8.h"

#include <crawl/links.h>

/* Shared by the Japanese encodings: characters by their place in JIS X 0208, as in Microsoft's code page. */

enum {
    CELLS = 94,
    CELLS_OF_LEAD = 2 * CELLS,
    NEC_SELECTED = 88 * CELLS, /* place of the first of them */
};

/* IBM's characters come in the order of NEC's selection of them, except for a few that are elsewhere. */
static int nec_of_ibm(unsigned index)
{
    enum { ROMAN = 10, SIGNS = 20, KANJI = 28, SIGNS_END = 24, IBM_END = 388 };
    if (index < ROMAN)
        return (int)index + 362;
    if (index >= SIGNS && index < SIGNS_END)
        return (int)index + 352;
    return index >= KANJI && index < IBM_END ? (int)index - KANJI : -1;
}

/* Converts two bytes of code page 932 to row and cell, 0 to 93 each. IBM's additional characters have their place among
 * NEC's, as in the Encoding standard's index for EUC-JP and ISO-2022-JP. false: it has none. */
static bool url_jis_place(const char bytes[2], unsigned *row, unsigned *cell)
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

/* Returns the fullwidth form of halfwidth katakana (index ISO-2022-JP katakana); any other code point unchanged. */
static uint32_t url_jis_fullwidth(uint32_t code)
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

enum { MAX_BYTES = 16 }; /* of one character in any charset, including escape sequences */

/* A code point for which the standard has other bytes than iconv. size 0: none. */
typedef struct charset_exception {
    uint32_t code;
    uint8_t size;
    unsigned char bytes[2];
} charset_exception;

/* The rules of a charset; bytes from iconv that break them are not an encoding. */
enum {
    ONE_BYTE = 1 << 0,
    TWO_BYTES = 1 << 1, /* at most */
    C1 = 1 << 2,        /* unused bytes from 0x80 to 0x9f are the C1 controls */
    HIGH_LEAD = 1 << 3, /* no first byte below 0xa1: HKSCS is decoded only */
    JAPANESE = 1 << 4,  /* no C1 controls, no private use: decoded only */
    EUC = 1 << 5,       /* iconv gives Shift_JIS, which is converted to EUC-JP */
    STATEFUL = 1 << 6   /* likewise, to ISO-2022-JP, which has escape sequences; bytes that could begin one are
                           unencodable */
};

typedef struct cw_url_charset {
    const char *name; /* WHATWG */
    const char *iconv_name;
    unsigned flags;
    const charset_exception *exceptions; /* ends with code 0; NULL: none */
} cw_url_charset;

#include "parse/url/query_encode_tables.h"

static const cw_url_charset *find_charset(const char *label)
{
    const char *name = crawl_charset_name(crawl_slice_from(label));
    for (size_t i = 0; name && i < sizeof charsets / sizeof *charsets; i++)
        if (strcmp(name, charsets[i].name) == 0)
            return &charsets[i];
    return NULL;
}

void cw_url_query_encoder_close(cw_url_query_encoder *encoder)
{
    if (encoder->charset)
        iconv_close(encoder->handle);
    encoder->charset = NULL;
}

static bool open_charset(cw_url_query_encoder *encoder, const cw_url_charset *charset)
{
    if (encoder->charset == charset)
        return charset != NULL;
    cw_url_query_encoder_close(encoder);
    if (!charset)
        return false;
    iconv_t handle = iconv_open(charset->iconv_name, "UTF-8");
    if (handle == (iconv_t)-1)
        return false;
    encoder->handle = handle;
    encoder->charset = charset;
    return true;
}

bool cw_url_query_depends_on_charset(const char *charset, crawl_slice query)
{
    if (!charset || strcmp(charset, "utf-8") == 0)
        return false;
    for (size_t i = 0; i < query.size; i++)
        if ((unsigned char)query.data[i] < ' ' || (unsigned char)query.data[i] >= 0x7f)
            return true;
    return false;
}

/* One character in the query. */
typedef struct query_character {
    uint32_t code;
    const char *utf8;
    size_t size;
} query_character;

static query_character character_at(const char *at, const char *end)
{
    cw_utf8 next = cw_utf8_next(at, end);
    return (query_character){next.code, at, next.size};
}

static const charset_exception *find_exception(const cw_url_charset *charset, uint32_t code)
{
    for (const charset_exception *at = charset->exceptions; at && at->code; at++)
        if (at->code == code)
            return at;
    return NULL;
}

static size_t query_encode_convert(iconv_t handle, const query_character *character, char bytes[MAX_BYTES])
{
    char *from = (char *)character->utf8; /* iconv's type: it writes nothing there */
    size_t left = character->size;
    char *to = bytes;
    size_t room = MAX_BYTES;
    size_t irreversible = iconv(handle, &from, &left, &to, &room);
    return irreversible == (size_t)-1 ? 0 : (size_t)(to - bytes);
}

/* Returns true if the standard's encoder would give iconv's result. */
static bool is_standard(const cw_url_charset *charset, uint32_t code, const char *bytes, size_t size)
{
    unsigned flags = charset->flags;
    if (((flags & ONE_BYTE) && size > 1) || ((flags & TWO_BYTES) && size > 2))
        return false;
    if ((flags & HIGH_LEAD) && (unsigned char)bytes[0] < 0xa1)
        return false;
    bool control = code > 0x80 && code < 0xa0;
    bool private_use = code >= 0xe000 && code < 0xf900;
    return !(flags & JAPANESE) || !(control || private_use);
}

/* Converts Shift_JIS to EUC-JP: two bytes of the same place, or one of halfwidth katakana. 0: it has no place. */
static size_t to_euc(char bytes[MAX_BYTES], size_t size)
{
    unsigned row;
    unsigned cell;
    unsigned char first = (unsigned char)bytes[0];
    if (size == 1 && first == 0x80)
        return 0;
    if (size == 1 && first < 0x80)
        return 1; /* yen and overline are the ASCII characters in their place */
    if (size == 1) {
        bytes[1] = bytes[0];
        bytes[0] = (char)0x8e;
        return 2;
    }
    if (!url_jis_place(bytes, &row, &cell))
        return 0;
    bytes[0] = (char)(0xa1 + row);
    bytes[1] = (char)(0xa1 + cell);
    return 2;
}

/* Converts a non-ASCII character, to Shift_JIS if flags say so. 0: the charset has none. */
static size_t convert_high(const cw_url_query_encoder *encoder, const query_character *character, char bytes[MAX_BYTES])
{
    const cw_url_charset *charset = encoder->charset;
    const charset_exception *exception = find_exception(charset, character->code);
    if (exception) {
        memcpy(bytes, exception->bytes, exception->size);
        return exception->size;
    }
    size_t size = query_encode_convert(encoder->handle, character, bytes);
    if (size)
        return is_standard(charset, character->code, bytes, size) ? size : 0;
    if (!(charset->flags & C1) || character->code >= 0xa0)
        return 0;
    bytes[0] = (char)character->code;
    return 1;
}

static size_t encode_high(const cw_url_query_encoder *encoder, const query_character *character, char bytes[MAX_BYTES])
{
    size_t size = convert_high(encoder, character, bytes);
    return size && (encoder->charset->flags & EUC) ? to_euc(bytes, size) : size;
}

/* Writes the escape sequence that leads to a state of ISO-2022-JP, if the state changes. */
static char *query_encode_enter(cw_url_query_encoder *encoder, cw_url_iso_2022_jp state, char *to)
{
    static const char *const escapes[] = {
        [CW_ISO_ASCII] = "\x1b(B", [CW_ISO_ROMAN] = "\x1b(J", [CW_ISO_JIS] = "\x1b$B"};
    if (encoder->state == state)
        return to;
    encoder->state = state;
    return mempcpy(to, escapes[state], 3);
}

/* Returns to ASCII if the charset has states. */
static size_t leave_state(cw_url_query_encoder *encoder, char bytes[MAX_BYTES])
{
    return encoder->charset->flags & STATEFUL ? (size_t)(query_encode_enter(encoder, CW_ISO_ASCII, bytes) - bytes) : 0;
}

/* Encodes one character as two bytes, or not at all. */
static size_t encode_iso_jis(cw_url_query_encoder *encoder, const query_character *character, char bytes[MAX_BYTES])
{
    char utf8[4];
    unsigned row;
    unsigned cell;
    query_character wide = {.code = url_jis_fullwidth(character->code), .utf8 = utf8};
    wide.size = cw_utf8_encode(wide.code, utf8);
    if (convert_high(encoder, &wide, bytes) != 2 || !url_jis_place(bytes, &row, &cell))
        return 0;
    char *to = query_encode_enter(encoder, CW_ISO_JIS, bytes);
    *to++ = (char)(0x21 + row);
    *to++ = (char)(0x21 + cell);
    return (size_t)(to - bytes);
}

/* Encodes a character in ISO-2022-JP with the escape sequence before it, if one is needed. 0: it has none. */
static size_t encode_iso(cw_url_query_encoder *encoder, const query_character *character, char bytes[MAX_BYTES])
{
    uint32_t code = character->code;
    bool roman = code == 0xa5 || code == 0x203e;
    bool shared = code < 0x80 && code != '\\' && code != '~';
    if (!roman && code >= 0x80)
        return encode_iso_jis(encoder, character, bytes);
    bool stays = shared && encoder->state == CW_ISO_ROMAN;
    char *to = query_encode_enter(encoder, roman || stays ? CW_ISO_ROMAN : CW_ISO_ASCII, bytes);
    *to++ = (char)(code == 0xa5 ? '\\' : code == 0x203e ? '~' : (int)code);
    return (size_t)(to - bytes);
}

/* Encodes any character. 0: the charset has none. */
static size_t encode_character(cw_url_query_encoder *encoder, const query_character *character, char bytes[MAX_BYTES])
{
    if (encoder->charset->flags & STATEFUL)
        return encode_iso(encoder, character, bytes);
    if (character->code >= 0x80)
        return encode_high(encoder, character, bytes);
    bytes[0] = (char)character->code;
    return 1;
}

static bool is_shift(uint32_t code)
{
    return code == 0x0e || code == 0x0f || code == 0x1b;
}

static crawl_err query_encode_append_escaped(crawl_buf *out, const char *bytes, size_t size, unsigned set)
{
    crawl_err err = crawl_buf_reserve(out, 3 * size);
    if (!err)
        out->size = (size_t)(cw_percent_write(out->data + out->size, bytes, bytes + size, set) - out->data);
    return err;
}

static crawl_err append_number(crawl_buf *out, uint32_t code)
{
    return crawl_buf_printf(out, "%%26%%23%u%%3B", (unsigned)code);
}

/* Appends the substitute for a character that the charset lacks. Leaves two-byte mode for it. */
static crawl_err append_missing(cw_url_query_encoder *encoder, uint32_t code, unsigned set, crawl_buf *out)
{
    char bytes[MAX_BYTES];
    size_t size = encoder->state == CW_ISO_JIS ? leave_state(encoder, bytes) : 0;
    crawl_err err = query_encode_append_escaped(out, bytes, size, set);
    return err ? err : append_number(out, code);
}

static crawl_err append_character(cw_url_query_encoder *encoder, const query_character *character, unsigned set,
                                  crawl_buf *out)
{
    char bytes[MAX_BYTES];
    if ((encoder->charset->flags & STATEFUL) && is_shift(character->code))
        return append_missing(encoder, CW_UTF8_REPLACEMENT, set, out);
    size_t size = encode_character(encoder, character, bytes);
    return size ? query_encode_append_escaped(out, bytes, size, set)
                : append_missing(encoder, character->code, set, out);
}

static crawl_err query_encode_text(cw_url_query_encoder *encoder, crawl_slice query, unsigned set, crawl_buf *out)
{
    char bytes[MAX_BYTES];
    crawl_err err = CRAWL_OK;
    const char *end = query.data + query.size;
    encoder->state = CW_ISO_ASCII;
    for (const char *at = query.data; at < end && !err;) {
        query_character character = character_at(at, end);
        err = append_character(encoder, &character, set, out);
        at += character.size;
    }
    return err ? err : query_encode_append_escaped(out, bytes, leave_state(encoder, bytes), set);
}

crawl_err cw_url_query_encode(cw_url_query_encoder *encoder, const char *charset, crawl_slice query, unsigned set,
                              crawl_buf *out)
{
    if (!open_charset(encoder, find_charset(charset)))
        return query_encode_append_escaped(out, query.data, query.size, set);
    return query_encode_text(encoder, query, set, out);
}

/* Returns the number of code points of a charset that is the beginning of Unicode. 0: it is not. */
static uint32_t first_codes(const char *charset)
{
    static const struct {
        const char *name;
        uint32_t count;
    } names[] = {{"latin1", 256}, {"latin-1", 256}, {"iso-8859-1", 256}, {"iso8859-1", 256},
                 {"l1", 256},     {"ascii", 128},   {"us-ascii", 128}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cw_is_nocase(crawl_slice_from(charset), names[i].name))
            return names[i].count;
    return 0;
}

static crawl_err to_first_codes(uint32_t count, crawl_slice text, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    const char *end = text.data + text.size;
    for (const char *at = text.data; at < end && !err;) {
        cw_utf8 next = cw_utf8_next(at, end);
        err = next.code < count ? crawl_buf_append_char(out, (char)next.code) : CRAWL_ABSENT;
        at += next.size;
    }
    return err;
}

static crawl_err to_open_charset(cw_url_query_encoder *encoder, crawl_slice text, crawl_buf *out)
{
    char bytes[MAX_BYTES];
    const char *end = text.data + text.size;
    crawl_err err = CRAWL_OK;
    for (const char *at = text.data; at < end && !err;) {
        query_character character = character_at(at, end);
        size_t size = encode_character(encoder, &character, bytes);
        err = size ? crawl_buf_append(out, bytes, size) : CRAWL_ABSENT;
        at += character.size;
    }
    return err ? err : crawl_buf_append(out, bytes, leave_state(encoder, bytes));
}

crawl_err cw_url_query_to_charset(const char *charset, crawl_slice text, crawl_buf *out)
{
    cw_url_query_encoder encoder = {0};
    size_t start = out->size;
    uint32_t count = first_codes(charset);
    crawl_err err;
    if (count)
        err = to_first_codes(count, text, out);
    else if (open_charset(&encoder, find_charset(charset)))
        err = to_open_charset(&encoder, text, out);
    else
        err = crawl_buf_append(out, text.data, text.size);
    cw_url_query_encoder_close(&encoder);
    if (err)
        out->size = start;
    return err;
}

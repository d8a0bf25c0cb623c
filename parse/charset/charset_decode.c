/* Decoders of the Encoding Standard. UTF-8, UTF-16, windows-1252 and x-user-defined are decoded here. Other single-byte
 * encodings are decoded by a table that iconv fills, the rest by iconv itself. Its tables equal those of the standard
 * except for a few rows, which are corrected here. */
#include "parse/charset/charset.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "parse/charset/charset_differences.h"

#include <errno.h>

const uint16_t cw_charset_windows_1252[32] = {
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178,
};

typedef crawl_err (*whole_decoder)(crawl_slice bytes, crawl_buf *out);

/* An encoding: decoded by one of our functions, or else by iconv. */
typedef struct encoding {
    const char *name; /* WHATWG */
    whole_decoder decode;
    const char *iconv_name; /* NULL: the same */
    bool multi_byte;
} encoding;

static crawl_err append_code(crawl_buf *out, uint32_t code)
{
    char bytes[4];
    return crawl_buf_append(out, bytes, cw_utf8_encode(code, bytes));
}

/* Decodes each byte separately; high has the code points of the bytes from 0x80 on. */
static crawl_err decode_bytes(crawl_slice bytes, crawl_buf *out, const uint16_t high[128])
{
    crawl_err err = crawl_buf_reserve(out, bytes.size);
    for (size_t i = 0; i < bytes.size && !err; i++) {
        unsigned char byte = (unsigned char)bytes.data[i];
        err = byte < 0x80 ? crawl_buf_append_char(out, (char)byte) : append_code(out, high[byte - 0x80]);
    }
    return err;
}

static crawl_err decode_windows_1252(crawl_slice bytes, crawl_buf *out)
{
    uint16_t high[128];
    for (unsigned i = 0; i < 128; i++)
        high[i] = i < 32 ? cw_charset_windows_1252[i] : (uint16_t)(0x80 + i);
    return decode_bytes(bytes, out, high);
}

/* Decodes x-user-defined (Encoding Standard, 14.5): bytes from 0x80 on become U+F780 and on. */
static crawl_err decode_user_defined(crawl_slice bytes, crawl_buf *out)
{
    uint16_t high[128];
    for (unsigned i = 0; i < 128; i++)
        high[i] = (uint16_t)(0xf780 + i);
    return decode_bytes(bytes, out, high);
}

static crawl_err decode_ascii(crawl_slice bytes, crawl_buf *out)
{
    uint16_t high[128];
    for (unsigned i = 0; i < 128; i++)
        high[i] = CW_UTF8_REPLACEMENT;
    return decode_bytes(bytes, out, high);
}

/* Decodes "replacement" (Encoding Standard, 14.1): a page whose encoding could be read in two ways is not read. */
static crawl_err decode_replacement(crawl_slice bytes, crawl_buf *out)
{
    return bytes.size ? crawl_buf_append_text(out, CW_UTF8_REPLACEMENT_TEXT) : CRAWL_OK;
}

static uint32_t utf16_unit(crawl_slice bytes, size_t at, bool big)
{
    unsigned char first = (unsigned char)bytes.data[at];
    unsigned char second = (unsigned char)bytes.data[at + 1];
    return big ? (uint32_t)(first << 8 | second) : (uint32_t)(second << 8 | first);
}

static crawl_err decode_utf16(crawl_slice bytes, crawl_buf *out, bool big)
{
    crawl_err err = crawl_buf_reserve(out, bytes.size / 2);
    size_t at = 0;
    while (!err && bytes.size - at >= 2) {
        uint32_t code = utf16_unit(bytes, at, big);
        at += 2;
        if ((code & 0xfc00) == 0xd800 && bytes.size - at >= 2 && (utf16_unit(bytes, at, big) & 0xfc00) == 0xdc00) {
            code = 0x10000 + ((code & 0x3ff) << 10) + (utf16_unit(bytes, at, big) & 0x3ff);
            at += 2;
        }
        bool lone = code >= 0xd800 && code < 0xe000;
        err = append_code(out, lone ? CW_UTF8_REPLACEMENT : code);
    }
    return err || at == bytes.size ? err : append_code(out, CW_UTF8_REPLACEMENT);
}

static crawl_err decode_utf16le(crawl_slice bytes, crawl_buf *out)
{
    return decode_utf16(bytes, out, false);
}

static crawl_err decode_utf16be(crawl_slice bytes, crawl_buf *out)
{
    return decode_utf16(bytes, out, true);
}

/* The encodings that are not simply single-byte encodings under iconv's own name. */
static const encoding encodings[] = {
    {"utf-8", cw_utf8_repair, NULL, true},
    {"windows-1252", decode_windows_1252, NULL, false},
    {"utf-16le", decode_utf16le, NULL, true},
    {"utf-16be", decode_utf16be, NULL, true},
    {"x-user-defined", decode_user_defined, NULL, false},
    {"replacement", decode_replacement, NULL, true},
    {"gbk", NULL, "GB18030", true},
    {"gb18030", NULL, "GB18030", true},
    {"big5", NULL, "BIG5-HKSCS", true},
    {"shift_jis", NULL, "CP932", true},
    {"euc-jp", NULL, "EUC-JP-MS", true},
    {"iso-2022-jp", NULL, "ISO-2022-JP", true},
    {"euc-kr", NULL, "CP949", true},
    {"iso-8859-8-i", NULL, "ISO-8859-8", false},
    {"windows-874", NULL, "CP874", false},
    {"windows-1250", NULL, "CP1250", false},
    {"windows-1251", NULL, "CP1251", false},
    {"windows-1253", NULL, "CP1253", false},
    {"windows-1254", NULL, "CP1254", false},
    {"windows-1255", NULL, "CP1255", false},
    {"windows-1256", NULL, "CP1256", false},
    {"windows-1257", NULL, "CP1257", false},
    {"windows-1258", NULL, "CP1258", false},
    {"koi8-u", NULL, "KOI8-U", false},
    {"x-mac-cyrillic", NULL, "MAC-UK", false},
};

static encoding encoding_named(const char *name)
{
    for (size_t i = 0; i < sizeof encodings / sizeof encodings[0]; i++)
        if (strcmp(encodings[i].name, name) == 0)
            return encodings[i];
    return (encoding){name, NULL, NULL, false};
}

/* The bytes for which the standard's tables of single-byte encodings differ from iconv's. */
static const struct {
    const char *charset;
    uint8_t byte;
    uint16_t code;
} exceptions[] = {
    {"koi8-u", 0xae, 0x045e},    {"koi8-u", 0xbe, 0x040e},         {"macintosh", 0xc6, 0x2206},
    {"macintosh", 0xf0, 0xf8ff}, {"x-mac-cyrillic", 0xff, 0x20ac}, {"windows-1255", 0xca, 0x05ba},
};

static bool has_converter(const cw_charset_decoder *decoder)
{
    return decoder->charset && !decoder->single_byte;
}

void cw_charset_decoder_close(cw_charset_decoder *decoder)
{
    if (has_converter(decoder))
        iconv_close(decoder->converter);
    decoder->charset = NULL;
}

/* Returns the code point of one byte; converter must convert to UTF-16BE. iconv leaves some bytes from 0x80 to 0x9f
 * undefined, where the standard has C1 controls. */
static uint16_t charset_decode_code_of_byte(iconv_t converter, unsigned char byte)
{
    char from = (char)byte;
    unsigned char to[4];
    char *at = &from;
    char *out = (char *)to;
    size_t left = 1;
    size_t room = sizeof to;
    bool known = iconv(converter, &at, &left, &out, &room) != (size_t)-1;
    /* Some encodings hold back a letter that may combine with the next one; this call makes iconv release it. */
    known = iconv(converter, NULL, NULL, &out, &room) != (size_t)-1 && known && room == 2;
    if (known)
        return (uint16_t)(to[0] << 8 | to[1]);
    return byte < 0xa0 ? byte : CW_UTF8_REPLACEMENT;
}

static void fill_table(cw_charset_decoder *decoder, iconv_t converter)
{
    for (unsigned i = 0; i < 128; i++)
        decoder->table[i] = charset_decode_code_of_byte(converter, (unsigned char)(0x80 + i));
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++)
        if (strcmp(exceptions[i].charset, decoder->charset) == 0)
            decoder->table[exceptions[i].byte - 0x80] = exceptions[i].code;
}

/* Prepares the decoder for an encoding. false: iconv does not know it. */
static bool charset_decode_prepare(cw_charset_decoder *decoder, const encoding *from)
{
    if (decoder->charset && strcmp(decoder->charset, from->name) == 0) {
        if (has_converter(decoder))
            iconv(decoder->converter, NULL, NULL, NULL, NULL);
        return true;
    }
    cw_charset_decoder_close(decoder);
    const char *to = from->multi_byte ? "UTF-8" : "UTF-16BE";
    iconv_t converter = iconv_open(to, from->iconv_name ? from->iconv_name : from->name);
    if (converter == (iconv_t)-1) /* NOLINT(performance-no-int-to-ptr): as POSIX specifies */
        return false;
    decoder->charset = from->name;
    decoder->single_byte = !from->multi_byte;
    decoder->converter = converter;
    if (decoder->single_byte) {
        fill_table(decoder, converter);
        iconv_close(converter);
    }
    return true;
}

/* Returns the code point of a byte that iconv refuses. */
static uint32_t refused_byte(const encoding *from, unsigned char byte)
{
    bool euro = byte == 0x80 && strcmp(from->iconv_name, "GB18030") == 0;
    return euro ? 0x20ac : CW_UTF8_REPLACEMENT;
}

/* Makes iconv release a character that it holds back until it knows the next one: there is no next one. */
static crawl_err charset_decode_release(cw_charset_decoder *decoder, crawl_buf *out)
{
    enum { MOST = 16 };
    crawl_err err = crawl_buf_reserve(out, MOST);
    if (err)
        return err;
    char *to = out->data + out->size;
    size_t room = out->capacity - out->size - 1;
    iconv(decoder->converter, NULL, NULL, &to, &room);
    out->size = (size_t)(to - out->data);
    return CRAWL_OK;
}

/* Returns true if the byte stands for a row of a table of 94 rows. */
static bool is_of_row(unsigned char byte)
{
    return byte >= 0xa1 && byte <= 0xfe;
}

/* Returns the bytes, as far as they exist, of a character that begins with this byte, which must not be ASCII. */
static size_t character_size(const encoding *from, crawl_slice bytes)
{
    unsigned char first = (unsigned char)bytes.data[0];
    unsigned char second = bytes.size > 1 ? (unsigned char)bytes.data[1] : 0;
    size_t size = 2;
    if (first == 0x80 || first == 0xff || strcmp(from->name, "iso-2022-jp") == 0)
        size = 1;
    else if (strcmp(from->name, "shift_jis") == 0)
        size = first > 0xfc || (first >= 0xa0 && first < 0xe0) ? 1 : 2;
    else if (strcmp(from->name, "euc-jp") == 0)
        size = first < 0xa1 && first != 0x8e && first != 0x8f ? 1 : first == 0x8f && is_of_row(second) ? 3 : 2;
    else if (strcmp(from->iconv_name, "GB18030") == 0)
        size = cw_is_digit(second) ? 4 : 2;
    return size < bytes.size ? size : bytes.size;
}

/* Returns the bytes that one U+FFFD replaces where iconv stopped. A byte of ASCII, or one that may begin a character of
 * four bytes, is read again. */
static size_t refused_size(const encoding *from, crawl_slice bytes)
{
    size_t size = character_size(from, bytes);
    unsigned char third = size > 2 ? (unsigned char)bytes.data[2] : 0;
    unsigned char last = (unsigned char)bytes.data[size - 1];
    if (strcmp(from->iconv_name, "GB18030") == 0 && size > 2)
        return size == 4 && third > 0x80 && third < 0xff && cw_is_digit(last) ? 4 : 1;
    return size > 1 && (unsigned char)bytes.data[size - 1] < 0x80 ? size - 1 : size;
}

/* Converts with iconv, and repairs each place where it stopped, until the input is used up. */
static crawl_err convert_by_iconv(cw_charset_decoder *decoder, const encoding *from, crawl_slice bytes, crawl_buf *out)
{
    enum { STEP = 4096 };
    char *at = (char *)bytes.data; /* iconv's type: it writes nothing there */
    size_t left = bytes.size;
    while (left) {
        crawl_err err = crawl_buf_reserve(out, left > STEP ? left : STEP);
        if (err)
            return err;
        char *to = out->data + out->size;
        size_t room = out->capacity - out->size - 1;
        size_t result = iconv(decoder->converter, &at, &left, &to, &room);
        out->size = (size_t)(to - out->data);
        if (result == (size_t)-1 && errno != E2BIG && left) {
            size_t refused = refused_size(from, crawl_slice_of(at, left));
            err = append_code(out, refused_byte(from, (unsigned char)*at));
            at += refused;
            left -= refused;
        }
        if (err)
            return err;
    }
    return charset_decode_release(decoder, out);
}

/* Returns true for a character that iconv has and the standard lacks: 0x80 as itself; in EUC-JP other control
 * characters, and in the last rows those of the user and, a second time, of IBM. */
static bool is_beyond_standard(const encoding *from, uint32_t sequence)
{
    uint32_t row = sequence >> 8 & 0xff;
    if (strcmp(from->name, "euc-jp") != 0)
        return sequence == 0x80 && strcmp(from->name, "shift_jis") != 0 && strcmp(from->iconv_name, "GB18030") != 0;
    return sequence < 0x100 || ((sequence & 0x80) && row >= (sequence > 0xffff ? 0xf3 : 0xf5));
}

/* Leaves to iconv the parts that it decodes as the standard does. */
static crawl_err charset_decode_convert(cw_charset_decoder *decoder, const encoding *from, crawl_slice bytes,
                                        crawl_buf *out)
{
    const cw_charset_differences differences = cw_charset_differences_of(from->name);
    crawl_err err = CRAWL_OK;
    size_t begin = 0;
    for (size_t at = 0, size; differences.count && at < bytes.size && !err; at += size) {
        size = (unsigned char)bytes.data[at] < 0x80 ? 1 : character_size(from, cw_drop(bytes, at));
        uint32_t sequence = 0;
        for (size_t i = 0; i < size; i++)
            sequence = sequence << 8 | (unsigned char)bytes.data[at + i];
        uint16_t code = sequence < 0x80 ? 0 : cw_charset_difference_at(&differences, sequence);
        if (!code && sequence >= 0x80 && is_beyond_standard(from, sequence))
            code = CW_UTF8_REPLACEMENT;
        if (!code)
            continue;
        err = convert_by_iconv(decoder, from, crawl_slice_of(bytes.data + begin, at - begin), out);
        if (!err)
            err = append_code(out, code);
        begin = at + size;
    }
    return err ? err : convert_by_iconv(decoder, from, cw_drop(bytes, begin), out);
}

/* Returns true if an escape sequence of ISO-2022-JP for the characters of JIS X 0208 begins here. */
static bool begins_jis(crawl_slice bytes)
{
    return bytes.size >= 3 && (memcmp(bytes.data, "\x1b$@", 3) == 0 || memcmp(bytes.data, "\x1b$B", 3) == 0);
}

/* Decodes characters of JIS X 0208 as EUC-JP, which has the same ones with the highest bit set: iconv's ISO-2022-JP
 * lacks those of NEC and IBM. */
static crawl_err convert_jis(cw_charset_decoder *decoder, crawl_slice bytes, crawl_buf *high, crawl_buf *out)
{
    static const encoding euc_jp = {"euc-jp", NULL, "EUC-JP-MS", true};
    if (!charset_decode_prepare(decoder, &euc_jp))
        return CRAWL_ENOMEM;
    crawl_buf_clear(high);
    crawl_err err = crawl_buf_append(high, bytes.data, bytes.size);
    for (size_t i = 0; i < bytes.size && !err; i++)
        high->data[i] = (char)((unsigned char)bytes.data[i] > ' ' ? bytes.data[i] | 0x80 : bytes.data[i]);
    return err ? err : charset_decode_convert(decoder, &euc_jp, crawl_buf_slice(high), out);
}

/* Decodes half-width katakana, which iconv's ISO-2022-JP lacks (Encoding Standard, 12.2.1). */
static crawl_err convert_katakana(crawl_slice bytes, crawl_buf *out)
{
    enum { FIRST = 0x21, LAST = 0x5f, FIRST_CODE = 0xff61 };
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < bytes.size && !err; i++) {
        unsigned char byte = (unsigned char)bytes.data[i];
        bool is_one = byte >= FIRST && byte <= LAST;
        err = append_code(out, is_one ? (uint32_t)(FIRST_CODE + byte - FIRST) : CW_UTF8_REPLACEMENT);
    }
    return err;
}

static crawl_err convert_iso_2022_jp(cw_charset_decoder *decoder, const encoding *from, crawl_slice bytes,
                                     crawl_buf *out)
{
    enum { ESCAPE = 3 };
    cw_charset_decoder euc_jp = {0};
    crawl_buf high = {0};
    crawl_err err = CRAWL_OK;
    while (bytes.size && !err) {
        bool is_jis = begins_jis(bytes);
        bool is_kana = cw_starts_with(bytes, "\x1b(I");
        crawl_slice rest = cw_drop(bytes, is_jis || is_kana ? ESCAPE : 1);
        size_t size = cw_find_char(rest, '\x1b');
        crawl_slice part = crawl_slice_of(rest.data, size);
        if (is_jis)
            err = convert_jis(&euc_jp, part, &high, out);
        else if (is_kana)
            err = convert_katakana(part, out);
        else
            err = convert_by_iconv(decoder, from, crawl_slice_of(bytes.data, size + 1), out);
        bytes = cw_drop(rest, size);
    }
    cw_charset_decoder_close(&euc_jp);
    crawl_buf_free(&high);
    return err;
}

static crawl_slice without_mark(const char *charset, crawl_slice bytes)
{
    static const struct {
        const char *charset;
        const char *mark;
    } marks[] = {{"utf-8", "\xef\xbb\xbf"}, {"utf-16le", "\xff\xfe"}, {"utf-16be", "\xfe\xff"}};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t size = strlen(marks[i].mark);
        if (strcmp(charset, marks[i].charset) == 0 && bytes.size >= size &&
            memcmp(bytes.data, marks[i].mark, size) == 0)
            return crawl_slice_of(bytes.data + size, bytes.size - size);
    }
    return bytes;
}

crawl_err cw_charset_decode(cw_charset_decoder *decoder, const char *charset, crawl_slice bytes, crawl_buf *storage,
                            crawl_slice *text)
{
    encoding from = encoding_named(charset);
    bytes = without_mark(charset, bytes);
    if (from.decode == cw_utf8_repair && cw_utf8_valid_prefix(bytes) == bytes.size) {
        *text = bytes;
        return CRAWL_OK;
    }
    crawl_buf_clear(storage);
    crawl_err err;
    if (from.decode)
        err = from.decode(bytes, storage);
    else if (!charset_decode_prepare(decoder, &from))
        err = decode_ascii(bytes, storage);
    else if (decoder->single_byte)
        err = decode_bytes(bytes, storage, decoder->table);
    else if (strcmp(from.name, "iso-2022-jp") == 0)
        err = convert_iso_2022_jp(decoder, &from, bytes, storage);
    else
        err = charset_decode_convert(decoder, &from, bytes, storage);
    if (!err)
        *text = crawl_buf_slice(storage);
    return err;
}

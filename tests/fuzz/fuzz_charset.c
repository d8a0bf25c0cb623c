/* Pages of any bytes as text; the first byte chooses the charset that the transport declares. Besides memory safety,
 * checks that the encoding is a known one, that decoded text is UTF-8 whatever came, that well-formed UTF-8 is
 * recognised, and that a used decoder gives the same text as a new one. */
#include "base/utf8.h"
#include "parse/charset/charset.h"

#include <crawl/links.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const labels[] = {
    "utf-8",        "utf-16le",     "utf-16be",    "windows-1252", "windows-1251",   "windows-1250", "windows-1253",
    "windows-1254", "windows-1255", "windows-874", "iso-8859-2",   "iso-8859-7",     "iso-8859-8-i", "iso-8859-16",
    "koi8-r",       "koi8-u",       "ibm866",      "macintosh",    "x-mac-cyrillic", "gbk",          "gb18030",
    "big5",         "euc-jp",       "shift_jis",   "iso-2022-jp",  "euc-kr",         "replacement",  "x-user-defined",
};

enum { LABELS = sizeof labels / sizeof labels[0] };

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Returns the size of the well-formed sequence at text (Unicode 15, table 3-7). 0: none. */
static size_t sequence(const unsigned char *text, size_t size)
{
    unsigned char c = text[0];
    size_t length = c < 0x80                ? 1
                    : c >= 0xc2 && c < 0xe0 ? 2
                    : c >= 0xe0 && c < 0xf0 ? 3
                    : c >= 0xf0 && c < 0xf5 ? 4
                                            : 0;
    if (!length || length > size)
        return 0;
    unsigned char low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    unsigned char high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    for (size_t i = 1; i < length; i++, low = 0x80, high = 0xbf)
        if (text[i] < low || text[i] > high)
            return 0;
    return length;
}

static size_t valid_prefix(crawl_slice text)
{
    size_t at = 0;
    for (size_t step; at < text.size && (step = sequence((const unsigned char *)text.data + at, text.size - at));
         at += step)
        continue;
    return at;
}

static void check_utf8(crawl_slice bytes)
{
    size_t valid = valid_prefix(bytes);
    require(cw_utf8_valid_prefix(bytes) == valid);
    if (valid == bytes.size)
        require(cw_utf8_plausible(bytes));
}

static void decode(cw_charset_decoder *decoder, const char *charset, crawl_slice bytes, crawl_buf *storage,
                   crawl_slice *text)
{
    require(cw_charset_decode(decoder, charset, bytes, storage, text) == CRAWL_OK);
    require(valid_prefix(*text) == text->size);
    require(text->size <= 4 * bytes.size + 16);
}

static void check_decode(const char *charset, crawl_slice bytes)
{
    cw_charset_decoder used = {0};
    cw_charset_decoder new = {0};
    crawl_buf storage = {0};
    crawl_buf other = {0};
    crawl_slice text;
    crawl_slice again;
    decode(&used, "shift_jis", bytes, &storage, &text);
    decode(&used, charset, bytes, &storage, &text);
    decode(&new, charset, bytes, &other, &again);
    require(crawl_slice_equal(text, again));
    decode(&used, charset, bytes, &storage, &text);
    require(crawl_slice_equal(text, again));
    cw_charset_decoder_close(&used);
    cw_charset_decoder_close(&new);
    crawl_buf_free(&storage);
    crawl_buf_free(&other);
}

static void check_sniff(const char *transport, crawl_slice bytes)
{
    const char *charset = crawl_charset_sniff(bytes, transport);
    require(charset && strcmp(crawl_charset_name(crawl_slice_from(charset)), charset) == 0);
    const char *declared = cw_charset_prescan(bytes);
    require(!declared || strcmp(crawl_charset_name(crawl_slice_from(declared)), declared) == 0);
    check_decode(charset, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crawl_slice bytes = size ? crawl_slice_of((const char *)data + 1, size - 1) : crawl_slice_of("", 0);
    const char *charset = crawl_charset_name(crawl_slice_from(labels[(size ? data[0] : 0) % LABELS]));
    require(charset);
    check_utf8(bytes);
    check_decode(charset, bytes);
    check_sniff(charset, bytes);
    check_sniff(NULL, bytes);
    const char *named = crawl_charset_name(bytes);
    require(!named || strcmp(crawl_charset_name(crawl_slice_from(named)), named) == 0);
    cw_charset_of_meta_content(bytes);
    return 0;
}

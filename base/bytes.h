/* Helpers for bytes and text: numbers and bytes as text, classes of ASCII characters, and functions that cut and
 * compare slices. With these, everything that comes from outside is read piece by piece. A slice without bytes may have
 * no data pointer: all functions here take it. */
#pragma once

#include <crawl/base.h>

/* Writes 2 * size lower-case hexadecimal digits and a NUL. */
void cw_hex_encode(const void *bytes, size_t size, char *out);

/* Appends the bytes that an even number of hexadecimal digits stands for. CRAWL_EPARSE: digits is something else, and
 * out is unchanged. */
crawl_err cw_hex_decode(crawl_slice digits, crawl_buf *out);

/* Writes RFC 4648 base32 without padding: ceil(size * 8 / 5) upper-case digits and a NUL. */
void cw_base32_encode(const void *bytes, size_t size, char *out);

/* The bytes of unpadded base32 in any case, `size` of them. False: there are other digits, or more or fewer bytes. */
bool cw_base32_decode(crawl_slice digits, void *out, size_t size);

/* Appends RFC 4648 base64, padded. CRAWL_ENOMEM. */
crawl_err cw_base64_append(crawl_slice bytes, crawl_buf *out);

/* Value of a hexadecimal digit; -1: none. */
static inline int cw_hex_value(unsigned char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline bool cw_is_alpha(unsigned char c)
{
    c |= 0x20;
    return c >= 'a' && c <= 'z';
}

static inline bool cw_is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static inline bool cw_is_alnum(unsigned char c)
{
    return cw_is_alpha(c) || cw_is_digit(c);
}

/* White space of HTML and of the URL standard: tab, LF, FF, CR, space. */
static inline bool cw_is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

static inline unsigned char cw_lower(unsigned char c)
{
    return c >= 'A' && c <= 'Z' ? (unsigned char)(c | 0x20) : c;
}

/* Copies text, which may be at `to` itself, in lower case, and puts a NUL after it. */
void cw_copy_lower(char *to, crawl_slice text);

/* Makes a buffer lower case. */
void cw_buf_lower(crawl_buf *buf);

/* Appends text in lower case. CRAWL_ENOMEM. */
crawl_err cw_append_lower(crawl_buf *out, crawl_slice text);

/* Empties a buffer; of more than `most` bytes, its memory is given back. */
void cw_buf_trim(crawl_buf *buf, size_t most);

/* Writes the lowest bytes of a number, the lowest first. Returns where they end. */
static inline char *cw_le_put(char *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        *at++ = (char)(value >> (8 * i));
    return at;
}

/* Reads a number of `bytes` bytes (8 at most), the lowest first. Moves *at behind them. */
static inline uint64_t cw_le_get(const char **at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)(unsigned char)*(*at)++ << (8 * i);
    return value;
}

/* Decodes the base64 digits that text begins with: writes 3 bytes to `out` for each 4 of them, and 2 or 1 for the last
 * 3 or 2, which *size counts. Returns how many digits there were. others: see cw_base64_value. */
size_t cw_base64_decode(crawl_slice text, const char others[2], void *out, size_t *size);

/* Value of a digit of base64 (RFC 4648), where `others` has those for 62 and 63: "+/", or "-_" in URLs. -1: none. */
static inline int cw_base64_value(unsigned char c, const char others[2])
{
    if (cw_is_alpha(c))
        return c >= 'a' ? c - 'a' + 26 : c - 'A';
    if (cw_is_digit(c))
        return c - '0' + 52;
    return c == (unsigned char)others[0] ? 62 : c == (unsigned char)others[1] ? 63 : -1;
}

/* FNV-1a, of 32 bits: no hash against strangers who choose the bytes. */
static inline uint32_t cw_fnv1a(crawl_slice bytes)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < bytes.size; i++)
        hash = (hash ^ (uint8_t)bytes.data[i]) * 16777619u;
    return hash;
}

/* --- comparing --- */

static inline int64_t cw_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t cw_most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* As memcmp; a text goes before those that begin with it. */
int cw_compare(crawl_slice a, crawl_slice b);

/* Does the part stand somewhere in text, in upper or lower case? */
bool cw_has_nocase(crawl_slice text, crawl_slice part);

static inline bool cw_starts_with(crawl_slice text, const char *start)
{
    size_t size = strlen(start);
    return text.size >= size && (size == 0 || memcmp(text.data, start, size) == 0);
}

/* Does text begin with these bytes? */
static inline bool cw_begins(crawl_slice text, crawl_slice start)
{
    return text.size >= start.size && (start.size == 0 || memcmp(text.data, start.data, start.size) == 0);
}

static inline bool cw_ends_with(crawl_slice text, const char *end)
{
    size_t size = strlen(end);
    return text.size >= size && (size == 0 || memcmp(text.data + text.size - size, end, size) == 0);
}

/* Is the whole text equal to word? */
static inline bool cw_is(crawl_slice text, const char *word)
{
    return crawl_slice_equal(text, crawl_slice_from(word));
}

/* Are both equal if ASCII case is ignored? */
bool cw_equal_nocase(crawl_slice a, crawl_slice b);

/* The same for a word. Most texts are another one by their first byte already, and the others have the case of the
 * word: both are found out without a call. */
static inline bool cw_is_nocase(crawl_slice text, const char *word)
{
    const unsigned case_bit = 0x20;
    if (!text.size || ((unsigned char)(*text.data ^ *word) & ~case_bit))
        return !text.size && !*word;
    crawl_slice wanted = crawl_slice_from(word);
    return text.size == wanted.size && (crawl_slice_equal(text, wanted) || cw_equal_nocase(text, wanted));
}

static inline bool cw_starts_nocase(crawl_slice text, const char *start)
{
    size_t size = strlen(start);
    return text.size >= size && cw_is_nocase(crawl_slice_of(text.data, size), start);
}

/* Is text, in any case, this one, which is in lower case and of the same size? */
static inline bool cw_has_letters(crawl_slice text, const char *lower)
{
    for (size_t i = 0; i < text.size; i++)
        if (cw_lower((unsigned char)text.data[i]) != (unsigned char)lower[i])
            return false;
    return true;
}

/* Is host this domain, or a name below it, in any case? Without a dot at their ends. */
bool cw_is_in_domain(crawl_slice host, crawl_slice domain);

/* Is text, in any case, one of these words? */
bool cw_is_among(crawl_slice text, const char *const *words, size_t count);

/* --- cutting --- */

/* text without its first size bytes. text must have that many. */
static inline crawl_slice cw_drop(crawl_slice text, size_t size)
{
    return size ? crawl_slice_of(text.data + size, text.size - size) : text;
}

/* Removes size bytes from the front of *rest, which must have that many, and returns them. */
static inline crawl_slice cw_take(crawl_slice *rest, size_t size)
{
    crawl_slice taken = crawl_slice_of(rest->data, size);
    *rest = cw_drop(*rest, size);
    return taken;
}

/* Removes this text from the front of *rest. False: *rest does not begin with it, and is unchanged. */
static inline bool cw_take_text(crawl_slice *rest, const char *text)
{
    bool there = cw_starts_with(*rest, text);
    *rest = there ? cw_drop(*rest, strlen(text)) : *rest;
    return there;
}

/* The first and the last place of c; text.size: there is none. */
static inline size_t cw_find_char(crawl_slice text, char c)
{
    const char *found = text.size ? (const char *)memchr(text.data, c, text.size) : NULL;
    return found ? (size_t)(found - text.data) : text.size;
}

size_t cw_find_last(crawl_slice text, char c);

/* The first place of this text; text.size: there is none. */
static inline size_t cw_find_text(crawl_slice text, const char *wanted)
{
    const char *found = text.size ? (const char *)memmem(text.data, text.size, wanted, strlen(wanted)) : NULL;
    return found ? (size_t)(found - text.data) : text.size;
}

/* The first place of any of these bytes; text.size: there is none. */
size_t cw_find_any(crawl_slice text, const char *bytes);

/* The port number of digits, which may begin with zeros: 0 to 65535. -1: they are empty, or something else. */
int32_t cw_port_of(crawl_slice digits);

/* How many digits text begins with. */
size_t cw_count_digits(crawl_slice text);

/* Removes the text before the first c, and c itself, from the front of *rest and returns the text; everything if there
 * is no c. */
static inline crawl_slice cw_cut(crawl_slice *rest, char c)
{
    crawl_slice before = cw_take(rest, cw_find_char(*rest, c));
    *rest = cw_drop(*rest, rest->size > 0);
    return before;
}

/* Removes the first line from *rest and returns it without its line end. */
static inline crawl_slice cw_cut_line(crawl_slice *rest)
{
    return cw_cut(rest, '\n');
}

/* Removes the next word from the front of *rest, with the white space before it (and commas, if they separate too), and
 * returns it. Size 0: there is none left. */
crawl_slice cw_take_word(crawl_slice *rest, bool commas);

/* Is one of the words that cw_take_word takes off a list this one, in any case? */
bool cw_has_word(crawl_slice list, crawl_slice word, bool commas);

/* The text without the white space around it; the text without the white space before it. */
crawl_slice cw_trim(crawl_slice text);
crawl_slice cw_trim_start(crawl_slice text);

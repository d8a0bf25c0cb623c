/* Helpers for bytes and text: numbers and bytes as text, classes of ASCII characters, and functions that cut and
 * compare slices. All outside input is parsed piece by piece with these. An empty slice may have no data pointer: every
 * function here accepts that. */
#pragma once

#include <crawl/base.h>

/* Writes 2 * size lower-case hexadecimal digits and a NUL. */
void cw_hex_encode(const void *bytes, size_t size, char *out);

/* Appends the bytes encoded by an even number of hexadecimal digits. CRAWL_EPARSE: digits is something else, and out is
 * unchanged. */
crawl_err cw_hex_decode(crawl_slice digits, crawl_buf *out);

/* Writes RFC 4648 base32 without padding: ceil(size * 8 / 5) upper-case digits and a NUL. */
void cw_base32_encode(const void *bytes, size_t size, char *out);

/* Decodes unpadded base32 in any case into `size` bytes. False: invalid digits, or a different number of bytes. */
bool cw_base32_decode(crawl_slice digits, void *out, size_t size);

/* Appends RFC 4648 base64, padded. CRAWL_ENOMEM. */
crawl_err cw_base64_append(crawl_slice bytes, crawl_buf *out);

/* Returns the value of a hexadecimal digit; -1: not one. */
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

/* Returns true for white space of HTML and of the URL standard: tab, LF, FF, CR, space. */
static inline bool cw_is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

static inline unsigned char cw_lower(unsigned char c)
{
    return c >= 'A' && c <= 'Z' ? (unsigned char)(c | 0x20) : c;
}

/* Copies text, which may start at `to` itself, in lower case and appends a NUL. */
void cw_copy_lower(char *to, crawl_slice text);

/* Converts a buffer to lower case. */
void cw_buf_lower(crawl_buf *buf);

/* Drops each NUL from a buffer. */
void cw_buf_drop_nuls(crawl_buf *buf);

/* Appends text in lower case. CRAWL_ENOMEM. */
crawl_err cw_append_lower(crawl_buf *out, crawl_slice text);

/* Empties a buffer, and frees its memory if that is more than `most` bytes. */
void cw_buf_trim(crawl_buf *buf, size_t most);

/* Writes the lowest `bytes` bytes of a number, little-endian. Returns the end. */
static inline char *cw_le_put(char *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        *at++ = (char)(value >> (8 * i));
    return at;
}

/* Reads a little-endian number of at most 8 bytes and advances *at. */
static inline uint64_t cw_le_get(const char **at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)(unsigned char)*(*at)++ << (8 * i);
    return value;
}

/* Decodes the base64 digits at the start of text: writes 3 bytes to `out` for each 4 digits, and 2 or 1 for the last 3
 * or 2. *size is the number of bytes. Returns the number of digits. others: see cw_base64_value. */
size_t cw_base64_decode(crawl_slice text, const char others[2], void *out, size_t *size);

/* Returns the value of a base64 digit (RFC 4648). `others` are the digits for 62 and 63: "+/", or "-_" in URLs. -1: not
 * one. */
static inline int cw_base64_value(unsigned char c, const char others[2])
{
    if (cw_is_alpha(c))
        return c >= 'a' ? c - 'a' + 26 : c - 'A';
    if (cw_is_digit(c))
        return c - '0' + 52;
    return c == (unsigned char)others[0] ? 62 : c == (unsigned char)others[1] ? 63 : -1;
}

/* FNV-1a, 32 bits: not for keys that strangers choose. */
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

/* Compares like memcmp; a prefix precedes longer texts. */
int cw_compare(crawl_slice a, crawl_slice b);

/* Returns true if part occurs in text, ignoring case. */
bool cw_has_nocase(crawl_slice text, crawl_slice part);

static inline bool cw_starts_with(crawl_slice text, const char *start)
{
    size_t size = strlen(start);
    return text.size >= size && (size == 0 || memcmp(text.data, start, size) == 0);
}

/* Returns true if text begins with these bytes. */
static inline bool cw_begins(crawl_slice text, crawl_slice start)
{
    return text.size >= start.size && (start.size == 0 || memcmp(text.data, start.data, start.size) == 0);
}

static inline bool cw_ends_with(crawl_slice text, const char *end)
{
    size_t size = strlen(end);
    return text.size >= size && (size == 0 || memcmp(text.data + text.size - size, end, size) == 0);
}

/* Returns true if text equals word. */
static inline bool cw_is(crawl_slice text, const char *word)
{
    return crawl_slice_equal(text, crawl_slice_from(word));
}

/* Returns true if both are equal, ignoring ASCII case. */
bool cw_equal_nocase(crawl_slice a, crawl_slice b);

/* As cw_equal_nocase, for a word. Most texts differ from it in their first byte, and most others have the same case:
 * both are detected without a call. */
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

/* Returns true if text, ignoring case, equals a lower-case text of the same size. */
static inline bool cw_has_letters(crawl_slice text, const char *lower)
{
    for (size_t i = 0; i < text.size; i++)
        if (cw_lower((unsigned char)text.data[i]) != (unsigned char)lower[i])
            return false;
    return true;
}

/* Returns true if host is this domain or a name below it, ignoring case. Neither ends with a dot. */
bool cw_is_in_domain(crawl_slice host, crawl_slice domain);

/* Returns true if text, ignoring case, is one of these words. */
bool cw_is_among(crawl_slice text, const char *const *words, size_t count);

/* --- cutting --- */

/* Returns text without its first size bytes, which must exist. */
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

/* Removes this text from the front of *rest. False: *rest does not begin with it and is unchanged. */
static inline bool cw_take_text(crawl_slice *rest, const char *text)
{
    bool there = cw_starts_with(*rest, text);
    *rest = there ? cw_drop(*rest, strlen(text)) : *rest;
    return there;
}

/* Return the first and the last index of c; text.size: not found. */
static inline size_t cw_find_char(crawl_slice text, char c)
{
    const char *found = text.size ? (const char *)memchr(text.data, c, text.size) : NULL;
    return found ? (size_t)(found - text.data) : text.size;
}

size_t cw_find_last(crawl_slice text, char c);

/* Returns the index of this text; text.size: not found. */
static inline size_t cw_find_text(crawl_slice text, const char *wanted)
{
    const char *found = text.size ? (const char *)memmem(text.data, text.size, wanted, strlen(wanted)) : NULL;
    return found ? (size_t)(found - text.data) : text.size;
}

/* Returns the index of the first of these bytes; text.size: not found. */
size_t cw_find_any(crawl_slice text, const char *bytes);

/* Parses a port number, leading zeros allowed: 0 to 65535. -1: empty, or something else. */
int32_t cw_port_of(crawl_slice digits);

/* Returns the number of digits at the start of text. */
size_t cw_count_digits(crawl_slice text);

/* Removes the ASCII letters at the front of *rest and returns them. */
crawl_slice cw_take_letters(crawl_slice *rest);

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
 * returns it. Size 0: no more words. */
crawl_slice cw_take_word(crawl_slice *rest, bool commas);

/* Returns true if a list, split as by cw_take_word, contains this word, ignoring case. */
bool cw_has_word(crawl_slice list, crawl_slice word, bool commas);

/* Return the text without surrounding white space, and without leading white space. */
crawl_slice cw_trim(crawl_slice text);
crawl_slice cw_trim_start(crawl_slice text);

/* As cw_trim, and without surrounding no-break spaces. */
crawl_slice cw_trim_blanks(crawl_slice text);

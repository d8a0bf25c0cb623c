/* See robots_pattern.h. A pattern is a list of literal pieces between wildcards. Taking each piece where it occurs
 * first leaves the most room for those behind it, so that nothing is ever tried twice. */
#include "parse/robots/robots_pattern.h"

#include "base/bytes.h"

enum { E, U, R }; /* to be escaped, unreserved, reserved (RFC 3986, 2.2 and 2.3) */

static const unsigned char classes[128] = {
    E, E, E, E, E, E, E, E, E, E, E, E, E, E, E, E, /* 00 */
    E, E, E, E, E, E, E, E, E, E, E, E, E, E, E, E, /* 10 */
    E, R, E, R, R, E, R, R, R, R, R, R, R, U, U, R, /* 20  !"#$%&'()*+,-./ */
    U, U, U, U, U, U, U, U, U, U, R, R, E, R, E, R, /* 30 0123456789:;<=>? */
    R, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, /* 40 @ABCDEFGHIJKLMNO */
    U, U, U, U, U, U, U, U, U, U, U, R, E, R, E, U, /* 50 PQRSTUVWXYZ[\]^_ */
    E, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, /* 60 `abcdefghijklmno */
    U, U, U, U, U, U, U, U, U, U, U, E, E, E, U, E, /* 70 pqrstuvwxyz{|}~  */
};

static int class_of(unsigned char c)
{
    return c < sizeof classes ? classes[c] : E;
}

static char *put_escape(char *out, unsigned char c)
{
    static const char digits[] = "0123456789ABCDEF";
    *out++ = '%';
    *out++ = digits[c >> 4];
    *out++ = digits[c & 15];
    return out;
}

static char *put_byte(char *out, unsigned char c, bool pattern)
{
    bool special = c == '$' || (c == '*' && !pattern);
    if (special || class_of(c) == E)
        return put_escape(out, c);
    *out++ = (char)c;
    return out;
}

/* The byte that the escape at text stands for; -1: there is none. */
static int escaped_byte(const char *text, size_t size)
{
    if (size < 3 || text[0] != '%')
        return -1;
    int high = cw_hex_value((unsigned char)text[1]);
    int low = cw_hex_value((unsigned char)text[2]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

size_t cw_robots_normalize(crawl_slice path, bool pattern, char *out)
{
    char *at = out;
    for (size_t i = 0; i < path.size; i++) {
        int byte = escaped_byte(path.data + i, path.size - i);
        if (byte < 0) {
            at = put_byte(at, (unsigned char)path.data[i], pattern);
            continue;
        }
        i += 2;
        if (class_of((unsigned char)byte) == U)
            *at++ = (char)byte;
        else
            at = put_escape(at, (unsigned char)byte);
    }
    return (size_t)(at - out);
}

static bool starts_with(crawl_slice text, crawl_slice start)
{
    return text.size >= start.size && (!start.size || memcmp(text.data, start.data, start.size) == 0);
}

static bool ends_with(crawl_slice text, crawl_slice end)
{
    return text.size >= end.size && (!end.size || memcmp(text.data + text.size - end.size, end.data, end.size) == 0);
}

static crawl_slice skip(crawl_slice text, size_t size)
{
    return size ? crawl_slice_of(text.data + size, text.size - size) : text;
}

/* Takes the piece before the next wildcard, and the wildcard, off the front. false: no wildcard, the piece is the
 * last. */
static bool take_piece(crawl_slice *pattern, crawl_slice *piece)
{
    const char *star = pattern->size ? memchr(pattern->data, '*', pattern->size) : NULL;
    *piece = *pattern;
    if (!star)
        return false;
    piece->size = (size_t)(star - pattern->data);
    *pattern = skip(*pattern, piece->size + 1);
    return true;
}

/* Takes everything up to the end of the first occurrence of piece off the front. */
static bool take_through(crawl_slice *path, crawl_slice piece)
{
    if (!piece.size)
        return true;
    const char *found = path->size ? memmem(path->data, path->size, piece.data, piece.size) : NULL;
    if (!found)
        return false;
    *path = skip(*path, (size_t)(found - path->data) + piece.size);
    return true;
}

bool cw_robots_match(crawl_slice pattern, bool anchored, crawl_slice path)
{
    crawl_slice piece;
    bool more = take_piece(&pattern, &piece);
    if (!starts_with(path, piece))
        return false;
    path = skip(path, piece.size);
    if (!more)
        return !anchored || !path.size;
    while (take_piece(&pattern, &piece))
        if (!take_through(&path, piece))
            return false;
    return anchored ? ends_with(path, piece) : take_through(&path, piece);
}

/* Normalizes patterns and paths of robots.txt, so that they can be compared, and matches them. A pattern is a list of
 * literal pieces between wildcards. Each piece is matched at its first occurrence, which leaves the most room for the
 * pieces after it, so that the matcher never backtracks. */
#include "parse/robots/robots_private.h"

#include "base/bytes.h"
#include "base/text/percent.h"

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

static int robots_pattern_class_of(unsigned char c)
{
    return c < sizeof classes ? classes[c] : E;
}

size_t cw_robots_normalize(crawl_slice path, bool pattern, char *out)
{
    char *to = out;
    const char *end = path.data + path.size;
    for (const char *at = path.data; at < end;) {
        int value = cw_percent_value(at, end);
        unsigned char c = value < 0 ? (unsigned char)*at : (unsigned char)value;
        bool special = c == '$' || (c == '*' && !pattern);
        bool stays = value < 0 ? !special && robots_pattern_class_of(c) != E : robots_pattern_class_of(c) == U;
        at += value < 0 ? 1 : 3;
        if (stays)
            *to++ = (char)c;
        else
            to = cw_percent_escape(to, c);
    }
    return (size_t)(to - out);
}

/* Removes everything up to the end of the first occurrence of piece from the front of path. false: it does not
 * occur. */
static bool take_through(crawl_slice *path, crawl_slice piece)
{
    const char *found = piece.size && path->size ? memmem(path->data, path->size, piece.data, piece.size) : NULL;
    if (found)
        *path = cw_drop(*path, (size_t)(found - path->data) + piece.size);
    return found || !piece.size;
}

bool cw_robots_match(crawl_slice pattern, bool anchored, crawl_slice path)
{
    size_t wild = cw_find_char(pattern, '*');
    bool more = wild < pattern.size;
    crawl_slice piece = crawl_slice_of(pattern.data, wild);
    if (path.size < piece.size || !crawl_slice_equal(crawl_slice_of(path.data, piece.size), piece))
        return false;
    path = cw_drop(path, piece.size);
    if (!more)
        return !anchored || !path.size;
    pattern = cw_drop(pattern, wild + 1);
    while (cw_find_char(pattern, '*') < pattern.size)
        if (!take_through(&path, cw_cut(&pattern, '*')))
            return false;
    if (!anchored)
        return take_through(&path, pattern);
    return path.size >= pattern.size && crawl_slice_equal(cw_drop(path, path.size - pattern.size), pattern);
}

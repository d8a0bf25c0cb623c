/* Paths of rules and of URLs in the one form in which they are compared (RFC 9309, 2.2.2 and 2.2.3). */
#ifndef CW_ROBOTS_PATTERN_H
#define CW_ROBOTS_PATTERN_H

#include <crawl/base.h>

/* Writes at most 3 * path.size bytes to out and returns how many. Escapes of unreserved bytes (RFC 3986, 2.3) are
 * decoded and other escapes upper-cased; reserved bytes stay as they stand, escaped or not, but for "*" and "$", which
 * are escaped, so that a rule can name them as %2A and %24; everything else is escaped. pattern: "*" stays, as the
 * wildcard. */
size_t cw_robots_normalize(crawl_slice path, bool pattern, char *out);

/* Does the pattern (normalized, without its "$") match the path (normalized) from its beginning, or, anchored, as a
 * whole? "*" stands for any bytes. Linear: O(pattern + path). */
bool cw_robots_match(crawl_slice pattern, bool anchored, crawl_slice path);

#endif

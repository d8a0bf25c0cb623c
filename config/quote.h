/* Values in double quotes, for texts that an INI file could not hold otherwise: white space at the ends, " ;", " # ",
 * control characters, an empty item, and lines longer than the parser accepts. Escapes are \\ \" \n \r \t and \xHH.
 * If a backslash follows the closing quote, the value continues on the next, indented line: "first" \ */
#pragma once

#include <crawl/base.h>

/* Appends the text of value: its bytes, or the content of its quotes, which a comment may follow. *more: it continues
 * on the next line. CRAWL_EPARSE: *why says what is wrong, and *where at which byte of value; out may hold a part of
 * the text. CRAWL_ENOMEM. */
crawl_err cw_config_unquote(crawl_slice value, crawl_buf *out, bool *more, const char **why, size_t *where);

/* Returns where a "#" stands alone in value, like the start of a comment; value.size: nowhere. A file has such a value
 * in quotes, since a comment behind a value begins with " ;". */
size_t cw_config_find_hash(crawl_slice value);

/* Appends value for a file with lines of at most `line` bytes (32 and up), of which `used` are taken in the first line:
 * unquoted if possible, otherwise in quotes. */
crawl_err cw_config_quote(crawl_slice value, size_t used, size_t line, crawl_buf *out);

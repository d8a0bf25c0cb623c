/* Values in double quotes, for what an INI file cannot say otherwise: white space at the ends, " ;", control
 * characters, an empty item, and lines longer than the parser takes. Escapes are \\ \" \n \r \t and \xHH.
 * A closing quote followed by a backslash goes on in the next, indented line: "first" \ */
#ifndef CW_CONFIG_QUOTE_H
#define CW_CONFIG_QUOTE_H

#include <crawl/base.h>

/* Appends the text that value stands for: its bytes, or the inside of its quotes. *more: it goes on in the next line.
 * CRAWL_EPARSE: *why says what is wrong, *where at which byte of value; out holds some of the text. CRAWL_ENOMEM. */
crawl_err cw_config_unquote(crawl_slice value, crawl_buf *out, bool *more, const char **why, size_t *where);

/* Appends value as a file can hold it in lines of at most `line` bytes (32 and up) of which `used` are taken in the
 * first: as it is where it can be, otherwise in quotes. */
crawl_err cw_config_quote(crawl_slice value, size_t used, size_t line, crawl_buf *out);

#endif

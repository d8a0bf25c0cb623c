/* Is text well-formed UTF-8? At the speed of reading it, since every page is asked. */
#ifndef CW_CHARSET_UTF8_H
#define CW_CHARSET_UTF8_H

#include <crawl/base.h>

/* How many bytes at the start of text are well-formed UTF-8 (Unicode 15, table 3-7); text.size: all of them. */
size_t cw_utf8_valid_prefix(crawl_slice text);

/* True if text is well-formed but for a last sequence that may have been cut off. */
bool cw_utf8_plausible(crawl_slice text);

#endif

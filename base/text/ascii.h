/* How far a text is ASCII: pages are read to their ends for this, and consist mostly of it. All implementations say the
 * same; the widest that the processor has is chosen when the program runs. */
#ifndef CW_ASCII_H
#define CW_ASCII_H

#include <crawl/base.h>

/* How many bytes at the start of text are below 0x80. */
size_t cw_ascii_prefix(crawl_slice text);

/* The implementation for any processor. */
size_t cw_ascii_prefix_portably(crawl_slice text);

#endif

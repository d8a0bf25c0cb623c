/* The encoding that a page declares in its first bytes (HTML standard, 13.2.3.2 "prescan a byte stream to determine its
 * encoding" and "get an XML encoding"). */
#ifndef CW_CHARSET_PRESCAN_H
#define CW_CHARSET_PRESCAN_H

#include <crawl/base.h>

/* How many bytes a declaration must stand in: the standard's figure. */
#define CW_PRESCAN_BYTES 1024u

/* Only the first CW_PRESCAN_BYTES of html count. A WHATWG name, static; NULL: none is declared. */
const char *cw_charset_prescan(crawl_slice html);

/* The encoding named by the value of a <meta content> (HTML standard, 2.5.3 "extracting a character encoding from a
 * meta element"); NULL: none. */
const char *cw_charset_of_meta_content(crawl_slice content);

#endif

/* The rules by which web archives make the key of a URL, one function each; canonical_surt.c puts them together. */
#ifndef CW_CANONICAL_SURT_H
#define CW_CANONICAL_SURT_H

#include "parse/canonical/archive_url.h"

/* Splits text that need not be a whole URL: white space around it goes, and "http://" is put before one without a
 * scheme. */
crawl_err cw_archive_read(crawl_slice text, cw_archive_url *url);

/* The canonical form of Google Safe Browsing, with port and query kept: no fragment, escapes decoded until none is left
 * and then what is not printable escaped again, host in lower case and without extra dots, IPv4 addresses written out,
 * path without dot segments and repeated slashes. */
crawl_err cw_archive_google(cw_archive_url *url);

/* The rules of the Internet Archive: no user information and no default port, host without "www.", path and query in
 * lower case, session ids and the last "/" of a path left out, parameters sorted. */
crawl_err cw_archive_ia(cw_archive_url *url);

/* The rules one by one; each changes the text in place. */
void cw_archive_unescape_repeatedly(crawl_buf *text);
void cw_archive_massage_host(crawl_buf *host);
void cw_archive_strip_path_session(crawl_buf *path);
crawl_err cw_archive_sort_query(crawl_buf *query);

#endif

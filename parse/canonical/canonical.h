/* The profiles beside the default one, by file: of any text, which need be no URL. Errors leave what was appended to
 * the caller. */
#ifndef CW_CANONICAL_H
#define CW_CANONICAL_H

#include <crawl/url.h>

/* canonical_w3lib.c */
crawl_err cw_canonical_w3lib(crawl_slice text, const crawl_canonical_options *options, crawl_buf *out);
/* canonical_surt.c */
crawl_err cw_canonical_surt(crawl_slice text, crawl_buf *out);

#endif

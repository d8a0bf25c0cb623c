/* Finds files by their paths, and answers in an index. */
#ifndef CW_LOOKUP_H
#define CW_LOOKUP_H

#include <crawl/base.h>

/* The name behind the last slash. */
const char *cw_lookup_name(const char *path);

/* Opens and maps a file. CRAWL_EIO, CRAWL_EINVAL: error names it. */
crawl_err cw_lookup_map(const char *path, crawl_slice *out, crawl_error *error);

/* Do sorted lines of an index have this URL at this time (empty: at any), to the second? original: in a record that is
 * no revisit. CRAWL_ENOMEM. */
crawl_err cw_lookup_answer(crawl_slice lines, crawl_slice url, crawl_slice date, bool original, bool *found);

#endif

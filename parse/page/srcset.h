/* The URLs of a srcset attribute: HTML standard, 4.8.4.3.10 "parsing a srcset attribute". */
#ifndef CW_SRCSET_H
#define CW_SRCSET_H

#include <crawl/base.h>

/* Takes the next image candidate off the front of *rest; *url, part of it, is its URL as it stands. False: there is
 * none left. What a candidate's descriptors say is stepped over and not judged. */
bool cw_srcset_next(crawl_slice *rest, crawl_slice *url);

#endif

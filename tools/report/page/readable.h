/* URLs for people to read: "/%C3%BCber" as "/über". */
#ifndef CW_SURVEY_READABLE_H
#define CW_SURVEY_READABLE_H

#include <crawl/base.h>

/* Appends a URL with its escapes decoded where they are letters, marks and digits beyond ASCII. All others stay: what
 * ASCII they escape may mean another URL, and characters of other kinds may not be seen. CRAWL_ENOMEM. */
crawl_err cw_survey_readable(crawl_slice url, crawl_buf *out);

#endif

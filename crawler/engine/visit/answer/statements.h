/* Puts into a record what was said of the use of its page (<crawl/preferences.h>): by the robots.txt that was in force,
 * by the headers of the answer, and by the page. Most pages say nothing, and cost a look at the names of their headers.
 */
#ifndef CW_VISIT_STATEMENTS_H
#define CW_VISIT_STATEMENTS_H

#include "crawler/engine/visit/answer/reading.h"

/* Fills record.preferences, borrowed from the reading, and the uses refused and granted. page NULL: none was parsed. */
void cw_visit_statements_read(cw_visit_reading *reading, const crawl_page *page);

/* With politeness.respect: decides whether the answer is withheld, before anybody is shown it (visit->withheld). That
 * takes a parse of the page of its own, whose result is not kept. */
void cw_visit_statements_judge(cw_visit *visit, const crawl_response *response);

#endif

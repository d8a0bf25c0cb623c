/* Whether what came of a visit is kept: recorded, archived, its body written (crawl_record.left_out). */
#ifndef CW_VISIT_KEEPING_H
#define CW_VISIT_KEEPING_H

#include "crawler/engine/visit/maker.h"

/* By the visit's URL and the answer's media type; of a request without an answer, which is of no type, NULL. A 304
 * names no type, and confirms an answer that was judged: what held for that one holds. Sets visit->is_kept. */
void cw_visit_keeping_judge(cw_visit *visit, const crawl_response *response);

#endif

/* Whether the outcome of a visit is kept: recorded, archived, its body written (crawl_record.left_out). */
#ifndef CW_VISIT_KEEPING_H
#define CW_VISIT_KEEPING_H

#include "crawler/engine/visit/maker.h"

/* Judges by the visit's URL and the answer's media type, and sets visit->is_kept. response: NULL for a request without
 * an answer, which has no type. A 304 names no type, and confirms an earlier answer: the verdict on that one holds. */
void cw_visit_keeping_judge(cw_visit *visit, const crawl_response *response);

#endif

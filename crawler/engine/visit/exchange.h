/* What on_depart and on_exchange are shown. */
#ifndef CW_EXCHANGE_H
#define CW_EXCHANGE_H

#include "crawler/engine/visit/visit.h"

/* False: the hook has failed, and the request must not
 * leave. */
bool cw_exchange_departs(const cw_visit *visit);
void cw_exchange_ended(const cw_visit *visit, const crawl_response *response, int64_t retry_after_us,
                       const cw_pacer_effect *effect);

#endif

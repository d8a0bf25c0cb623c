/* The visit of a part: what a page in the browser asks for (render/renders.h). It obeys all that holds for requests,
 * makes no record, and is tried once: its answer, whatever it is, is the page's. */
#ifndef CW_VISIT_PART_VISIT_H
#define CW_VISIT_PART_VISIT_H

#include "crawler/engine/tags.h"
#include "crawler/engine/visit/maker.h"

/* Is the visit one? */
static inline bool cw_visit_part_is(const cw_visit *visit)
{
    return visit->lease.tag & CW_ENGINE_TAG_PART;
}

/* Does its page still wait for it? */
bool cw_visit_part_is_wanted(const cw_visit *visit);
/* Asks; the request may be sent. */
void cw_visit_part_ask(cw_visit *visit);
/* The page gets no answer. */
void cw_visit_part_refuse(cw_visit *visit);
/* The page gets a redirect to https, since the host wants it. */
void cw_visit_part_upgrade(cw_visit *visit);

#endif

/* A page that was rendered, in place of the page in its answer. Its frames are documents of their own, whose links are
 * its links; so are the places where its scripts would have gone. */
#ifndef CW_VISIT_RENDERED_H
#define CW_VISIT_RENDERED_H

#include "crawler/engine/visit/answer/reading.h"

/* Sets the document that is to be read, and what the record has of its rendering. */
void cw_visit_rendered_begin(cw_visit_reading *reading);
/* The links that stand outside of the page's own document. They last until cw_visit_rendered_stop. */
void cw_visit_rendered_list(cw_visit_reading *reading, cw_links_list *list);
void cw_visit_rendered_stop(cw_visit_reading *reading);

#endif

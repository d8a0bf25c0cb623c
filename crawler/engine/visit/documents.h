/* What a complete answer holds that leads on. */
#ifndef CW_DOCUMENTS_H
#define CW_DOCUMENTS_H

#include "crawler/engine/visit/visit.h"

/* Fills in what the document of a complete answer and its headers say, and follows where they lead. */
void cw_document_read(cw_visit *visit, const crawl_response *response, crawl_record *record);

#endif

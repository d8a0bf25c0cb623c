#include "crawler/engine/visit/preprocess/preprocess_document.h"

#include <stdlib.h>

void cw_visit_preprocess_document_free(cw_visit_document *document)
{
    if (!document)
        return;
    crawl_buf_free(&document->result.page);
    free(document);
}

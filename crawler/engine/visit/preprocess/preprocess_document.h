/* A document that another program turns into a page. */
#pragma once

#include "base/convert.h"

#include <stdlib.h>
#include <sys/queue.h>

struct event;

typedef struct cw_visit_document {
    struct cw_visit *visit;
    char *const *command;
    cw_convert program;
    struct event *ended;                 /* NULL: the program is not running */
    cw_converted result;                 /* outcome NULL: none yet */
    TAILQ_ENTRY(cw_visit_document) link; /* among those that wait, or run */
} cw_visit_document;

/* NULL is allowed. */
static inline void cw_visit_preprocess_document_free(cw_visit_document *document)
{
    if (!document)
        return;
    crawl_buf_free(&document->result.page);
    free(document);
}

/* The commands that make pages of documents (parse.preprocess). Immutable. */
#ifndef CW_VISIT_PREPROCESSORS_H
#define CW_VISIT_PREPROCESSORS_H

#include <crawl/config.h>

typedef struct cw_visit_preprocessors cw_visit_preprocessors;

/* *out is NULL where there are none. With parse.pdf, crawl-pdf is one of them unless another is named for PDFs.
 * CRAWL_EINVAL: a program is not there; error says which. CRAWL_ENOMEM. */
crawl_err cw_visit_preprocessors_create(const crawl_config *config, cw_visit_preprocessors **out, crawl_error *error);
void cw_visit_preprocessors_free(cw_visit_preprocessors *all);

/* The words of the command for a document, by its media type, or as a PDF that is said to be any bytes. NULL: there is
 * none. */
char *const *cw_visit_preprocessors_find(const cw_visit_preprocessors *all, crawl_slice type, crawl_slice body);

#endif

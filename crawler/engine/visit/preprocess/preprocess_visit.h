/* Visits whose documents other programs make pages of (parse.preprocess, base/convert.h): which ones, and their way
 * there and back. Each thread has as many programs run as there are processors for it; further documents wait, and
 * while many do, no more pages are asked for. Meanwhile the visit's lease is parked, as that of a page in the browser
 * is, unless processes share the crawl: these give a host back of which nothing else is leased. */
#pragma once

#include "crawler/engine/visit/answer/reading.h"
#include "crawler/engine/visit/maker.h"

#include <crawl/config.h>

struct event_base;

void cw_visit_preprocess_open(cw_visit_maker *maker, struct event_base *base);
/* The words of the command that makes a page of the answer; NULL: it is read as it is. */
char *const *cw_visit_preprocess_command(cw_visit *visit, const crawl_response *response);
/* Has it make one, which is read afterwards. Returns the same as a reader. */
bool cw_visit_preprocess_ask(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict,
                             cw_visit_reader *read, char *const *command);
/* Sets the document that is to be read, and what the record has of how it was made. */
void cw_visit_preprocess_begin(cw_visit_reading *reading);
/* Are there so many documents that nothing else is to be leased? */
bool cw_visit_preprocess_is_full(const cw_visit_maker *maker);
/* The crawl ends: documents that are not done go back to the frontier, and are asked for when it goes on. */
void cw_visit_preprocess_cut(cw_visit_maker *maker);

/* The commands that make pages of documents (parse.preprocess). Immutable. */
typedef struct cw_visit_preprocessors cw_visit_preprocessors;

/* *out is NULL where there are none. With parse.pdf, crawl-pdf is one of them unless another is named for PDFs.
 * CRAWL_EINVAL: a program is not there; error says which. CRAWL_ENOMEM. */
crawl_err cw_visit_preprocessors_create(const crawl_config *config, cw_visit_preprocessors **out, crawl_error *error);
void cw_visit_preprocessors_free(cw_visit_preprocessors *all);

/* The words of the command for a document, by its media type, or as a PDF that is said to be any bytes. NULL: there is
 * none. */
char *const *cw_visit_preprocessors_find(const cw_visit_preprocessors *all, crawl_slice type, crawl_slice body);

/* Visits whose documents other programs turn into pages (parse.preprocess, base/convert.h): selects them, and hands
 * them over and back. Each thread runs as many programs as there are processors for it; further documents wait, and
 * while many do, no more pages are asked for. Meanwhile the visit's lease is parked, like that of a page in the
 * browser, unless processes share the crawl: these give a host back if nothing else of it is leased. */
#pragma once

#include "crawler/engine/visit/answer/reading.h"
#include "crawler/engine/visit/maker.h"

#include <crawl/config.h>

struct event_base;

void cw_visit_preprocess_open(cw_visit_maker *maker, struct event_base *base);
/* Returns the words of the command that turns the answer into a page; NULL: it is read as it is. */
char *const *cw_visit_preprocess_command(cw_visit *visit, const crawl_response *response);
/* Runs the command; its page is read afterwards. Returns the same as a reader. */
bool cw_visit_preprocess_ask(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict,
                             cw_visit_reader *read, char *const *command);
/* Sets the document to read, and the record's description of how it was made. */
void cw_visit_preprocess_begin(cw_visit_reading *reading);
/* Returns true if there are so many documents that nothing else should be leased. */
bool cw_visit_preprocess_is_full(const cw_visit_maker *maker);
/* Returns unfinished documents to the frontier at the end of the crawl; they are asked for again when it continues. */
void cw_visit_preprocess_cut(cw_visit_maker *maker);

/* The commands that turn documents into pages (parse.preprocess). Immutable. */
typedef struct cw_visit_preprocessors cw_visit_preprocessors;

/* *out is NULL if there are none. With parse.pdf, crawl-pdf is among them unless another program is set for PDFs.
 * CRAWL_EINVAL: a program is missing; error says which. CRAWL_ENOMEM. */
crawl_err cw_visit_preprocessors_create(const crawl_config *config, cw_visit_preprocessors **out, crawl_error *error);
void cw_visit_preprocessors_free(cw_visit_preprocessors *all);

/* Returns the words of the command for a document, by its media type, or for a PDF that is sent as arbitrary bytes.
 * NULL: none. */
char *const *cw_visit_preprocessors_find(const cw_visit_preprocessors *all, crawl_slice type, crawl_slice body);

/* Structured data of a page that needs no rules: JSON-LD, microdata, RDFa Lite, OpenGraph, the language, description,
 * canonical link, translations, first headings, and images without a text. docs/data.md describes the resulting
 * JSON. */
#ifndef CRAWL_DATA_H
#define CRAWL_DATA_H

#include <crawl/links.h>
#include <crawl/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maxima per page, besides those of its tree if it has items. Each guards against a page made to exhaust the crawler.
 * Anything beyond is left out, and the JSON says so. */
#define CRAWL_DATA_MAX_BYTES 262144u  /* bytes of the JSON, up to the first value beyond them */
#define CRAWL_DATA_MAX_VALUE 16384u   /* bytes of a text, before its white space is collapsed */
#define CRAWL_DATA_MAX_DEPTH 32u      /* nested items */
#define CRAWL_DATA_MAX_LEVELS 100u    /* nested lists and objects in JSON-LD; deeper ones count as broken */
#define CRAWL_DATA_MAX_STEPS 2000000u /* elements looked at, and sixteens of their attributes, each time: 20 ms */

/* Reads the data of pages, reusing its memory for the next page. Single-threaded. */
typedef struct crawl_data crawl_data;

/* NULL: out of memory. */
CRAWL_API crawl_data *crawl_data_create(void);
CRAWL_API void crawl_data_free(crawl_data *data);

/* Sets the canonical link of a Link header, resolved, for the next page that is read. It counts if the page names none.
 * Borrowed until then. */
CRAWL_API void crawl_data_set_canonical(crawl_data *data, crawl_slice url);

/* Adds a translation that a Link header names to a page that was parsed with crawl_page_set_data. lang is its language,
 * as written; one that is not UTF-8 is left out. url is resolved. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_data_add_translation(crawl_page *page, crawl_slice lang, crawl_slice url);

/* Reads the data of a page that was parsed with crawl_page_set_data. tree belongs to the same page; it is built only if
 * the page has microdata or RDFa items, since everything else was collected during the parse. *json: one object,
 * borrowed until the next call; empty: the page has no data. No input makes it fail; only CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_data_read(crawl_data *data, const crawl_page *page, crawl_tree *tree, crawl_slice *json);

#ifdef __cplusplus
}
#endif
#endif

/* Structured data of a page, without rules: JSON-LD, microdata, RDFa Lite, OpenGraph, its language,
 * description, canonical link, translations, first headings, and images without a text. docs/data.md has the JSON that
 * it comes as. */
#ifndef CRAWL_DATA_H
#define CRAWL_DATA_H

#include <crawl/links.h>
#include <crawl/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maxima of one page, besides those of its tree where it has items, each against a page made to exhaust the crawler.
 * The rest is left out, and the JSON says so. */
#define CRAWL_DATA_MAX_BYTES 262144u  /* of the JSON, up to the first value that is beyond */
#define CRAWL_DATA_MAX_VALUE 16384u   /* of a text, before its white space is collapsed */
#define CRAWL_DATA_MAX_DEPTH 32u      /* items inside one another */
#define CRAWL_DATA_MAX_LEVELS 100u    /* lists and objects inside one another in JSON-LD; deeper ones are broken */
#define CRAWL_DATA_MAX_STEPS 2000000u /* elements that are looked at, each as often as it is: some 20 ms */

/* Its memory is used again for the next page. Single-thread. */
typedef struct crawl_data crawl_data;

/* NULL: no memory. */
CRAWL_API crawl_data *crawl_data_create(void);
CRAWL_API void crawl_data_free(crawl_data *data);

/* The canonical link of a Link header, resolved, for the next page that is read: it counts where the page names none.
 * Borrowed until then. */
CRAWL_API void crawl_data_set_canonical(crawl_data *data, crawl_slice url);

/* The data of a page that was parsed with crawl_page_set_data. tree: of the same page; it is built where the page has
 * items of microdata or RDFa alone, all else was gathered when the page was parsed. *json: one object, borrowed until
 * the next call; empty: the page says nothing. Never fails for what the page is; CRAWL_ENOMEM alone. */
CRAWL_API crawl_err crawl_data_read(crawl_data *data, const crawl_page *page, crawl_tree *tree, crawl_slice *json);

#ifdef __cplusplus
}
#endif
#endif

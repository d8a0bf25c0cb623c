/* The tree of a page, for the readers of its values: <crawl/extract.h> and <crawl/data.h>. libxml2's HTML parser builds
 * it when the first of them needs it, so that a page has one tree, and none if no rule applies to it. */
#ifndef CRAWL_TREE_H
#define CRAWL_TREE_H

#include <crawl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maxima per page, each against a page made to exhaust the crawler. The rest is left out. The bodies and rows that
 * tables imply come on top. */
#define CRAWL_TREE_MAX_PAGE (8u << 20)  /* bytes of a page that are read */
#define CRAWL_TREE_MAX_ELEMENTS 250000u /* an element takes about 300 bytes */
#define CRAWL_TREE_MAX_DEPTH 250u       /* deeper nodes are placed at this depth */
#define CRAWL_TREE_MAX_ATTRIBUTES 1024u /* of a tag; one with more, give or take as many and 4 KB, ends the page */

/* A tree, which reuses its memory for texts for the next page. Single-threaded. */
typedef struct crawl_tree crawl_tree;

/* NULL: out of memory. */
CRAWL_API crawl_tree *crawl_tree_create(void);
CRAWL_API void crawl_tree_free(crawl_tree *tree);

/* Sets the page and discards the tree built before. html is borrowed until the next call. charset: WHATWG name; NULL:
 * as determined by crawl_charset_sniff. */
CRAWL_API void crawl_tree_set(crawl_tree *tree, crawl_slice html, const char *charset);

#ifdef __cplusplus
}
#endif
#endif

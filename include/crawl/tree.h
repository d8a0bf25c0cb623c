/* The tree of a page, for those that read values of it: <crawl/extract.h> and <crawl/data.h>. It is built by libxml2's
 * HTML parser when the first of them needs it, so that a page has one tree, and none where no rule is for it. */
#ifndef CRAWL_TREE_H
#define CRAWL_TREE_H

#include <crawl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maxima of one page, each against a page made to exhaust the crawler. The rest is left out. */
#define CRAWL_TREE_MAX_PAGE (8u << 20)  /* bytes of a page that are read */
#define CRAWL_TREE_MAX_ELEMENTS 250000u /* an element takes some 300 bytes */
#define CRAWL_TREE_MAX_DEPTH 250u       /* what is deeper stands at this depth */
#define CRAWL_TREE_MAX_ATTRIBUTES 1024u /* of a tag; a page ends where one has more, give or take as many and 4 KB */

/* Its memory for texts is used again for the next page. Single-thread. */
typedef struct crawl_tree crawl_tree;

/* NULL: no memory. */
CRAWL_API crawl_tree *crawl_tree_create(void);
CRAWL_API void crawl_tree_free(crawl_tree *tree);

/* The page that it is the tree of from now on; what was built before is gone. html is borrowed until the next call.
 * charset: WHATWG name; NULL: as crawl_charset_sniff says. */
CRAWL_API void crawl_tree_set(crawl_tree *tree, crawl_slice html, const char *charset);

#ifdef __cplusplus
}
#endif
#endif

/* The tree of a page, by libxml2's HTML parser, within the maxima of <crawl/tree.h>, for its readers. */
#pragma once

#include <crawl/tree.h>

#include <libxml/tree.h>

/* Builds the tree if it was not built yet; it stays until crawl_tree_set. NULL in *out: the page has no element.
 * CRAWL_ENOMEM. */
crawl_err cw_tree_document(crawl_tree *tree, xmlDoc **out);

/* Returns the encoding that the tree was built from: a WHATWG name, static. */
const char *cw_tree_charset(const crawl_tree *tree);

/* Returns true if the maxima caused something to be dropped. */
bool cw_tree_is_cut(const crawl_tree *tree);

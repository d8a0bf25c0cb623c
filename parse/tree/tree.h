/* The tree of a page, by libxml2's HTML parser, within the maxima of <crawl/tree.h>, for those that read it. */
#pragma once

#include <crawl/tree.h>

#include <libxml/tree.h>

/* Builds the tree, unless somebody has had it built; it stays until crawl_tree_set. NULL in *out: there is not one
 * element. CRAWL_ENOMEM. */
crawl_err cw_tree_document(crawl_tree *tree, xmlDoc **out);

/* Was something left out, as the maxima say? */
bool cw_tree_is_cut(const crawl_tree *tree);

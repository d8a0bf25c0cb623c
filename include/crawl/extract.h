/* Values out of pages: CSS selectors as XPath. */
#ifndef CRAWL_EXTRACT_H
#define CRAWL_EXTRACT_H

#include <crawl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Appends the XPath 1.0 expression that selects the elements which a list of CSS selectors matches, from a node and
 * what is below it, in the order of the document: selectors of level 3 without namespaces, and :has, :is, :where, :not
 * with lists, :nth-child(... of S), [a=b i], :any-link and :scope of level 4, where :scope begins a selector and is the
 * node, and jQuery's :contains("text"). A selector may end in ::text or ::attr(NAME), which select the texts and the
 * attribute of its elements. Names of elements and attributes are lower-cased, as in a page of HTML. CRAWL_EPARSE: no
 * such selector, or :nth-of-type and the like without the name of an element before; error says why, and has the column
 * in bytes. Of more than 4096 bytes, or 16 levels of parentheses, it is CRAWL_EPARSE too. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_select_xpath(crawl_slice css, crawl_buf *xpath, crawl_error *error);

#ifdef __cplusplus
}
#endif
#endif

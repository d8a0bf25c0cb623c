/* From the tags of a page to the tree of its text (text_tree.h): one pass of the tokenizer that finds links too, with a
 * stack of the elements that are open. It ends elements as the HTML standard does where that shows in a text; it does
 * not move misnested ones (13.2.6.4.7). */
#ifndef CW_TEXT_WALK_H
#define CW_TEXT_WALK_H

#include "parse/text/text_tree.h"
#include "parse/text/text_writer.h"

#include <crawl/url.h>

/* Elements inside one another that are followed; deeper ones are taken for their parent. Of 46,580 pages of
 * documentation the deepest has 60. */
#define CW_TEXT_MAX_OPEN 256u

typedef struct cw_text_page {
    cw_text_tree tree;
    cw_text_writer writer;
    crawl_buf scratch; /* text with its references decoded */
    crawl_url *base;
    crawl_url *url;
} cw_text_page;

typedef struct cw_text_source {
    crawl_slice html; /* well-formed UTF-8 */
    bool xml;
    bool markdown;
    bool has_base; /* page->base is the URL of the page */
    const char *charset;
    size_t most; /* bytes of text */
} cw_text_source;

/* Fills page->tree, which is empty. CRAWL_ENOMEM. */
crawl_err cw_text_walk(cw_text_page *page, const cw_text_source *source);

#endif

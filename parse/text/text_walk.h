/* From the tokens of a page to the tree of its text (text_tree.h), with a stack of the open elements. The tokens come
 * from the same walk that finds links. It ends elements as the HTML standard does if that shows in a text; it does not
 * move misnested ones (13.2.6.4.7). */
#pragma once

#include "parse/html/html_walk.h"
#include "parse/text/text_kind.h"
#include "parse/text/text_tree.h"
#include "parse/text/text_writer.h"

#include <crawl/url.h>

/* Nested elements that are tracked; deeper ones are taken for their parent. Of 46,580 pages of documentation the
 * deepest has 60. */
#define CW_TEXT_MAX_OPEN 256u

typedef struct cw_text_page {
    cw_text_tree tree;
    cw_text_writer writer;
    crawl_buf scratch; /* text with its references decoded */
    crawl_url *base;
    crawl_url *url;
    uint32_t unscripted_words; /* in noscript elements that are dropped */
    cw_text_signs signs;       /* of its kind */
    bool asks_for_scripts;     /* such noscript text mentions JavaScript */
} cw_text_page;

typedef struct cw_text_source {
    bool xml;
    bool markdown;
    bool all;      /* nothing that the page shows is left out */
    bool has_base; /* page->base is the URL of the page */
    const char *charset;
    size_t most;     /* bytes of text */
    bool unscripted; /* noscript is text, like div */
} cw_text_source;

/* A pass over the page that calls `every` for its tokens; an error from that ends it, and is its result. */
typedef crawl_err (*cw_text_pass)(void *user, const cw_html_every *every);

/* Fills page->tree, which must be empty, in one pass. CRAWL_ENOMEM, or the pass's error. */
crawl_err cw_text_walk(cw_text_page *page, const cw_text_source *source, cw_text_pass pass, void *user);

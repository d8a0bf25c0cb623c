/* Makes one pass over a page and finds the elements that a crawler wants, where the HTML standard sees them. Both
 * extractors use it: its elements go into the page's links directly, or through libxml2. It builds and copies nothing,
 * and needs a few hundred bytes. */
#pragma once

#include "base/bytes.h"
#include "parse/html/html_text.h"

/* The most bytes of a title that are passed on, before its references are decoded. It is a multiple of
 * CRAWL_PAGE_MAX_TITLE, since a reference may be longer than its text. */
#define CW_HTML_MAX_RAW_TITLE 16384u

/* A tag as listeners to every tag receive it. */
typedef struct cw_html_token {
    cw_html_tag tag;
    const cw_html_attributes *attributes; /* of a start tag */
    const char *end;                      /* after its ">" */
    bool self_closing;                    /* <name/> */
    bool svg;                             /* it is in SVG */
    bool html;                            /* it is in HTML, neither in SVG nor in MathML */
    bool in_template;                     /* it is not part of the document */
} cw_html_token;

/* Returns the first attribute of this name, raw; its data is NULL if there is none. */
static inline crawl_slice cw_html_attribute(const cw_html_token *token, const char *wanted)
{
    crawl_slice name, value;
    for (cw_html_cursor rest = cw_html_first_of(token->attributes); cw_html_next_of(&rest, &name, &value);)
        if (cw_is_nocase(name, wanted))
            return value;
    return (crawl_slice){0};
}

/* Returns true if this value in a <template> has a placeholder that scripts fill in: {{name}}, ${name}. */
static inline bool cw_html_has_blank(crawl_slice value)
{
    return cw_find_text(value, "{{") < value.size || cw_find_text(value, "${") < value.size;
}

/* A listener to every token of a page, such as the search for links in tags without a row in the table, or the text
 * maker. A NULL member is not wanted; a listener may change that while it receives a tag. */
typedef struct cw_html_every {
    void *user;
    crawl_err (*tag)(void *user, const cw_html_token *token);
    /* Takes the text between two tags, before it is decoded; a comment in it splits it. The text of <script>, <style>,
     * <title>, <textarea> and the like does not count. */
    crawl_err (*text)(void *user, crawl_slice text);
    /* Takes the text of a CDATA section or an <xmp>, which is not decoded; if text is wanted too. */
    crawl_err (*cdata)(void *user, crawl_slice text);
    /* Takes the raw text of a <style>. markup: of XML or SVG, where references and CDATA sections count. */
    crawl_err (*style)(void *user, crawl_slice text, bool markup);
    /* Takes the raw text of a <script> of HTML. */
    crawl_err (*script)(void *user, crawl_slice text);
} cw_html_every;

/* The listeners to every token, in calling order. */
enum { CW_HTML_LISTENERS = 3 };

/* The callbacks. If one does not return CRAWL_OK, the walk stops and returns its result. */
typedef struct cw_html_visitor {
    void *user;
    uint32_t wanted; /* elements to pass on, 1 << id, besides the title */
    bool xml;        /* an XHTML document: <script/> is closed, and a CDATA section may occur anywhere */

    /* Takes a start tag with the attributes that its row names, their references not decoded. */
    crawl_err (*element)(void *user, const cw_html_element *element, const cw_html_values *values);
    /* Takes the first title of the page, not decoded either, without white space around it. NULL: not wanted. */
    crawl_err (*title)(void *user, crawl_slice text);

    /* Takes the raw text of a <script> of HTML, with owner: like every->script, but does not slow down every tag. NULL:
     * not wanted. */
    crawl_err (*script)(void *owner, crawl_slice text);
    void *owner;

    cw_html_texts *texts;                          /* receives the text between tags; NULL: not wanted */
    const cw_html_every *every[CW_HTML_LISTENERS]; /* receive a tag before element does; NULL: nobody */
} cw_html_visitor;

/* Walks over html, which must be well-formed UTF-8. */
crawl_err cw_html_walk(crawl_slice html, const cw_html_visitor *visitor);

/* Makes one pass over a page and finds the elements that a crawler wants, where the HTML standard sees them. Both
 * extractors use it: its elements go into the page's links directly, or through libxml2. It builds and copies nothing,
 * and keeps some hundred bytes. */
#pragma once

#include "base/bytes.h"
#include "parse/html/html_text.h"

/* The most bytes of a title that are handed over, before its references are decoded. It is a multiple of
 * CRAWL_PAGE_MAX_TITLE, since a reference may be longer than its text. */
#define CW_HTML_MAX_RAW_TITLE 16384u

/* A tag as it is told to those who want every tag. */
typedef struct cw_html_token {
    cw_html_tag tag;
    const cw_html_attributes *attributes; /* of a start tag */
    const char *end;                      /* behind its ">" */
    bool self_closing;                    /* <name/> */
    bool svg;                             /* it stands in SVG */
    bool html;                            /* it stands in HTML, neither in SVG nor in MathML */
    bool in_template;                     /* it is no part of the document */
} cw_html_token;

/* The first attribute of this name, as it stands; its data is NULL if there is none. */
static inline crawl_slice cw_html_attribute(const cw_html_token *token, const char *wanted)
{
    crawl_slice name, value;
    for (cw_html_cursor rest = cw_html_first_of(token->attributes); cw_html_next_of(&rest, &name, &value);)
        if (cw_is_nocase(name, wanted))
            return value;
    return (crawl_slice){0};
}

/* Is this value of a <template> one that scripts have yet to fill in: {{name}}, ${name}? */
static inline bool cw_html_has_blank(crawl_slice value)
{
    return cw_find_text(value, "{{") < value.size || cw_find_text(value, "${") < value.size;
}

/* One who is told of every token of a page: who looks for links in tags that have no row in the table, who makes the
 * text. A member that is NULL is not wanted; a listener may change that while it is told of a tag. */
typedef struct cw_html_every {
    void *user;
    crawl_err (*tag)(void *user, const cw_html_token *token);
    /* Takes the text between two tags, before it is decoded; where a comment stands in it, it comes in parts. That of
     * <script>, <style>, <title>, <textarea> and the like is none. */
    crawl_err (*text)(void *user, crawl_slice text);
    /* Takes the text of a CDATA section, in which nothing is to be decoded; where text is wanted too. */
    crawl_err (*cdata)(void *user, crawl_slice text);
    /* Takes the text of a <style>, as it stands. markup: of XML or SVG, where references and CDATA sections count. */
    crawl_err (*style)(void *user, crawl_slice text, bool markup);
    /* Takes the text of a <script> of HTML, as it stands. */
    crawl_err (*script)(void *user, crawl_slice text);
} cw_html_every;

/* The listeners that hear of every token, one after the other. */
enum { CW_HTML_LISTENERS = 3 };

/* The callbacks. If one does not return CRAWL_OK, the walk stops and returns its result. */
typedef struct cw_html_visitor {
    void *user;
    uint32_t wanted; /* elements that are handed over, 1 << id, besides the title */
    bool xml;        /* an XHTML document: <script/> is closed, and a CDATA section may stand anywhere */

    /* Takes a start tag with the attributes that its row names, their references not decoded. */
    crawl_err (*element)(void *user, const cw_html_element *element, const cw_html_values *values);
    /* Takes the first title of the page, not decoded either, without white space around it. NULL: it is not wanted. */
    crawl_err (*title)(void *user, crawl_slice text);

    /* Takes the text of a <script> of HTML, as it stands, with owner: as every->script does, but costs no look at every
     * tag. NULL: it is not wanted. */
    crawl_err (*script)(void *owner, crawl_slice text);
    void *owner;

    cw_html_texts *texts;                          /* receives the text between tags; NULL: it is not wanted */
    const cw_html_every *every[CW_HTML_LISTENERS]; /* are told of a tag before element is; NULL: nobody */
} cw_html_visitor;

/* Walks over html, which must be well-formed UTF-8. */
crawl_err cw_html_walk(crawl_slice html, const cw_html_visitor *visitor);

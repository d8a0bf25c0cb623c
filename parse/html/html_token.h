/* Finds the tags of a page and their attributes (HTML standard, 13.2.5 "Tokenization"), as far as this is possible
 * without building a tree. */
#ifndef CW_HTML_TOKEN_H
#define CW_HTML_TOKEN_H

#include "parse/html/html_element.h"
#include "parse/html/html_skim.h"

/* A position in a page. */
typedef struct cw_html_scanner {
    const char *at;
    const char *end;
    bool cdata; /* a CDATA section may stand here: in SVG, MathML and XML; elsewhere it is a comment up to the next ">"
                 */
    cw_html_skimmer *skimmer; /* steps over tags that decide nothing, where it can; NULL: none are stepped over */
} cw_html_scanner;

typedef struct cw_html_tag {
    crawl_slice name; /* as it stands, not lower-cased */
    bool closing;     /* </name> */
} cw_html_tag;

/* Steps past the "<" and the name of the next tag; cw_html_finish_tag must be called next. False: the rest of the page
 * has no tag. */
bool cw_html_next_tag(cw_html_scanner *scanner, cw_html_tag *tag);

/* Steps past the rest of the tag and takes the attributes of the set wanted, the first of each name, as they stand
 * without their quotes. False: the page ends first, and a tag that its end cuts off is none. *self_closing: it is
 * <name/>. */
bool cw_html_finish_tag(cw_html_scanner *scanner, unsigned wanted, cw_html_values *values, bool *self_closing);

/* Takes the next attribute off the front of *rest, which begins as what stands behind the name of a tag; its value is
 * without quotes. False: there is none left. */
bool cw_html_next_attribute(crawl_slice *rest, crawl_slice *name, crawl_slice *value);

/* What cw_html_finish_tag does, attribute by attribute and whatever their names: called until it answers something else
 * than CW_HTML_ATTRIBUTE. */
typedef enum cw_html_step { CW_HTML_ATTRIBUTE, CW_HTML_TAG_ENDS, CW_HTML_PAGE_ENDS } cw_html_step;
cw_html_step cw_html_step_attribute(cw_html_scanner *scanner, crawl_slice *name, crawl_slice *value,
                                    bool *self_closing);

/* Takes the text up to the next tag, comment or declaration, and steps past a comment or a declaration; empty where
 * there is no text before one. False: a tag comes next, or the end of the page. */
bool cw_html_next_text(cw_html_scanner *scanner, crawl_slice *text);

/* Steps to the end tag of an element whose content is text, or to the end of the page where there is none, and returns
 * the text stepped over. name: of the element. */
crawl_slice cw_html_skip_text(cw_html_scanner *scanner, crawl_slice name);

/* The same for <script>, where "</script>" inside "<!-- <script> -->" does not end it (13.2.5.4 and on). */
crawl_slice cw_html_skip_script(cw_html_scanner *scanner);

#endif

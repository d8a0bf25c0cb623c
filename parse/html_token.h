/* Where the tags of a page are (HTML standard, 13.2.5 "Tokenization"), as far as that can be said without building a tree. The
 * text between them is stepped over. */
#ifndef CW_HTML_TOKEN_H
#define CW_HTML_TOKEN_H

#include <crawl/base.h>

/* A position in a page. */
typedef struct cw_html_scanner {
    const char *at;
    const char *end;
} cw_html_scanner;

typedef struct cw_html_tag {
    crawl_slice name;       /* as it stands, not lower-cased */
    crawl_slice attributes; /* from after the name to before ">" */
    bool closing;           /* </name> */
    bool self_closing;      /* <name/> */
} cw_html_tag;

typedef struct cw_html_attribute {
    crawl_slice name;  /* as it stands */
    crawl_slice value; /* without quotes, character references as they stand */
} cw_html_attribute;

/* Steps past the next tag. False: there is none up to the end of the page; a tag that the end cuts off is none. cdata: a CDATA
 * section may stand here, which it may inside svg and math only; elsewhere it is a comment up to the next ">". */
bool cw_html_next_tag(cw_html_scanner *scanner, bool cdata, cw_html_tag *tag);

/* Takes the first attribute off the front of *rest, which begins as tag.attributes. False: there is none left. */
bool cw_html_next_attribute(crawl_slice *rest, cw_html_attribute *attribute);

/* Steps to the end tag of an element whose content is text, or to the end of the page where there is none, and returns the
 * text stepped over. name: of the element. */
crawl_slice cw_html_skip_text(cw_html_scanner *scanner, crawl_slice name);

/* The same for <script>, where "</script>" inside "<!-- <script> -->" does not end it (13.2.5.4 and on). */
crawl_slice cw_html_skip_script(cw_html_scanner *scanner);

#endif

/* Finds the tags of a page and their attributes (HTML standard, 13.2.5 "Tokenization"), as far as this is possible
 * without building a tree. */
#pragma once

#include "parse/html/html_element.h"
#include "parse/html/html_skim.h"

/* A position in a page. */
typedef struct cw_html_scanner {
    const char *at;
    const char *end;
    bool cdata; /* a CDATA section may occur here: in SVG, MathML and XML; elsewhere it is a comment up to ">" */
    cw_html_skimmer *skimmer; /* skips tags that decide nothing, if it can; NULL: none are skipped */
} cw_html_scanner;

typedef struct cw_html_tag {
    crawl_slice name; /* as it stands, not lower-cased */
    bool closing;     /* </name> */
} cw_html_tag;

/* Steps past the "<" and the name of the next tag; cw_html_finish_tag must be called next. false: the rest of the page
 * has no tag. */
bool cw_html_next_tag(cw_html_scanner *scanner, cw_html_tag *tag);

/* Steps past the rest of the tag and takes the attributes of the set wanted, the first of each name, raw and without
 * quotes. false: the page ends first; a tag cut off by its end is not a tag. *self_closing: it is <name/>. */
bool cw_html_finish_tag(cw_html_scanner *scanner, unsigned wanted, cw_html_values *values, bool *self_closing);

/* Takes the next attribute off the front of *rest, which begins as the text after the name of a tag; its value is
 * without quotes. false: there is none left. */
bool cw_html_next_attribute(crawl_slice *rest, crawl_slice *name, crawl_slice *value);

/* Returns true for the method of a form that leads nowhere: it is sent by POST, or closes a dialog. */
bool cw_html_is_posted(crawl_slice method);

/* The attributes of a tag, split once for all readers. If a tag has more than there is room for, each reader splits the
 * remaining ones itself. */
enum { CW_HTML_SPLIT = 32 };
typedef struct cw_html_attributes {
    size_t count;
    crawl_slice rest; /* the text after the last of them, as cw_html_next_attribute reads it */
    struct {
        crawl_slice name;
        crawl_slice value; /* without quotes */
    } split[CW_HTML_SPLIT];
} cw_html_attributes;

/* Like cw_html_finish_tag, with all attributes, whatever their names. */
bool cw_html_split_tag(cw_html_scanner *scanner, cw_html_attributes *attributes, bool *self_closing);

/* Finds the attributes of the set wanted, the first of each name. */
void cw_html_values_of(const cw_html_attributes *attributes, unsigned wanted, cw_html_values *values);

/* A position in such a list; {list, 0, list->rest} is its start. */
typedef struct cw_html_cursor {
    const cw_html_attributes *list;
    size_t next;
    crawl_slice rest;
} cw_html_cursor;

static inline cw_html_cursor cw_html_first_of(const cw_html_attributes *list)
{
    return (cw_html_cursor){list, 0, list->rest};
}

/* Takes the next attribute. false: there is none left. */
static inline bool cw_html_next_of(cw_html_cursor *cursor, crawl_slice *name, crawl_slice *value)
{
    if (cursor->next == cursor->list->count)
        return cursor->rest.size && cw_html_next_attribute(&cursor->rest, name, value);
    *name = cursor->list->split[cursor->next].name;
    *value = cursor->list->split[cursor->next++].value;
    return true;
}

/* Takes the text up to the next tag, comment, declaration or CDATA section, and steps past all of these but a tag;
 * empty if there is no text before one. *cdata is the content of the section, empty if it was none. false: a tag comes
 * next, or the end of the page. */
bool cw_html_next_text(cw_html_scanner *scanner, crawl_slice *text, crawl_slice *cdata);

/* Steps to the end tag of an element whose content is text, or to the end of the page if there is none, and returns the
 * text stepped over. name: of the element. */
crawl_slice cw_html_skip_text(cw_html_scanner *scanner, crawl_slice name);

/* The same for <script>, where "</script>" inside "<!-- <script> -->" does not end it (13.2.5.4 and on). */
crawl_slice cw_html_skip_script(cw_html_scanner *scanner);

/* A page while it is parsed: collects what its elements say. Text is copied into one buffer that may move, so
 * everything is an offset into it until the end. */
#pragma once

#include "parse/charset/charset.h"
#include "parse/data/data_facts.h"
#include "parse/html/html_walk.h"

#include <crawl/links.h>

/* Memory that a page keeps from one parse to the next; a large page's excess is given back. */
#define CW_PAGE_KEEP_BYTES 1048576u

/* Bytes in page.text. */
typedef struct cw_page_span {
    size_t at;
    size_t size;
} cw_page_span;

/* How an attribute holds links. */
typedef enum cw_page_form {
    CW_PAGE_ONE,         /* a URL; an empty value is not a link (HTML standard: 4.2.4, 4.8.3, 4.8.5, ...) */
    CW_PAGE_ONE_OR_SELF, /* likewise, but an empty value is the page itself */
    CW_PAGE_SET,         /* a srcset */
    CW_PAGE_NONE,        /* the row is only looked up by itself */
    CW_PAGE_CSS,         /* declarations */
    CW_PAGE_DOCUMENT,    /* a page of its own: srcdoc */
    CW_PAGE_ACTION,      /* where a button sends a form */
    CW_PAGE_LAZY,        /* read by scripts: see crawl_page_set_lazy */
    CW_PAGE_NAMED,       /* a URL, if it looks like that of a page */
    CW_PAGE_CODE         /* a script */
} cw_page_form;

/* An attribute with links. */
typedef struct cw_page_source {
    uint8_t id; /* CW_ID_ of the element */
    uint8_t form;
    uint32_t attribute; /* CW_AT_ */
    crawl_link_kind kind;
    const char *tag;
    const char *attr;
} cw_page_source;

/* For links of any tag. */
typedef struct cw_page_parts {
    cw_page_source lazy[CRAWL_PAGE_MAX_LAZY];
    size_t lazy_count;
    crawl_buf names;     /* of lazy, each followed by a NUL */
    crawl_buf value;     /* of an attribute, decoded */
    bool form_posts;     /* the last form that began is not sent with GET */
    unsigned nesting;    /* srcdoc documents around the current one */
    cw_html_every every; /* the walk's listener */
} cw_page_parts;

/* For the scripts of a page. */
typedef struct cw_page_scripts {
    crawl_buf stream; /* joined pieces that end anywhere: see cw_script_flight */
    unsigned guesses; /* URLs taken by their look */
} cw_page_scripts;

/* A link while the text may move. */
typedef struct cw_page_link_record {
    cw_page_span href;
    cw_page_span rel;
    cw_page_span type;
    cw_page_span text;
    const cw_page_source *source;
    bool nofollow;
    bool for_anyone;
} cw_page_link_record;

/* Shared memory, so that a page of many small links takes no more than its caller gets. */
typedef union cw_page_link {
    cw_page_link_record record; /* until the page has ended */
    crawl_link link;
} cw_page_link;

_Static_assert(sizeof(cw_page_link) == sizeof(crawl_link), "crawl_page_links gives an array of crawl_link");

struct crawl_page {
    /* The owner's choices. */
    crawl_extractor extractor;
    unsigned kinds;  /* CRAWL_LINK_ bits */
    crawl_buf agent; /* meta robots are named for; empty: none */

    crawl_buf text; /* values of attributes and the title, one after the other */
    cw_page_link *links;
    size_t link_capacity;
    size_t link_count;
    bool links_cut; /* there were more than fit */

    crawl_url *base;     /* of the page, then of its <base> */
    crawl_url *proposed; /* the URL of a <base>, until it is accepted */
    bool base_known;     /* base holds a URL */
    bool base_decided;   /* a <base href> was seen */

    const char *charset;
    cw_page_span title;
    cw_page_span canonical;
    bool has_canonical;
    unsigned robots;
    crawl_buf uses;   /* each <meta> about the use of the page: name and content, each followed by a NUL */
    bool has_license; /* a link has rel=license */
    bool has_script;
    bool has_rsl; /* a <script> contains an RSL licence */
    bool has_refresh;
    double refresh_delay;
    cw_page_span refresh_href;

    cw_charset_decoder decoder;
    crawl_buf decoded; /* the page as UTF-8, if it was not */
    crawl_buf reduced; /* fed to libxml2 */
    crawl_buf values;  /* of one element, if references had to be decoded */
    cw_html_texts texts;
    cw_page_parts parts;
    cw_page_scripts scripts;
    cw_data_facts facts;
    bool wants_ids;
    bool ids_cut;
    crawl_buf ids;    /* each followed by a NUL */
    size_t open_link; /* its text is yet to come; SIZE_MAX: none */
    crawl_err err;    /* the first failure inside an event of libxml2 */
};

/* Returns the elements that matter to a page with these kinds of links, as cw_html_visitor.wanted takes them. */
uint32_t cw_page_wanted(unsigned kinds);

/* Takes a start tag of any wanted element. Values are UTF-8 with references decoded. CRAWL_ENOMEM. */
crawl_err cw_page_element(crawl_page *page, const cw_html_element *element, const cw_html_values *values);

/* Sets the title, with references decoded. CRAWL_ENOMEM. */
crawl_err cw_page_set_title(crawl_page *page, crawl_slice text);

/* Sets the base: a raw URL, relative to the page's own. CRAWL_ENOMEM. */
crawl_err cw_page_set_base(crawl_page *page, crawl_slice href);

/* --- page.c: the two halves of crawl_page_parse_as --- */

/* Forgets the previous page, and sets *text to the bytes of this one as UTF-8, borrowed from bytes or from page.
 * Determines the encoding. After CRAWL_ENOMEM the page is empty. */
crawl_err cw_page_decode(crawl_page *page, crawl_document document, crawl_slice bytes, const crawl_url *url,
                         const char *charset, crawl_slice *text);

/* Reads that text. also: listener to every token of HTML and XHTML; NULL: nobody. Returns its error, or CRAWL_ENOMEM;
 * after either the page is empty. */
crawl_err cw_page_read(crawl_page *page, crawl_document document, crawl_slice text, const cw_html_every *also);

/* --- page_links.c --- */

/* Adds an element's own links; <meta> and feeds have calls of their own. CRAWL_ENOMEM. */
crawl_err cw_page_add_links(crawl_page *page, const cw_html_element *element, const cw_html_values *values);
crawl_err cw_page_add_refresh(crawl_page *page, crawl_slice content);
crawl_err cw_page_add_feed_link(crawl_page *page, crawl_slice href, crawl_slice rel, crawl_slice type, bool enclosure);

/* Sets the text of the last <a> link added; UTF-8, kept unchanged. CRAWL_ENOMEM. */
crawl_err cw_page_set_link_text(crawl_page *page, crawl_slice text);

/* Adds the links of a value whose source has one of the first three forms. CRAWL_ENOMEM. */
crawl_err cw_page_add_value(crawl_page *page, const cw_page_source *source, crawl_slice value, crawl_slice rel);

/* Returns the first of these rows that matches an attribute of this tag. NULL: none. */
const cw_page_source *cw_page_row_of(const cw_page_source *first, size_t count, const cw_html_token *token,
                                     crawl_slice attribute);

/* Makes the links from the records. */
void cw_page_finish(crawl_page *page);

/* --- page_parts.c --- */

/* Returns the walk's listener to every tag. NULL: neither such links nor ids are wanted. */
const cw_html_every *cw_page_every(crawl_page *page);

/* Lists all listeners of the walk: this one, the page's data if wanted, and `also`. */
void cw_page_listeners(crawl_page *page, bool xml, const cw_html_every *also,
                       const cw_html_every *out[CW_HTML_LISTENERS]);

/* Adds the style sheets that an XML document names before its root element. CRAWL_ENOMEM. */
crawl_err cw_page_add_sheets(crawl_page *page, crawl_slice text);

/* Adds the links of a style sheet, or of one <style>. CRAWL_ENOMEM. */
crawl_err cw_page_by_css(crawl_page *page, crawl_slice text);

/* --- page_script.c --- */

/* Takes the text of a <script>; owner is the page. CRAWL_ENOMEM. */
crawl_err cw_page_on_script(void *owner, crawl_slice text);

/* Ends the page, whose HTML is text: searches what its scripts stream and, if there is any, the attributes that belong
 * to it. xml: as in cw_html_visitor. CRAWL_ENOMEM. */
crawl_err cw_page_end_scripts(crawl_page *page, crawl_slice text, bool xml);

/* --- the extractors other than that of page.c: from text, well-formed UTF-8, to its facts in page --- */

/* page.c: the links of a document inside the page, which says nothing about the page itself. CRAWL_ENOMEM. */
crawl_err cw_page_by_scan_inside(crawl_page *page, crawl_slice text);

/* page_sax.c: by libxml2, with the same result; see docs/html.md. xml: as in cw_html_visitor; also: as in cw_page_read.
 * CRAWL_ENOMEM. */
crawl_err cw_page_by_libxml2(crawl_page *page, crawl_slice text, bool xml, const cw_html_every *also);

/* page_feed.c: takes Atom's link (href, rel; RFC 4287, 4.2.7), the text of RSS's link, the url of its enclosure,
 * xml:base of the outermost element, and the first title. CRAWL_ENOMEM. */
crawl_err cw_page_by_feed(crawl_page *page, crawl_slice text);
/* page_feed_json.c: takes the title, home_page_url and next_url, and of each item url, external_url and attachments.
 * CRAWL_ENOMEM. */
crawl_err cw_page_by_json_feed(crawl_page *page, crawl_slice text);

/* --- */

/* Returns the bytes of a span, valid until the text grows. */
static inline crawl_slice cw_page_slice(const crawl_page *page, cw_page_span span)
{
    return span.size ? crawl_slice_of(page->text.data + span.at, span.size) : crawl_slice_of("", 0);
}

/* A page while it is parsed: what its elements say is gathered here. Text is copied into one buffer that may move, so
 * everything is an offset into it until the end. */
#pragma once

#include "parse/charset/charset.h"
#include "parse/data/data_facts.h"
#include "parse/html/html_walk.h"

#include <crawl/links.h>

/* Memory that a page keeps from one parse to the next; what a large page took beyond this is given back. */
#define CW_PAGE_KEEP_BYTES 1048576u

/* Bytes in page.text. */
typedef struct cw_page_span {
    size_t at;
    size_t size;
} cw_page_span;

/* How an attribute holds links. */
typedef enum cw_page_form {
    CW_PAGE_ONE,         /* a URL; an empty value is no link (HTML standard: 4.2.4, 4.8.3, 4.8.5, ...) */
    CW_PAGE_ONE_OR_SELF, /* likewise, but an empty value is the page itself */
    CW_PAGE_SET,         /* a srcset */
    CW_PAGE_NONE,        /* the row is asked for by itself alone */
    CW_PAGE_CSS,         /* declarations */
    CW_PAGE_DOCUMENT,    /* a page of its own: srcdoc */
    CW_PAGE_ACTION,      /* where a button sends a form */
    CW_PAGE_LAZY,        /* what a script reads: see crawl_page_set_lazy */
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
    crawl_buf names;     /* of lazy, each with a NUL behind it */
    crawl_buf value;     /* of an attribute, decoded */
    bool form_posts;     /* the form that began last is not sent with GET */
    unsigned nesting;    /* documents of srcdoc around the one that is read */
    cw_html_every every; /* whom the walk tells */
} cw_page_parts;

/* For the scripts of a page. */
typedef struct cw_page_scripts {
    crawl_buf stream; /* pieces that end anywhere, put together: see cw_script_flight */
    unsigned guesses; /* URLs told by their look that were taken */
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

/* One after the other, so that a page of many small links takes no more memory than its caller gets. */
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
    crawl_url *proposed; /* what <base> says, until it is accepted */
    bool base_known;     /* base holds a URL */
    bool base_decided;   /* a <base href> was there */

    const char *charset;
    cw_page_span title;
    cw_page_span canonical;
    bool has_canonical;
    unsigned robots;
    crawl_buf uses;   /* each <meta> that speaks of the use of the page: name and content, a NUL behind each */
    bool has_license; /* a link has rel=license */
    bool has_script;
    bool has_rsl; /* a <script> holds a licence of RSL */
    bool has_refresh;
    double refresh_delay;
    cw_page_span refresh_href;

    cw_charset_decoder decoder;
    crawl_buf decoded; /* the page as UTF-8, where it was not */
    crawl_buf reduced; /* what libxml2 is fed */
    crawl_buf values;  /* of one element, where references had to be decoded */
    cw_html_texts texts;
    cw_page_parts parts;
    cw_page_scripts scripts;
    cw_data_facts facts;
    bool wants_ids;
    bool ids_cut;
    crawl_buf ids;    /* each with a NUL behind it */
    size_t open_link; /* whose text has yet to come; SIZE_MAX: none */
    crawl_err err;    /* the first failure inside an event of libxml2 */
};

/* Elements that a page with these kinds of links is built of, as cw_html_visitor.wanted takes them. */
uint32_t cw_page_wanted(unsigned kinds);

/* Takes in a start tag: any of the elements wanted. Values are UTF-8 with references decoded. CRAWL_ENOMEM. */
crawl_err cw_page_element(crawl_page *page, const cw_html_element *element, const cw_html_values *values);

/* The title, with references decoded. CRAWL_ENOMEM. */
crawl_err cw_page_set_title(crawl_page *page, crawl_slice text);

/* Sets the base: a URL as it stands, relative to the page's own. CRAWL_ENOMEM. */
crawl_err cw_page_set_base(crawl_page *page, crawl_slice href);

/* --- page.c: the two halves of crawl_page_parse_as --- */

/* Forgets the page before, and gives the bytes of this one as UTF-8, *text, which stay with it or with page. Its
 * encoding is known from here on. After CRAWL_ENOMEM the page is empty. */
crawl_err cw_page_decode(crawl_page *page, crawl_document document, crawl_slice bytes, const crawl_url *url,
                         const char *charset, crawl_slice *text);

/* Reads that text. also: is told of every token on the way, of HTML and XHTML alone; NULL: nobody. Returns
 * its answer, or CRAWL_ENOMEM; after either the page is empty. */
crawl_err cw_page_read(crawl_page *page, crawl_document document, crawl_slice text, const cw_html_every *also);

/* --- page_links.c --- */

/* Adds the links that an element has itself; those of <meta> and of feeds have calls of their own. CRAWL_ENOMEM. */
crawl_err cw_page_add_links(crawl_page *page, const cw_html_element *element, const cw_html_values *values);
crawl_err cw_page_add_refresh(crawl_page *page, crawl_slice content);
crawl_err cw_page_add_feed_link(crawl_page *page, crawl_slice href, crawl_slice rel, crawl_slice type, bool enclosure);

/* The link of the <a> that was added last says this; UTF-8, to be kept as it is. CRAWL_ENOMEM. */
crawl_err cw_page_set_link_text(crawl_page *page, crawl_slice text);

/* Adds the links of a value that a source of one of the first three forms has. CRAWL_ENOMEM. */
crawl_err cw_page_add_value(crawl_page *page, const cw_page_source *source, crawl_slice value, crawl_slice rel);

/* The first of these rows that an attribute of this tag has; NULL: none. */
const cw_page_source *cw_page_row_of(const cw_page_source *first, size_t count, const cw_html_token *token,
                                     crawl_slice attribute);

/* Makes the links of the records. */
void cw_page_finish(crawl_page *page);

/* --- page_parts.c --- */

/* Whom the walk over the page tells of every tag; NULL: neither such links nor ids are wanted. */
const cw_html_every *cw_page_every(crawl_page *page);

/* All whom it tells: these, what gathers the data of the page where it is wanted, and `also`. */
void cw_page_listeners(crawl_page *page, bool xml, const cw_html_every *also,
                       const cw_html_every *out[CW_HTML_LISTENERS]);

/* Adds the style sheets that a document of XML names before its root element. CRAWL_ENOMEM. */
crawl_err cw_page_add_sheets(crawl_page *page, crawl_slice text);

/* Adds the links of a style sheet, or those of one <style>. CRAWL_ENOMEM. */
crawl_err cw_page_by_css(crawl_page *page, crawl_slice text);

/* --- page_script.c --- */

/* Takes the text of a <script>; owner is the page. CRAWL_ENOMEM. */
crawl_err cw_page_on_script(void *owner, crawl_slice text);

/* The page, which is this text of HTML, has ended: looks into what its scripts stream, and, if it has any, into the
 * attributes that are theirs. xml: as in cw_html_visitor. CRAWL_ENOMEM. */
crawl_err cw_page_end_scripts(crawl_page *page, crawl_slice text, bool xml);

/* --- the extractors besides that of page.c: from text, which is well-formed UTF-8, to what is said of it in page ---
 */

/* page.c: the links of a document inside the page, which says nothing of the page itself. CRAWL_ENOMEM. */
crawl_err cw_page_by_scan_inside(crawl_page *page, crawl_slice text);

/* page_sax.c: by libxml2, to the same end; see docs/html.md. xml: as in cw_html_visitor; also: as in cw_page_read.
 * CRAWL_ENOMEM. */
crawl_err cw_page_by_libxml2(crawl_page *page, crawl_slice text, bool xml, const cw_html_every *also);

/* page_feed.c. Takes Atom's link (href, rel; RFC 4287, 4.2.7), the text of RSS's link, the url of its enclosure,
 * xml:base of the outermost element, and the first title. CRAWL_ENOMEM. */
crawl_err cw_page_by_feed(crawl_page *page, crawl_slice text);

/* --- */

/* The bytes that a span stands for now. */
static inline crawl_slice cw_page_slice(const crawl_page *page, cw_page_span span)
{
    return span.size ? crawl_slice_of(page->text.data + span.at, span.size) : crawl_slice_of("", 0);
}

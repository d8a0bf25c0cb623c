/* The extractor `libxml2`: the page, reduced, through libxml2's HTML parser as a stream of elements, without a tree,
 * network access, loading of entities or printed messages. See page_build.h. */
#include "base/writer.h"
#include "parse/html/html_reference.h"
#include "parse/html/html_walk.h"
#include "parse/page/page_build.h"

#include <libxml/HTMLparser.h>
#include <limits.h>

/* Reduces a page to the parts that a crawler wants, as HTML that libxml2 reads as the HTML standard intends.
 *
 * libxml2's parser is older than the standard. It takes text in text areas and comments for tags, cuts the names of
 * attributes at characters that are common today, and without a tree it searches the stack of open elements for each
 * end tag, so that its time grows with the square of the page's size. So cw_html_walk finds the tags first, by the
 * standard's rules, and only the tags that matter are written for libxml2: each by itself, closed at once, with only
 * the wanted attributes, in quotes, their references decoded and escaped again where needed. docs/html.md has the
 * details. */

/* The attribute of the reduced <title> that holds its text: libxml2 would drop some characters from element content. */
#define CW_HTML_TITLE_TEXT CW_AT_CONTENT

/* The element that stands for the end of an <a>; it holds the text of the link in the same way. An element of this name
 * in the page itself is never passed on. */
#define CW_HTML_ANCHOR_TEXT CW_ID_PLAINTEXT

/* Takes a piece of some 16 KiB that begins and ends between tags. If it does not return CRAWL_OK, html_reduce stops and
 * returns its result. */
typedef crawl_err (*cw_html_sink)(void *user, crawl_slice piece);

typedef struct cw_html_reduction {
    crawl_buf *out;                                     /* holds a piece at a time; cleared first */
    crawl_buf *scratch;                                 /* holds a value at a time */
    uint32_t wanted;                                    /* elements, 1 << id */
    bool xml;                                           /* as in cw_html_visitor */
    crawl_err (*script)(void *owner, crawl_slice text); /* as in cw_html_visitor */
    void *owner;
    cw_html_texts *texts; /* as in cw_html_visitor */
    const cw_html_every *every[CW_HTML_LISTENERS];
    cw_html_sink sink;
    void *user;
} cw_html_reduction;

enum { PIECE = 16 * 1024 };

static crawl_err html_reduce_flush(const cw_html_reduction *r)
{
    if (!r->out->size)
        return CRAWL_OK;
    crawl_err err = r->sink(r->user, crawl_buf_slice(r->out));
    crawl_buf_clear(r->out);
    return err;
}

/* Writes <name attribute="value"/> with the attributes that have a bit in found. */
static crawl_err put_element(const cw_html_reduction *r, const cw_html_element *element, const cw_html_values *values)
{
    cw_writer to = {.out = r->out};
    cw_put_char(&to, '<');
    cw_put_text(&to, element->name);
    for (unsigned left = values->found; left && !to.err; left &= left - 1) {
        int i = __builtin_ctz(left);
        cw_put_char(&to, ' ');
        cw_put(&to, cw_html_attribute_names[i]);
        cw_put_text(&to, "=\"");
        if (!to.err)
            to.err = cw_html_escape(r->out, values->value[i]);
        cw_put_char(&to, '"');
    }
    cw_put_text(&to, "/>");
    return !to.err && r->out->size >= PIECE ? html_reduce_flush(r) : to.err;
}

/* Writes an element whose only attribute is a text. */
static crawl_err html_reduce_put_text(const cw_html_reduction *r, const char *name, crawl_slice text)
{
    cw_html_values values = {.found = CW_HTML_TITLE_TEXT};
    values.value[__builtin_ctz(CW_HTML_TITLE_TEXT)] = text;
    return put_element(r, cw_html_element_named(crawl_slice_from(name), false), &values);
}

static crawl_err html_reduce_on_element(void *user, const cw_html_element *element, const cw_html_values *raw)
{
    const cw_html_reduction *r = user;
    cw_html_values values;
    crawl_err err = cw_html_decode_values(raw, r->scratch, &values);
    return err ? err : put_element(r, element, &values);
}

static crawl_err html_reduce_on_title(void *user, crawl_slice text)
{
    const cw_html_reduction *r = user;
    crawl_buf_clear(r->scratch);
    crawl_err err = cw_html_decode(r->scratch, text, CW_IN_TITLE);
    return err ? err : html_reduce_put_text(r, "title", crawl_buf_slice(r->scratch));
}

static crawl_err html_reduce_on_anchor_ended(void *user, crawl_slice text)
{
    return html_reduce_put_text(user, "plaintext", text);
}

/* Reduces html, well-formed UTF-8, piece by piece. CRAWL_ENOMEM. */
static crawl_err html_reduce(crawl_slice html, const cw_html_reduction *reduction)
{
    cw_html_visitor visitor = {
        .user = (void *)(uintptr_t)reduction,
        .wanted = reduction->wanted,
        .xml = reduction->xml,
        .element = html_reduce_on_element,
        .title = html_reduce_on_title,
        .script = reduction->script,
        .owner = reduction->owner,
        .texts = reduction->texts,
    };
    memcpy(visitor.every, reduction->every, sizeof visitor.every);
    if (reduction->texts) {
        reduction->texts->anchor_ended = html_reduce_on_anchor_ended;
        reduction->texts->user = visitor.user;
    }
    crawl_buf_clear(reduction->out);
    crawl_err err = cw_html_walk(html, &visitor);
    return err ? err : html_reduce_flush(reduction);
}

/* Bytes fed before the parser is recreated: it keeps everything it was fed. */
#define MAX_FED 262144u

typedef struct html_sax {
    htmlParserCtxtPtr parser;
    crawl_page *page;
    size_t fed; /* bytes, since the parser was created */
} html_sax;

static void page_sax_note(crawl_page *page, crawl_err err)
{
    if (err && !page->err)
        page->err = err;
}

/* --- events of libxml2 --- */

/* name, value, name, value, NULL, each ending with NUL; a value may be NULL. */
static void read_values(const xmlChar **attributes, unsigned wanted, cw_html_values *values)
{
    values->found = 0;
    for (; attributes && attributes[0]; attributes += 2) {
        unsigned bit = cw_html_attribute_named(crawl_slice_from((const char *)attributes[0]), wanted & ~values->found);
        if (bit)
            values->value[__builtin_ctz(bit)] = crawl_slice_from(attributes[1] ? (const char *)attributes[1] : "");
        values->found |= bit;
    }
}

static void page_sax_on_start(void *context, const xmlChar *name, const xmlChar **attributes)
{
    const html_sax *s = context;
    const cw_html_element *element = cw_html_element_named(crawl_slice_from((const char *)name), false);
    if (!element || s->page->err)
        return;
    cw_html_values values;
    read_values(attributes, element->attributes | CW_HTML_TITLE_TEXT, &values);
    if (element->id == CW_ID_TITLE)
        page_sax_note(s->page, cw_page_set_title(s->page, cw_html_value(&values, CW_HTML_TITLE_TEXT)));
    else if (element->id == CW_HTML_ANCHOR_TEXT)
        page_sax_note(s->page, cw_page_set_link_text(s->page, cw_html_value(&values, CW_HTML_TITLE_TEXT)));
    else if (element->flags & CW_EL_WANTED)
        page_sax_note(s->page, cw_page_element(s->page, element, &values));
}

/* The error that libxml2 2.12 made constant. */
#if LIBXML_VERSION >= 21200
typedef const xmlError *html_sax_error;
#else
typedef xmlErrorPtr html_sax_error;
#endif

/* Only needs to exist: without a handler of its own a parser falls back to the program's global one. */
static void page_sax_on_error(void *, html_sax_error)
{
}

static const htmlSAXHandler handlers = {
    .initialized = XML_SAX2_MAGIC,
    .startElement = page_sax_on_start,
    .serror = page_sax_on_error,
};

/* NOIMPLIED: adds no html, head, body and p. IGNORE_ENC: a <meta charset> does not change the encoding, which is
 * already decided. */
enum {
    OPTIONS = HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET | HTML_PARSE_NOIMPLIED |
              HTML_PARSE_NODEFDTD | HTML_PARSE_IGNORE_ENC
};

/* --- the parser --- */

/* libxml2 continues after most errors, and reports them in its return value; only lack of memory counts. */
static crawl_err page_sax_parse(html_sax *s, const char *data, size_t size, bool last)
{
    htmlParseChunk(s->parser, data, (int)size, last);
    return s->parser->errNo == XML_ERR_NO_MEMORY ? CRAWL_ENOMEM : CRAWL_OK;
}

/* The parser stops when the outermost element ends, hence <html> around everything. */
static crawl_err start_parser(html_sax *s)
{
    /* It copies the handlers. */
    s->parser = htmlCreatePushParserCtxt((htmlSAXHandlerPtr)&handlers, s, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
    s->fed = 0;
    if (!s->parser)
        return CRAWL_ENOMEM;
    htmlCtxtUseOptions(s->parser, OPTIONS);
    return page_sax_parse(s, "<html>", 6, false);
}

static crawl_err stop_parser(html_sax *s)
{
    crawl_err err = s->parser ? page_sax_parse(s, "", 0, true) : CRAWL_OK;
    htmlFreeParserCtxt(s->parser);
    s->parser = NULL;
    return err;
}

/* Takes a piece of a page that contains only whole elements. */
static crawl_err page_sax_feed(void *user, crawl_slice piece)
{
    html_sax *s = user;
    if (piece.size > INT_MAX)
        return CRAWL_EINVAL;
    crawl_err err = CRAWL_OK;
    if (s->fed > MAX_FED) {
        err = stop_parser(s);
        if (!err)
            err = start_parser(s);
    }
    s->fed += piece.size;
    return err ? err : page_sax_parse(s, piece.data, piece.size, false);
}

crawl_err cw_page_by_libxml2(crawl_page *page, crawl_slice text, bool xml, const cw_html_every *also)
{
    html_sax s = {.page = page};
    cw_html_reduction reduction = {
        .out = &page->reduced,
        .scratch = &page->values,
        .wanted = cw_page_wanted(page->kinds),
        .xml = xml,
        .script = cw_page_on_script,
        .owner = page,
        .texts = page->texts.wanted ? &page->texts : NULL,
        .sink = page_sax_feed,
        .user = &s,
    };
    cw_page_listeners(page, xml, also, reduction.every);
    crawl_err err = start_parser(&s);
    if (!err)
        err = html_reduce(text, &reduction);
    crawl_err stopped = stop_parser(&s);
    if (!err)
        err = stopped;
    return err ? err : page->err;
}

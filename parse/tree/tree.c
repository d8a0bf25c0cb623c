/* See tree.h. libxml2 builds the tree by itself; each start and end of an element passes here first, so that
 * elements are counted, and those that are too deep are left out without their text. It is given the page in parts,
 * because it compares each attribute of a tag with all before it: a tag with too many gets no further part. */
#include "parse/tree/tree.h"

#include "base/bytes.h"
#include "parse/charset/charset.h"

#include <libxml/HTMLparser.h>
#include <libxml/SAX2.h>
#include <stdlib.h>

/* The state of the parser's handlers. */
typedef struct limits {
    unsigned elements;
    unsigned too_deep; /* elements that are open and were left out */
    bool cut;
} limits;

struct crawl_tree {
    crawl_slice html;
    const char *charset;
    bool is_read;
    bool is_cut;
    xmlDoc *document; /* NULL: none was built, or there is not one element */
    cw_charset_decoder decoder;
    crawl_buf decoded;
    crawl_buf text; /* without NULs */
};

static void tree_on_start(void *context, const xmlChar *name, const xmlChar **attributes)
{
    htmlParserCtxtPtr parser = context;
    limits *limit = parser->_private;
    if (parser->nodeNr >= (int)CRAWL_TREE_MAX_DEPTH) {
        limit->too_deep++;
        limit->cut = true;
        return;
    }
    if (limit->elements++ < CRAWL_TREE_MAX_ELEMENTS) {
        xmlSAX2StartElement(context, name, attributes);
        return;
    }
    limit->cut = true;
    xmlStopParser(parser);
}

static void tree_on_end(void *context, const xmlChar *name)
{
    htmlParserCtxtPtr parser = context;
    limits *limit = parser->_private;
    if (limit->too_deep)
        limit->too_deep--;
    else
        xmlSAX2EndElement(context, name);
}

#if LIBXML_VERSION >= 21200
typedef const xmlError *tree_error;
#else
typedef xmlErrorPtr tree_error;
#endif

/* ---- the page in parts ---- */

typedef struct page_parts {
    crawl_slice rest;
    htmlParserCtxtPtr parser;
    limits *limits;
} page_parts;

/* The parser's list of attributes has two places for each of a tag and never shrinks; it grows by doubling. */
static bool has_too_many_attributes(const htmlParserCtxt *parser)
{
    return parser->maxatts > 4 * (int)CRAWL_TREE_MAX_ATTRIBUTES;
}

/* The parser asks for parts of 4,000 bytes and more, within tags too. A part ends between two characters. */
static int read_part(void *user, char *buffer, int size)
{
    page_parts *from = user;
    size_t part = from->rest.size < (size_t)size ? from->rest.size : (size_t)size;
    if (part && has_too_many_attributes(from->parser)) {
        from->limits->cut = true;
        return 0;
    }
    while (part < from->rest.size && part > 1 && ((unsigned char)from->rest.data[part] & 0xc0) == 0x80)
        part--;
    memcpy(buffer, from->rest.data, part);
    from->rest = cw_drop(from->rest, part);
    return (int)part;
}

static int close_parts(void *)
{
    return 0;
}

/* ---- the tree ---- */

/* Being there is what it is for: without a handler of its own a parser falls back to the program's global one. */
static void tree_on_error(void *, tree_error)
{
}

/* IGNORE_ENC: a <meta charset> does not change the encoding, which is decided before. */
enum {
    OPTIONS = HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET | HTML_PARSE_COMPACT |
              HTML_PARSE_IGNORE_ENC
};

static crawl_err build(crawl_slice text, xmlDoc **out, bool *cut)
{
    limits limit = {.cut = *cut};
    htmlParserCtxtPtr parser = htmlNewParserCtxt();
    if (!parser)
        return CRAWL_ENOMEM;
    parser->_private = &limit;
    parser->sax->startElement = tree_on_start;
    parser->sax->endElement = tree_on_end;
    parser->sax->serror = tree_on_error;
    page_parts from = {text, parser, &limit};
    *out = htmlCtxtReadIO(parser, read_part, close_parts, &from, NULL, "UTF-8", OPTIONS);
    crawl_err err = parser->errNo == XML_ERR_NO_MEMORY ? CRAWL_ENOMEM : CRAWL_OK;
    htmlFreeParserCtxt(parser);
    *cut = limit.cut;
    return err;
}

/* Leaves NULs out, as browsers do; libxml2 would end the page there. */
static crawl_err without_nuls(crawl_slice *text, crawl_buf *storage)
{
    crawl_slice rest = *text;
    if (cw_find_char(rest, '\0') == rest.size)
        return CRAWL_OK;
    crawl_buf_clear(storage);
    while (rest.size) {
        crawl_slice part = cw_cut(&rest, '\0');
        if (crawl_buf_append(storage, part.data, part.size))
            return CRAWL_ENOMEM;
    }
    *text = crawl_buf_slice(storage);
    return CRAWL_OK;
}

static crawl_err tree_read_page(crawl_tree *tree)
{
    bool valid;
    tree->is_cut = tree->html.size > CRAWL_TREE_MAX_PAGE;
    crawl_slice text = crawl_slice_of(tree->html.data, tree->is_cut ? CRAWL_TREE_MAX_PAGE : tree->html.size);
    const char *charset = cw_charset_sniff(text, tree->charset, &valid);
    crawl_err err = valid ? CRAWL_OK : cw_charset_decode(&tree->decoder, charset, text, &tree->decoded, &text);
    if (!err)
        err = without_nuls(&text, &tree->text);
    text = cw_trim(text);
    if (!err && text.size)
        err = build(text, &tree->document, &tree->is_cut);
    return err;
}

static void drop_document(crawl_tree *tree)
{
    if (tree->document)
        xmlFreeDoc(tree->document);
    tree->document = NULL;
}

crawl_err cw_tree_document(crawl_tree *tree, xmlDoc **out)
{
    crawl_err err = tree->is_read ? CRAWL_OK : tree_read_page(tree);
    tree->is_read = true;
    if (tree->document && (err || !xmlDocGetRootElement(tree->document)))
        drop_document(tree);
    *out = tree->document;
    return err;
}

bool cw_tree_is_cut(const crawl_tree *tree)
{
    return tree->is_cut;
}

void crawl_tree_set(crawl_tree *tree, crawl_slice html, const char *charset)
{
    drop_document(tree);
    tree->html = html;
    tree->charset = charset;
    tree->is_read = false;
    tree->is_cut = false;
}

crawl_tree *crawl_tree_create(void)
{
    return calloc(1, sizeof(crawl_tree));
}

void crawl_tree_free(crawl_tree *tree)
{
    if (!tree)
        return;
    drop_document(tree);
    cw_charset_decoder_close(&tree->decoder);
    crawl_buf_free(&tree->decoded);
    crawl_buf_free(&tree->text);
    free(tree);
}

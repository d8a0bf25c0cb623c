/* See tree.h. libxml2 builds the tree; each start and end of an element passes here first, to count elements and to
 * drop those that are too deep, without their text. The page is fed in parts, because libxml2 compares each attribute
 * of a tag with all before it: a tag with too many gets no further part. At last the tree becomes that of a browser
 * where pages often differ. */
#include "parse/tree/tree.h"

#include "base/bytes.h"
#include "parse/charset/charset.h"
#include "parse/tree/tree_source.h"

#include <libxml/HTMLparser.h>
#include <libxml/SAX2.h>
#include <stdlib.h>

/* The state of the parser's handlers. */
typedef struct limits {
    unsigned elements;
    unsigned too_deep; /* open elements that were dropped */
    bool cut;
} limits;

struct crawl_tree {
    crawl_slice html;
    const char *charset; /* as declared by the transport; when it is read, the one decided on */
    bool is_read;
    bool is_cut;
    xmlDoc *document; /* NULL: none was built, or the page has no element */
    cw_charset_decoder decoder;
    crawl_buf decoded;
    crawl_buf source; /* as libxml2 gets it */
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
    size_t open; /* elements, summed over the parts */
} page_parts;

/* The parser's list of attributes has two places for each of a tag and never shrinks; it grows by doubling. */
static bool has_too_many_attributes(const htmlParserCtxt *parser)
{
    return parser->maxatts > 4 * (int)CRAWL_TREE_MAX_ATTRIBUTES;
}

/* An end tag is compared with the names of all open elements, those that were dropped too. Open elements are summed
 * over the parts, which have up to a thousand end tags each: a page of the maximal size and depth stays below this, and
 * no page takes much longer than a second. */
enum { MAX_OPEN = 1000000 };

/* The parser asks for parts of 4,000 bytes and more, within tags too. A part ends between two characters. */
static int read_part(void *user, char *buffer, int size)
{
    page_parts *from = user;
    size_t part = from->rest.size < (size_t)size ? from->rest.size : (size_t)size;
    from->open += (size_t)from->parser->nameNr;
    if (part && (from->open > MAX_OPEN || has_too_many_attributes(from->parser))) {
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

/* Only needs to exist: without a handler of its own a parser falls back to the program's global one. */
static void tree_on_error(void *, tree_error)
{
}

/* IGNORE_ENC: a <meta charset> does not change the encoding, which is already decided. */
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
    page_parts from = {text, parser, &limit, 0};
    *out = htmlCtxtReadIO(parser, read_part, close_parts, &from, NULL, "UTF-8", OPTIONS);
    crawl_err err = parser->errNo == XML_ERR_NO_MEMORY ? CRAWL_ENOMEM : CRAWL_OK;
    htmlFreeParserCtxt(parser);
    *cut = limit.cut;
    return err;
}

/* ---- the tree of a browser ---- */

#define SECTIONS " caption colgroup col tbody thead tfoot"

/* The elements that rows and cells imply around them (HTML standard, 13.2.6.4.9 and 13.2.6.4.13). */
static const struct {
    const char *children;
    const char *parents;
    const char *wrapper;
    const char *ends; /* siblings that end what is wrapped */
} implied[] = {
    {"tr", "table", "tbody", SECTIONS},
    {"td th", "table tbody thead tfoot", "tr", "tr" SECTIONS},
};

enum { IMPLIED = sizeof implied / sizeof *implied };

static bool tree_is_among(const xmlNode *node, const char *names)
{
    return node->type == XML_ELEMENT_NODE &&
           cw_has_word(crawl_slice_from(names), crawl_slice_from((const char *)node->name), false);
}

static int implied_by(const xmlNode *node)
{
    for (int i = 0; i < IMPLIED; i++)
        if (tree_is_among(node, implied[i].children) && tree_is_among(node->parent, implied[i].parents))
            return i;
    return IMPLIED;
}

/* Wraps *first and its next siblings, and sets *first to the wrapper. CRAWL_ENOMEM. */
static crawl_err wrap_siblings(xmlNode **first, int by)
{
    xmlNode *wrapper = xmlNewDocNode((*first)->doc, NULL, (const xmlChar *)implied[by].wrapper, NULL);
    if (!wrapper)
        return CRAWL_ENOMEM;
    xmlAddPrevSibling(*first, wrapper);
    while (wrapper->next && !tree_is_among(wrapper->next, implied[by].ends)) {
        xmlNode *next = wrapper->next;
        xmlUnlinkNode(next);
        xmlAddChild(wrapper, next);
    }
    *first = wrapper;
    return CRAWL_OK;
}

/* Returns the next node in document order. NULL: there is none below root. */
static xmlNode *tree_next_node(xmlNode *node, const xmlNode *root)
{
    if (node->type == XML_ELEMENT_NODE && node->children)
        return node->children;
    while (node != root && !node->next)
        node = node->parent;
    return node == root ? NULL : node->next;
}

/* Adds the elements that tables imply, and drops the contents of each <template>, which are another document (4.12.3),
 * unless they are shown as a shadow root. CRAWL_ENOMEM. */
static crawl_err make_standard(xmlNode *root)
{
    crawl_err err = CRAWL_OK;
    for (xmlNode *node = root; node && !err;) {
        int by = node == root ? IMPLIED : implied_by(node);
        if (by < IMPLIED) {
            err = wrap_siblings(&node, by);
            continue;
        }
        if (tree_is_among(node, "template") && !xmlHasProp(node, (const xmlChar *)"shadowrootmode")) {
            xmlFreeNodeList(node->children);
            node->children = node->last = NULL;
        }
        node = tree_next_node(node, root);
    }
    return err;
}

/* ---- the page ---- */

/* Memory for the source that is kept from one page to the next: enough for nearly all pages. */
#define KEEP_BYTES ((size_t)1 << 20)

static crawl_err tree_read_page(crawl_tree *tree)
{
    bool valid;
    tree->is_cut = tree->html.size > CRAWL_TREE_MAX_PAGE;
    crawl_slice text = crawl_slice_of(tree->html.data, tree->is_cut ? CRAWL_TREE_MAX_PAGE : tree->html.size);
    tree->charset = cw_charset_sniff(text, tree->charset, &valid);
    crawl_err err = valid ? CRAWL_OK : cw_charset_decode(&tree->decoder, tree->charset, text, &tree->decoded, &text);
    text = cw_trim(text);
    if (!err)
        err = cw_tree_source(text, &tree->source);
    if (!err && text.size)
        err = build(crawl_buf_slice(&tree->source), &tree->document, &tree->is_cut);
    cw_buf_trim(&tree->source, KEEP_BYTES);
    xmlNode *root = tree->document ? xmlDocGetRootElement(tree->document) : NULL;
    return err || !root ? err : make_standard(root);
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

const char *cw_tree_charset(const crawl_tree *tree)
{
    return tree->charset;
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
    crawl_buf_free(&tree->source);
    free(tree);
}

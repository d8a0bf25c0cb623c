/* See extract_tree.h. libxml2 builds the tree by itself; each start and end of an element passes here first, so that
 * elements are counted, and those that are too deep are left out without their text. */
#include "parse/extract/extract_tree.h"

#include "base/bytes.h"
#include "base/utf8.h"

#include <libxml/HTMLparser.h>
#include <libxml/SAX2.h>

/* What the parser's handlers know. */
typedef struct limits {
    unsigned elements;
    unsigned too_deep; /* elements that are open and were left out */
    bool cut;
} limits;

void cw_extract_parser_close(cw_extract_parser *parser)
{
    cw_charset_decoder_close(&parser->decoder);
    crawl_buf_free(&parser->decoded);
    crawl_buf_free(&parser->text);
}

static void on_start(void *context, const xmlChar *name, const xmlChar **attributes)
{
    htmlParserCtxtPtr parser = context;
    limits *limit = parser->_private;
    if (parser->nodeNr >= (int)CRAWL_EXTRACT_MAX_DEPTH) {
        limit->too_deep++;
        limit->cut = true;
        return;
    }
    if (limit->elements++ < CRAWL_EXTRACT_MAX_ELEMENTS) {
        xmlSAX2StartElement(context, name, attributes);
        return;
    }
    limit->cut = true;
    xmlStopParser(parser);
}

static void on_end(void *context, const xmlChar *name)
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

/* Being there is what it is for: without a handler of its own a parser falls back to the program's global one. */
static void on_error(void *context, tree_error error)
{
    (void)context;
    (void)error;
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
    parser->sax->startElement = on_start;
    parser->sax->endElement = on_end;
    parser->sax->serror = on_error;
    *out = htmlCtxtReadMemory(parser, text.data, (int)text.size, NULL, "UTF-8", OPTIONS);
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

crawl_err cw_extract_parse(cw_extract_parser *parser, crawl_slice html, const char *charset, xmlDoc **out, bool *cut)
{
    bool valid;
    *out = NULL;
    *cut = html.size > CRAWL_EXTRACT_MAX_PAGE;
    crawl_slice text = crawl_slice_of(html.data, *cut ? CRAWL_EXTRACT_MAX_PAGE : html.size);
    charset = cw_charset_sniff(text, charset, &valid);
    crawl_err err = valid ? CRAWL_OK : cw_charset_decode(&parser->decoder, charset, text, &parser->decoded, &text);
    if (!err)
        err = without_nuls(&text, &parser->text);
    text = cw_trim(text);
    if (!err && text.size)
        err = build(text, out, cut);
    if (*out && (err || !xmlDocGetRootElement(*out))) {
        xmlFreeDoc(*out);
        *out = NULL;
    }
    return err;
}

/* See page_sax.h. */
#include "parse/page_sax.h"

#include <libxml/HTMLparser.h>
#include <limits.h>
#include <stdlib.h>

struct cw_sax {
    htmlParserCtxtPtr parser;
    const cw_sax_events *events;
    void *user;
    size_t fed; /* bytes, since the parser was made */
};

static void on_start(void *context, const xmlChar *name, const xmlChar **attributes)
{
    const cw_sax *sax = context;
    sax->events->start(sax->user, (const char *)name, (const char *const *)attributes);
}

static void on_end(void *context, const xmlChar *name)
{
    const cw_sax *sax = context;
    sax->events->end(sax->user, (const char *)name);
}

static void on_text(void *context, const xmlChar *text, int size)
{
    const cw_sax *sax = context;
    sax->events->text(sax->user, (const char *)text, (size_t)size);
}

/* What libxml2 2.12 made constant. */
#if LIBXML_VERSION >= 21200
typedef const xmlError *sax_error;
#else
typedef xmlErrorPtr sax_error;
#endif

/* Being there is what it is for: without a handler of its own a parser falls back to the program's global one. */
static void on_error(void *context, sax_error error)
{
    (void)context;
    (void)error;
}

static const htmlSAXHandler handlers = {
    .initialized = XML_SAX2_MAGIC,
    .startElement = on_start,
    .endElement = on_end,
    .characters = on_text,
    .ignorableWhitespace = on_text,
    .serror = on_error,
};

/* NOIMPLIED: no html, head, body and p that are not there. IGNORE_ENC: a <meta charset> does not change the encoding, which is
 * decided before. */
enum {
    OPTIONS = HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET | HTML_PARSE_NOIMPLIED |
              HTML_PARSE_NODEFDTD | HTML_PARSE_IGNORE_ENC
};

/* libxml2 goes on after most errors, and says so in its return value; want of memory is the one that counts. */
static crawl_err parse(cw_sax *sax, const char *data, size_t size, bool last)
{
    htmlParseChunk(sax->parser, data, (int)size, last);
    return sax->parser->errNo == XML_ERR_NO_MEMORY ? CRAWL_ENOMEM : CRAWL_OK;
}

/* It stops when the outermost element ends, hence <html> around all. */
static crawl_err start_parser(cw_sax *sax)
{
    /* It copies the handlers. */
    sax->parser = htmlCreatePushParserCtxt((htmlSAXHandlerPtr)&handlers, sax, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
    sax->fed = 0;
    if (!sax->parser)
        return CRAWL_ENOMEM;
    htmlCtxtUseOptions(sax->parser, OPTIONS);
    return parse(sax, "<html>", 6, false);
}

static crawl_err stop_parser(cw_sax *sax)
{
    crawl_err err = sax->parser ? parse(sax, "", 0, true) : CRAWL_OK;
    htmlFreeParserCtxt(sax->parser);
    sax->parser = NULL;
    return err;
}

cw_sax *cw_sax_open(const cw_sax_events *events, void *user)
{
    cw_sax *sax = calloc(1, sizeof *sax);
    if (!sax)
        return NULL;
    sax->events = events;
    sax->user = user;
    if (start_parser(sax)) {
        cw_sax_close(sax);
        return NULL;
    }
    return sax;
}

crawl_err cw_sax_feed(cw_sax *sax, crawl_slice piece)
{
    if (piece.size > INT_MAX)
        return CRAWL_EINVAL;
    crawl_err err = CRAWL_OK;
    if (sax->fed > CW_SAX_MAX_FED) {
        err = stop_parser(sax);
        if (!err)
            err = start_parser(sax);
    }
    sax->fed += piece.size;
    return err ? err : parse(sax, piece.data, piece.size, false);
}

crawl_err cw_sax_close(cw_sax *sax)
{
    if (!sax)
        return CRAWL_OK;
    crawl_err err = stop_parser(sax);
    free(sax);
    return err;
}

/* The tree of a page, by libxml2's HTML parser, within the maxima of <crawl/extract.h>. */
#ifndef CW_EXTRACT_TREE_H
#define CW_EXTRACT_TREE_H

#include "parse/charset/charset.h"

#include <crawl/extract.h>

#include <libxml/tree.h>

/* What pages are parsed with. `{0}` is a new one. */
typedef struct cw_extract_parser {
    cw_charset_decoder decoder;
    crawl_buf decoded;
    crawl_buf text;
} cw_extract_parser;

void cw_extract_parser_close(cw_extract_parser *parser);

/* Decodes a page, and builds its tree; the caller frees it by xmlFreeDoc. NULL in *out: there is not one element.
 * *cut: something was left out, see CRAWL_EXTRACT_MAX_PAGE. CRAWL_ENOMEM. */
crawl_err cw_extract_parse(cw_extract_parser *parser, crawl_slice html, const char *charset, xmlDoc **out, bool *cut);

#endif

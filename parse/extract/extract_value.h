/* From a node that a selector matched to the values that a rule takes of it. */
#pragma once

#include "parse/extract/extract_rule.h"

#include <libxml/tree.h>

/* Memory for values, kept from one to the next, and what all of a page share. `{0}` is a new one, but for match. */
typedef struct cw_extract_maker {
    const crawl_url *base;
    const char *charset;
    xmlDoc *document;
    crawl_url *url;
    pcre2_match_data *match;
    pcre2_match_context *limits;
    crawl_buf raw;
    crawl_buf text;
} cw_extract_maker;

/* CRAWL_ENOMEM: close it all the same. */
crawl_err cw_extract_maker_open(cw_extract_maker *maker);
void cw_extract_maker_close(cw_extract_maker *maker);

/* Gets a value as JSON, borrowed for the call. False: no further one is wanted. */
typedef bool cw_extract_taker(void *user, crawl_slice json);

/* Appends what a node adds to the text of root as a reader sees it, `most` bytes at most: blocks, cells and line breaks
 * end words, as a number above a line ends the one before it; scripts and style sheets in root are none. Returns the
 * next node; NULL: there is none. *err: CRAWL_ENOMEM. */
const xmlNode *cw_extract_text_step(const xmlNode *root, const xmlNode *node, size_t most, crawl_buf *out,
                                    crawl_err *err);

/* Hands the values of a node to take. Of an element or attribute without text there is none. CRAWL_ENOMEM. */
crawl_err cw_extract_node(cw_extract_maker *maker, const cw_extract_rule *rule, xmlNode *node, cw_extract_taker *take,
                          void *user);

/* The same of a text, which an expression of XPath gave. */
crawl_err cw_extract_string(cw_extract_maker *maker, const cw_extract_rule *rule, crawl_slice text,
                            cw_extract_taker *take, void *user);

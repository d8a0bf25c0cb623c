/* From a node that a selector matched to the values that a rule takes from it. */
#pragma once

#include "parse/extract/extract_rule.h"

#include <libxml/tree.h>

/* Memory reused from one value to the next, and data shared by all values of a page. `{0}` is new, except for match. */
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

/* Takes a value as JSON, borrowed for the call. false: no further one is wanted. */
typedef bool cw_extract_taker(void *user, crawl_slice json);

/* A walk over the text of root. It begins with node = root. */
typedef struct cw_extract_walk {
    const xmlNode *root;
    const xmlNode *node; /* the next one; NULL: there is none */
    crawl_buf *out;
    bool is_shifted; /* a <sup> or <sub> began or ended since the last text */
} cw_extract_walk;

/* Appends the next node's part of the text of root as a reader sees it, at most `most` bytes: blocks, cells and line
 * breaks end words, so that a number does not run into the one below it; scripts and style sheets in root are not text.
 * CRAWL_ENOMEM. */
crawl_err cw_extract_text_step(cw_extract_walk *walk, size_t most);

/* Passes the values of a node to take. An element or attribute without text has none. CRAWL_ENOMEM. */
crawl_err cw_extract_node(cw_extract_maker *maker, const cw_extract_rule *rule, xmlNode *node, cw_extract_taker *take,
                          void *user);

/* The same for a text that an XPath expression returned. */
crawl_err cw_extract_string(cw_extract_maker *maker, const cw_extract_rule *rule, crawl_slice text,
                            cw_extract_taker *take, void *user);

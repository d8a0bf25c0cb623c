/* The text of each h1 of a page, from its tokens. Elements inside an h1 are tracked by name, and end as in the HTML
 * standard (13.2.6.4.7). Elements around it are unknown, so the end tag of a block that did not begin inside an h1 ends
 * it, as it does if that block is around it. */
#pragma once

#include "parse/data/data_facts.h"

/* Returns true if an h1 is open. */
static inline bool cw_data_heading_is_open(const cw_data_facts *facts)
{
    return facts->depth > 0;
}

/* Takes a tag: of any element while an h1 is open, of an h1 otherwise. CRAWL_ENOMEM. */
crawl_err cw_data_heading_tag(cw_data_facts *facts, const cw_html_token *token);

/* Takes text in an h1, before it is decoded. CRAWL_ENOMEM. */
crawl_err cw_data_heading_text(cw_data_facts *facts, crawl_slice raw);

/* Takes a CDATA section in an h1, which is not decoded. CRAWL_ENOMEM. */
crawl_err cw_data_heading_cdata(cw_data_facts *facts, crawl_slice text);

/* Ends the page. CRAWL_ENOMEM. */
crawl_err cw_data_heading_end(cw_data_facts *facts);

/* The text of each h1 of a page, from its tokens. Elements inside an h1 are followed by name, and end as the HTML
 * standard has it (13.2.6.4.7); of those around it nothing is known, so the end tag of a block that did not begin
 * inside an h1 ends it, as it does where that block is around it. */
#pragma once

#include "parse/data/data_facts.h"

/* Is an h1 open? */
static inline bool cw_data_heading_is_open(const cw_data_facts *facts)
{
    return facts->depth > 0;
}

/* A tag: of any element while an h1 is open, of an h1 otherwise. CRAWL_ENOMEM. */
crawl_err cw_data_heading_tag(cw_data_facts *facts, const cw_html_token *token);

/* Text in an h1, before it is decoded. CRAWL_ENOMEM. */
crawl_err cw_data_heading_text(cw_data_facts *facts, crawl_slice raw);

/* A CDATA section in an h1, in which nothing is to be decoded. CRAWL_ENOMEM. */
crawl_err cw_data_heading_cdata(cw_data_facts *facts, crawl_slice text);

/* The page ends. CRAWL_ENOMEM. */
crawl_err cw_data_heading_end(cw_data_facts *facts);

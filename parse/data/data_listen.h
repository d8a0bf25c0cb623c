/* What the elements of a page say of it, heard from a walk over the page. */
#ifndef CW_DATA_LISTEN_H
#define CW_DATA_LISTEN_H

#include "parse/data/data_facts.h"

/* Whom a walk is to tell of every token; NULL: nothing is wanted. xml: the page is XHTML. */
const cw_html_every *cw_data_listen(cw_data_facts *facts, bool xml);

/* The walk has ended. CRAWL_ENOMEM. */
crawl_err cw_data_listen_end(cw_data_facts *facts);

#endif

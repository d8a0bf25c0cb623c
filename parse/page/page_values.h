/* Readers of attribute values: directives of meta robots, the URLs of a srcset; and the style sheets
 * that XML names before its root element. A refresh, which is read alike from a header and from a <meta>, is
 * crawl_refresh_header of <crawl/links.h>. */
#pragma once

#include <crawl/url.h>

/* The CRAWL_ROBOTS_ flags of a meta robots value: directives separated by commas or white space, in any case. */
unsigned cw_page_robots_directives(crawl_slice content);

/* Takes the next directives of an X-Robots-Tag off the front of *value. *agent: whom they are for; empty: all. It stays
 * for the next ones that have no name before them. False: there is none left. */
bool cw_page_tag_next(crawl_slice *value, crawl_slice *agent, crawl_slice *directives);

/* Does a <meta> of this name and content speak of the use of the page (docs/preferences.md): is it one of TDMRep, or
 * are there words for robots, told says whether by a name that our agent reads, of which one is noai or noimageai? */
bool cw_page_speaks_of_use(crawl_slice name, crawl_slice content, bool told);

/* Takes the next image candidate of a srcset (HTML standard, 4.8.4.3.10) off the front of *rest; *url, part of it, is
 * its URL as it stands. False: there is none left. The descriptors of a candidate are stepped over and not
 * judged. */
bool cw_page_srcset_next(crawl_slice *rest, crawl_slice *url);

/* How a value of crawl_page_set_lazy has URLs. */
typedef enum cw_page_lazy_form { CW_LAZY_NONE, CW_LAZY_ONE, CW_LAZY_SET, CW_LAZY_DECLARATIONS } cw_page_lazy_form;

/* Scripts read what they want of such values: text with braces or white space is no URL. */
cw_page_lazy_form cw_page_lazy_form_of(crawl_slice name, crawl_slice value);

/* Finds the base URL that a <base> sets (HTML standard, 4.2.3): href as it stands, relative to url, that of the page,
 * NULL where it has none. *is_base: base is it; otherwise it remains that of the page. CRAWL_ENOMEM. */
crawl_err cw_page_base_of(crawl_slice href, const crawl_url *url, const char *charset, crawl_url *base, bool *is_base);

/* Delays of a refresh beyond this, in seconds, are this: some seventy years. */
#define CW_PAGE_MAX_REFRESH_DELAY 2147483647.0

/* The href of the next <?xml-stylesheet?> before the root element of a document of XML, as it stands,
 * with its references (W3C, Associating Style Sheets with XML documents 1.0). Takes what it looked at from *rest. A
 * fragment alone names an element of the document and is passed over. False: there is none. */
bool cw_page_next_sheet(crawl_slice *rest, crawl_slice *href);

/* Readers of attribute values: directives of meta robots, the URLs of a srcset; and the style sheets that XML names
 * before its root element. A refresh, which has the same form in a header and in a <meta>, is read by
 * crawl_refresh_header of <crawl/links.h>. */
#pragma once

#include <crawl/url.h>

/* Returns the CRAWL_ROBOTS_ flags of a meta robots value: directives separated by commas or white space, in any
 * case. */
unsigned cw_page_robots_directives(crawl_slice content);

/* Takes the next directives of an X-Robots-Tag off the front of *value. *agent: the agent they are for; empty: all. It
 * also applies to later directives without a name before them. false: there is none left. */
bool cw_page_tag_next(crawl_slice *value, crawl_slice *agent, crawl_slice *directives);

/* Returns true if a <meta> of this name and content is about the use of the page (docs/preferences.md): it is one of
 * TDMRep, or it is a robots <meta> that our agent reads, as told says, with noai or noimageai among its words. */
bool cw_page_speaks_of_use(crawl_slice name, crawl_slice content, bool told);

/* Takes the next image candidate of a srcset (HTML standard, 4.8.4.3.10) off the front of *rest; *url, part of it, is
 * its raw URL. false: there is none left. Descriptors are skipped and not checked. */
bool cw_page_srcset_next(crawl_slice *rest, crawl_slice *url);

/* How a value of crawl_page_set_lazy holds URLs. */
typedef enum cw_page_lazy_form { CW_LAZY_NONE, CW_LAZY_ONE, CW_LAZY_SET, CW_LAZY_DECLARATIONS } cw_page_lazy_form;

/* Scripts interpret such values as they like: text with braces or white space is not a URL. */
cw_page_lazy_form cw_page_lazy_form_of(crawl_slice name, crawl_slice value);

/* Finds the base URL that a <base> sets (HTML standard, 4.2.3): href, raw, relative to the page's url, which may be
 * NULL. *is_base: base is set; otherwise the page's own URL remains the base. CRAWL_ENOMEM. */
crawl_err cw_page_base_of(crawl_slice href, const crawl_url *url, const char *charset, crawl_url *base, bool *is_base);

/* Longer delays of a refresh, in seconds, are cut to this: some seventy years. */
#define CW_PAGE_MAX_REFRESH_DELAY 2147483647.0

/* Finds the raw href, with its references, of the next <?xml-stylesheet?> before the root element of an XML document
 * (W3C, Associating Style Sheets with XML documents 1.0). Removes what it examined from *rest. A lone fragment names an
 * element of the document and is skipped. false: there is none. */
bool cw_page_next_sheet(crawl_slice *rest, crawl_slice *href);

/* Tells at a glance whether a link leads to an http URL or is a mailto: or the like, so that most links that are not
 * followed need no parsing. */
#pragma once

#include <crawl/base.h>

typedef enum cw_links_href {
    CW_LINKS_HREF_UNSURE,   /* must be parsed */
    CW_LINKS_HREF_RELATIVE, /* a URL if its base is http or https, with the base's scheme */
    CW_LINKS_HREF_HTTP,     /* an http or https URL, whatever the base */
    CW_LINKS_HREF_OTHER     /* a URL of another scheme, whatever the base */
} cw_links_href;

/* Looks at href, of at most CRAWL_PAGE_MAX_HREF bytes, as the URL standard's parser does
 * (https://url.spec.whatwg.org/#url-parsing). */
cw_links_href cw_links_href_look(crawl_slice href);

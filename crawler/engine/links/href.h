/* Tells at a glance what a link leads to: most links of a page that are not followed need no parsing to be told from
 * mailto: and the like. */
#ifndef CW_LINKS_HREF_H
#define CW_LINKS_HREF_H

#include <crawl/base.h>

typedef enum cw_links_href {
    CW_LINKS_HREF_UNSURE,   /* to be parsed */
    CW_LINKS_HREF_RELATIVE, /* a URL wherever its base is http or https, and then of the base's scheme */
    CW_LINKS_HREF_HTTP,     /* an http or https URL, whatever the base */
    CW_LINKS_HREF_OTHER     /* a URL of another scheme, whatever the base */
} cw_links_href;

/* Looks at href as the URL standard's parser does (https://url.spec.whatwg.org/#url-parsing). At most
 * CRAWL_PAGE_MAX_HREF bytes. */
cw_links_href cw_links_href_look(crawl_slice href);

#endif

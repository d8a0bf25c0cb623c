/* What a crawler wants from an HTML page: its links, base, title, encoding, and what it says to robots. */
#ifndef CRAWL_LINKS_H
#define CRAWL_LINKS_H

#include <crawl/url.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maxima, each against a page made to exhaust the crawler. Beyond them a page is cut, never refused. */
#define CRAWL_PAGE_MAX_LINKS 100000u /* links kept of one page */
#define CRAWL_PAGE_MAX_HREF 16384u   /* bytes of one link's attribute; a longer one is left out */
#define CRAWL_PAGE_MAX_TITLE 1024u   /* bytes of the title kept */

/* Elements whose links are reported; bits of crawl_link.kind and of a mask. */
typedef enum crawl_link_kind {
    CRAWL_LINK_A = 1 << 0,
    CRAWL_LINK_AREA = 1 << 1,
    CRAWL_LINK_LINK = 1 << 2,
    CRAWL_LINK_FRAME = 1 << 3,
    CRAWL_LINK_IFRAME = 1 << 4,
    CRAWL_LINK_REFRESH = 1 << 5 /* <meta http-equiv=refresh> */
} crawl_link_kind;

#define CRAWL_LINK_ALL 0x3f

typedef struct crawl_link {
    crawl_slice href; /* the attribute's value, character references decoded, UTF-8, as it stands: resolve it by
                          crawl_url_parse(url, href, crawl_page_base(page), crawl_page_charset(page)) */
    crawl_slice rel;  /* as it stands; empty: none */
    const char *tag;  /* lower-case element name, static */
    const char *attr; /* lower-case attribute name, static */
    crawl_link_kind kind;
    bool nofollow; /* rel has nofollow */
} crawl_link;

/* meta robots, as flags. */
enum { CRAWL_ROBOTS_NOINDEX = 1, CRAWL_ROBOTS_NOFOLLOW = 2 };

/* A parsed page; parsed into again and again with its memory kept. Single-thread. */
typedef struct crawl_page crawl_page;

/* NULL when there is no memory. */
CRAWL_API crawl_page *crawl_page_create(void);
CRAWL_API void crawl_page_free(crawl_page *page);

/* Parses html, fetched from url (NULL: none known), with the charset that the transport declared (NULL: none).
 * Never fails for what the bytes are; CRAWL_ENOMEM alone. What an earlier parse returned is gone. html and url are
 * only read during the call. */
CRAWL_API crawl_err crawl_page_parse(crawl_page *page, crawl_slice html, const crawl_url *url, const char *charset);

/* In document order. */
CRAWL_API const crawl_link *crawl_page_links(const crawl_page *page, size_t *count);
CRAWL_API const crawl_url *crawl_page_base(const crawl_page *page); /* <base href> resolved, or the page's URL; NULL: neither */
CRAWL_API const char *
crawl_page_charset(const crawl_page *page); /* WHATWG name in lower case, "utf-8", "windows-1252"; never NULL */
CRAWL_API crawl_slice crawl_page_title(const crawl_page *page); /* white space collapsed, UTF-8 */
CRAWL_API unsigned crawl_page_robots(const crawl_page *page);   /* CRAWL_ROBOTS_ flags of meta robots */
/* The canonical link's href as it stands (rel=canonical); empty: none. */
CRAWL_API crawl_slice crawl_page_canonical(const crawl_page *page);
/* True if a meta refresh was there; *delay in seconds, *href as it stands ("" for the page itself), borrowed. */
CRAWL_API bool crawl_page_refresh(const crawl_page *page, double *delay, crawl_slice *href);

/* The WHATWG name of an encoding label ("latin1" -> "windows-1252"), static; NULL: unknown. */
CRAWL_API const char *crawl_charset_name(crawl_slice label);
/* The charset parameter of a Content-Type value, as a WHATWG name; NULL: none or unknown. */
CRAWL_API const char *crawl_charset_of_content_type(crawl_slice content_type);
/* The encoding of a page by the HTML standard's sniffing: BOM, then transport (a WHATWG name, NULL: none), then
 * <meta> within the first 1024 bytes, then "windows-1252", or "utf-8" where the bytes are valid as such. Never NULL. */
CRAWL_API const char *crawl_charset_sniff(crawl_slice html, const char *transport);

#ifdef __cplusplus
}
#endif
#endif

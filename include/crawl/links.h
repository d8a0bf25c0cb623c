/* Reads an HTML page for a crawler: its links, base, title, encoding, and directives for robots. */
#ifndef CRAWL_LINKS_H
#define CRAWL_LINKS_H

#include <crawl/url.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maxima, each against a page made to exhaust the crawler. Beyond them a page is cut, never refused. */
#define CRAWL_PAGE_MAX_LINKS 100000u  /* links kept of one page */
#define CRAWL_PAGE_MAX_HREF 16384u    /* bytes of one link's attribute; a longer one is left out */
#define CRAWL_PAGE_MAX_TITLE 1024u    /* bytes of the title kept */
#define CRAWL_PAGE_MAX_LINK_TEXT 256u /* bytes of a link's text kept */
#define CRAWL_PAGE_MAX_TEXT \
    1048576u /* bytes of the page's text kept, and of one run of text between tags that are looked at */

/* Where a link stands; bits of crawl_link.kind and of a mask. */
typedef enum crawl_link_kind {
    /* Links to other pages. */
    CRAWL_LINK_A = 1 << 0,       /* href */
    CRAWL_LINK_AREA = 1 << 1,    /* href */
    CRAWL_LINK_LINK = 1 << 2,    /* href; links and enclosures of feeds too */
    CRAWL_LINK_FRAME = 1 << 3,   /* src */
    CRAWL_LINK_IFRAME = 1 << 4,  /* src */
    CRAWL_LINK_REFRESH = 1 << 5, /* <meta http-equiv=refresh> */
    /* Parts of a page, and targets of its forms. */
    CRAWL_LINK_IMG = 1 << 6,     /* src, srcset */
    CRAWL_LINK_SOURCE = 1 << 7,  /* src, srcset */
    CRAWL_LINK_SCRIPT = 1 << 8,  /* src */
    CRAWL_LINK_FORM = 1 << 9,    /* action, of forms that are sent with GET */
    CRAWL_LINK_VIDEO = 1 << 10,  /* src, poster */
    CRAWL_LINK_AUDIO = 1 << 11,  /* src */
    CRAWL_LINK_TRACK = 1 << 12,  /* src */
    CRAWL_LINK_EMBED = 1 << 13,  /* src */
    CRAWL_LINK_OBJECT = 1 << 14, /* data */
    CRAWL_LINK_INPUT = 1 << 15,  /* src of <input type=image> */
    CRAWL_LINK_BODY = 1 << 16,   /* background */
    /* Links that may stand in any tag. A page that is asked for one of these is looked through tag by tag, which takes
     * about twice as long, and then imagesrcset of <link>, background of tables, formaction and <iframe srcdoc> are
     * reported too, by the kinds of their elements. */
    CRAWL_LINK_STYLE = 1 << 17, /* CSS: of <style>, style attributes, style sheets; <?xml-stylesheet?> */
    CRAWL_LINK_SVG = 1 << 18,   /* in SVG: href of image, use, feImage, script; url() of filter, mask, ... */
    CRAWL_LINK_LAZY = 1 << 19,  /* attributes of crawl_page_set_lazy, which scripts load images from */
    /* URLs of pages that scripts hold; docs/html.md says by which rules. */
    CRAWL_LINK_SCRIPT_DATA = 1 << 20, /* in a <script>, JSON too, under a name that says so; attr is the name: "href" */
    CRAWL_LINK_SCRIPT_TEXT = 1 << 21, /* in a <script>, told by their look alone, so that some are none; attr is
                                         "string" */
    CRAWL_LINK_DATA_HREF = 1 << 22    /* of pages with a <script>: attributes for it, data-href and data-url, handlers
                                         of clicks, values of options; the page is looked through once more for them,
                                         tag by tag, and they come last */
} crawl_link_kind;

/* Kinds of links that lead to pages. */
#define CRAWL_LINK_PAGES 0x3f
#define CRAWL_LINK_ALL 0x1ffff       /* of elements that have links by their name */
#define CRAWL_LINK_ANYWHERE 0x0e0000 /* of any tag */
#define CRAWL_LINK_SCRIPTS 0x700000  /* of scripts */
#define CRAWL_LINK_EVERY 0x7fffff    /* all of these */
#define CRAWL_LINK_PARTS 0xffdc0     /* what a page is made of: all but CRAWL_LINK_PAGES, forms and those of scripts */
#define CRAWL_PAGE_MAX_LAZY 32u      /* names of crawl_page_set_lazy: each is compared with the attributes of a tag */
#define CRAWL_PAGE_MAX_SRCDOC 4u     /* documents of srcdoc inside one another; deeper ones are not looked into */

/* A link of a page, borrowed from it. */
typedef struct crawl_link {
    crawl_slice href; /* the attribute's value, character references decoded, UTF-8, as it stands: resolve it by
                          crawl_url_parse(url, href, crawl_page_base(page), crawl_page_charset(page)) */
    crawl_slice rel;  /* as it stands; empty: none */
    crawl_slice type; /* of a CRAWL_LINK_LINK the media type that it names, as it stands; empty: none */
    crawl_slice text; /* see CRAWL_TEXT_LINKS; empty: none, or not asked for */
    const char *tag;  /* lower-case element name, static; "*": any; "css": a style sheet */
    const char *attr; /* lower-case attribute name, static, or the page's; of CSS "@import", "@font-face" or "url" */
    crawl_link_kind kind;
    bool nofollow;   /* rel has nofollow */
    bool for_anyone; /* a <link> of a page that has neither hreflang nor media */
} crawl_link;

/* meta robots and X-Robots-Tag, as flags. */
enum { CRAWL_ROBOTS_NOINDEX = 1, CRAWL_ROBOTS_NOFOLLOW = 2 };

/* A parsed page; parsed into again and again with its memory kept. Single-thread. */
typedef struct crawl_page crawl_page;

/* How the links of an HTML page are found. Both see the same page by the HTML standard's rules and find the same; SCAN
 * takes a fraction of the time. */
typedef enum crawl_extractor {
    CRAWL_EXTRACTOR_SCAN,   /* a tokenizer of our own alone */
    CRAWL_EXTRACTOR_LIBXML2 /* the tags that it finds, through libxml2's parser */
} crawl_extractor;

/* Sorts of documents. */
typedef enum crawl_document {
    CRAWL_DOCUMENT_HTML,
    CRAWL_DOCUMENT_XHTML,   /* read as HTML, but for what XML closes and quotes otherwise */
    CRAWL_DOCUMENT_FEED,    /* RSS or Atom */
    CRAWL_DOCUMENT_OTHER,   /* none that has links for us; parsed as HTML if asked to */
    CRAWL_DOCUMENT_SITEMAP, /* an XML sitemap, for <crawl/sitemap.h>; likewise */
    CRAWL_DOCUMENT_CSS,     /* a style sheet; its links are of CRAWL_LINK_STYLE */
    CRAWL_DOCUMENT_SVG,     /* a picture, read as XHTML: it has links and parts as a page has */
    CRAWL_DOCUMENT_SCRIPT   /* a file of JavaScript; its links are of CRAWL_LINK_SCRIPTS */
} crawl_document;

/* The media type of a Content-Type value, as it stands without its parameters: of a list the last one that is one
 * (Fetch, "extract a MIME type"; white space ends it too). A part of content_type; empty: it names none. */
CRAWL_API crawl_slice crawl_media_type(crawl_slice content_type);

/* By the media type of a Content-Type value alone; never CRAWL_DOCUMENT_SITEMAP. */
CRAWL_API crawl_document crawl_document_of_content_type(crawl_slice content_type);

/* By the Content-Type (empty: there was none) and the document's outermost element, looked for in the first 4 KiB: XML
 * of no type of its own (text/xml, application/xml, image/svg+xml, ...) is what that element is; a feed that is called
 * HTML is a feed (WHATWG MIME Sniffing, "sniffing a mislabeled feed"), and a PDF, a picture or an archive that is, is
 * CRAWL_DOCUMENT_OTHER; and what has no Content-Type is HTML where it begins with "<", unless the element says more. */
CRAWL_API crawl_document crawl_document_of(crawl_slice content_type, crawl_slice bytes);

/* NULL when there is no memory. A new page finds all kinds of links by CRAWL_EXTRACTOR_SCAN and has no agent. */
CRAWL_API crawl_page *crawl_page_create(void);
CRAWL_API void crawl_page_free(crawl_page *page);

/* These hold for the parses to come. */
CRAWL_API void crawl_page_set_extractor(crawl_page *page, crawl_extractor extractor);
CRAWL_API void crawl_page_set_kinds(crawl_page *page, unsigned kinds); /* CRAWL_LINK_ bits; other links are not gathered
                                                                        */
/* Attributes that the scripts in common use read the URLs of images from. */
#define CRAWL_PAGE_LAZY                                                                                                \
    "data-src data-srcset data-original data-lazy data-lazy-src data-lazy-srcset data-bg data-bg-src data-background " \
    "data-background-image data-poster data-image"
/* The names of attributes of CRAWL_LINK_LAZY, apart by spaces, in any case: a value is a URL, or declarations of CSS
 * where there is a "(" in it; where the name ends in "srcset", it is one. Copied; NULL: none. A new page has none.
 * CRAWL_EINVAL: there are more than CRAWL_PAGE_MAX_LAZY; CRAWL_ENOMEM. After either it is as it was. */
CRAWL_API crawl_err crawl_page_set_lazy(crawl_page *page, const char *names);
/* Text that is gathered, as bits; none of a new page. White space is collapsed, control characters are left out, and
 * what is too long is cut at a character. Elements of blocks end a word, others do not. Not of feeds. LINKS: of <a>
 * what stands in it, or the alt of its images where that is empty; of area, img and <input type=image> their alt. PAGE:
 * what stands between tags; that of script, style, title, textarea and the like is none. */
enum { CRAWL_TEXT_LINKS = 1, CRAWL_TEXT_PAGE = 2 };
/* Which text is gathered, as the bits above. */
CRAWL_API void crawl_page_set_text(crawl_page *page, unsigned texts);
/* Are the ids of the page gathered? Not of a new page. */
CRAWL_API void crawl_page_set_ids(crawl_page *page, bool wanted);
/* Is gathered what <crawl/data.h> reads of the page? Not of a new page. */
CRAWL_API void crawl_page_set_data(crawl_page *page, bool wanted);
/* Besides <meta name=robots>, <meta name=AGENT> tells robots (in any case; copied; NULL: none). CRAWL_ENOMEM: as it
 * was. */
CRAWL_API crawl_err crawl_page_set_agent(crawl_page *page, const char *agent);

/* Parses html, fetched from url (NULL: none known), with the charset that the transport declared (NULL: none).
 * Never fails for what the bytes are; CRAWL_ENOMEM alone. The results of an earlier parse are gone. html and url are
 * only read during the call. */
CRAWL_API crawl_err crawl_page_parse(crawl_page *page, crawl_slice html, const crawl_url *url, const char *charset);

/* The same of other documents. Of a feed there are links, base (xml:base of its outermost element), title and
 * charset. */
CRAWL_API crawl_err crawl_page_parse_as(crawl_page *page, crawl_document document, crawl_slice bytes,
                                        const crawl_url *url, const char *charset);

/* In document order. */
CRAWL_API const crawl_link *crawl_page_links(const crawl_page *page, size_t *count);
/* Columns of crawl_page_table; bits, in the order of columns. */
typedef enum crawl_link_column {
    CRAWL_COLUMN_TAG = 1 << 0,
    CRAWL_COLUMN_ATTR = 1 << 1,
    CRAWL_COLUMN_URL = 1 << 2,   /* resolved and serialized, fragment included */
    CRAWL_COLUMN_W3LIB = 1 << 3, /* the canonical form of that URL by CRAWL_PROFILE_W3LIB, fragment kept; empty: it has
                                    none */
    CRAWL_COLUMN_REL = 1 << 4,
    CRAWL_COLUMN_NOFOLLOW = 1 << 5, /* "1" or empty */
    CRAWL_COLUMN_TEXT = 1 << 6
} crawl_link_column;
/* All of these columns. */
#define CRAWL_COLUMN_ALL 0x7f

/* Appends the links as one text, in one call, for callers to whom a call is dear: a line for each link, in document
 * order, of the columns asked for, apart by tabs; each line ends in a newline. Tabs and newlines of a value are spaces.
 * A link that is no URL is left out. CRAWL_ENOMEM: out is as it was. */
CRAWL_API crawl_err crawl_page_table(const crawl_page *page, unsigned columns, crawl_buf *out);

/* Were there more than CRAWL_PAGE_MAX_LINKS? Those behind are left out. */
CRAWL_API bool crawl_page_links_cut(const crawl_page *page);
CRAWL_API const crawl_url *crawl_page_base(const crawl_page *page); /* <base href> resolved, or the page's URL; NULL:
                                                                       neither */
CRAWL_API const char *crawl_page_charset(const crawl_page *page); /* WHATWG name in lower case, "utf-8", "windows-1252";
                                                                     never NULL */
CRAWL_API crawl_slice crawl_page_title(const crawl_page *page);   /* white space collapsed, UTF-8 */
CRAWL_API crawl_slice crawl_page_text(const crawl_page *page);    /* see CRAWL_TEXT_PAGE; UTF-8 */
CRAWL_API unsigned crawl_page_robots(const crawl_page *page);     /* CRAWL_ROBOTS_ flags of meta robots */
/* The names that the fragment of a URL may have in the page (HTML standard, 7.4.6.4, "find a potential indicated
 * element"): the id of each element, and the name of each <a>, in document order, each ended by a NUL; UTF-8. Names in
 * <template> count, since scripts put them into the page. Of the first CRAWL_PAGE_MAX_IDS bytes of it; *cut: there are
 * more, which are left out. Not of feeds. */
CRAWL_API crawl_slice crawl_page_ids(const crawl_page *page, bool *cut);
#define CRAWL_PAGE_MAX_IDS 262144u
/* Has the page scripts, and no link that leads from it? Then it may be one that scripts fill. Known where links of
 * CRAWL_LINK_PAGES are wanted. */
CRAWL_API bool crawl_page_is_scripted(const crawl_page *page);
/* The canonical link's href as it stands (rel=canonical); empty: none. */
CRAWL_API crawl_slice crawl_page_canonical(const crawl_page *page);
/* True if a meta refresh was there; *delay in seconds, *href as it stands ("" for the page itself), borrowed. */
CRAWL_API bool crawl_page_refresh(const crawl_page *page, double *delay, crawl_slice *href);

/* A link of a Link header (RFC 8288). */
typedef struct crawl_header_link {
    crawl_slice href;   /* as it stands, to be resolved against the URL of the answer */
    crawl_slice rel;    /* of the first rel parameter, without its quotes; empty: none */
    crawl_slice type;   /* of the first type, likewise */
    crawl_slice anchor; /* of the first anchor, likewise; where it is not empty, the link is one of another document */
    uint64_t reserved[2]; /* 0, for later versions */
} crawl_header_link;

/* Takes the next link off the front of *rest, which begins as the value of a Link header, or several joined by ",".
 * Slices are parts of *rest; a backslash inside quotes stays. False: there is none left; what is no link ends the list
 * (RFC 8288, B.2). */
CRAWL_API bool crawl_link_header_next(crawl_slice *rest, crawl_header_link *link);

/* Reads the value of a Refresh header, which browsers take as they do <meta http-equiv=refresh>: *delay in whole
 * seconds, *href a part of value, empty for the page itself. CRAWL_EPARSE: it is none. */
CRAWL_API crawl_err crawl_refresh_header(crawl_slice value, double *delay, crawl_slice *href);

/* The CRAWL_ROBOTS_ flags that one X-Robots-Tag header holds for agent (a product token, in any case; NULL: none),
 * "noindex", or "agent: noindex, nofollow": directives after the name of an agent are for that one, up to the next
 * name; those before any are for all. Of several headers the flags add up. */
CRAWL_API unsigned crawl_robots_tag(crawl_slice value, const char *agent);

/* The WHATWG name of an encoding label ("latin1" -> "windows-1252"), static; NULL: unknown. */
CRAWL_API const char *crawl_charset_name(crawl_slice label);
/* The charset parameter of a Content-Type value, as a WHATWG name; NULL: none or unknown. */
CRAWL_API const char *crawl_charset_of_content_type(crawl_slice content_type);
/* The encoding of a page by the HTML standard's sniffing: BOM, then transport (a WHATWG name, NULL: none), then
 * <meta> within the first 1024 bytes or the head, at most 64 KiB, then "windows-1252", or "utf-8" where the bytes are
 * valid as such. Never NULL. */
CRAWL_API const char *crawl_charset_sniff(crawl_slice html, const char *transport);

/* Appends a line "NAME VERSION" for each library that pages and URLs are read with, as it is loaded: libxml2,
 * libunistring. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_page_libraries(crawl_buf *out);

#ifdef __cplusplus
}
#endif
#endif

/* Parses a page for a crawler: its links, base, title, encoding, and directives for robots. */
#ifndef CRAWL_LINKS_H
#define CRAWL_LINKS_H

#include <crawl/url.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maxima, each against a page made to exhaust the crawler. A page beyond them is cut, never refused. */
#define CRAWL_PAGE_MAX_LINKS 100000u  /* links of a page */
#define CRAWL_PAGE_MAX_HREF 16384u    /* bytes of a link's attribute; longer ones are left out */
#define CRAWL_PAGE_MAX_TITLE 1024u    /* bytes of the title */
#define CRAWL_PAGE_MAX_LINK_TEXT 256u /* bytes of a link's text */
#define CRAWL_PAGE_MAX_TEXT \
    1048576u /* bytes of the page's text, and of one run of text between tags that are looked at */

/* Where a link stands; bits of crawl_link.kind and of a mask. */
typedef enum crawl_link_kind {
    /* Links to other pages. */
    CRAWL_LINK_A = 1 << 0,       /* href */
    CRAWL_LINK_AREA = 1 << 1,    /* href */
    CRAWL_LINK_LINK = 1 << 2,    /* href; also links and enclosures of feeds */
    CRAWL_LINK_FRAME = 1 << 3,   /* src */
    CRAWL_LINK_IFRAME = 1 << 4,  /* src */
    CRAWL_LINK_REFRESH = 1 << 5, /* <meta http-equiv=refresh> */
    /* Parts of a page, and targets of its forms. */
    CRAWL_LINK_IMG = 1 << 6,     /* src, srcset */
    CRAWL_LINK_SOURCE = 1 << 7,  /* src, srcset */
    CRAWL_LINK_SCRIPT = 1 << 8,  /* src */
    CRAWL_LINK_FORM = 1 << 9,    /* action, for forms sent with GET */
    CRAWL_LINK_VIDEO = 1 << 10,  /* src, poster */
    CRAWL_LINK_AUDIO = 1 << 11,  /* src */
    CRAWL_LINK_TRACK = 1 << 12,  /* src */
    CRAWL_LINK_EMBED = 1 << 13,  /* src */
    CRAWL_LINK_OBJECT = 1 << 14, /* data */
    CRAWL_LINK_INPUT = 1 << 15,  /* src of <input type=image> */
    CRAWL_LINK_BODY = 1 << 16,   /* background */
    /* Links that may stand in any tag. If one of these kinds is requested, the page is scanned tag by tag, which takes
     * about twice as long. imagesrcset of <link>, background of tables, formaction and <iframe srcdoc> are then
     * reported too, with the kinds of their elements. */
    CRAWL_LINK_STYLE = 1 << 17, /* CSS: of <style>, style attributes, style sheets; <?xml-stylesheet?> */
    CRAWL_LINK_SVG = 1 << 18,   /* in SVG: href of image, use, feImage, script; url() of filter, mask, ... */
    CRAWL_LINK_LAZY = 1 << 19,  /* attributes of crawl_page_set_lazy, from which scripts load images */
    /* URLs of pages inside scripts; docs/html.md lists the rules. */
    CRAWL_LINK_SCRIPT_DATA = 1 << 20, /* in a <script>, also JSON, under a telling name; attr is the name: "href" */
    CRAWL_LINK_SCRIPT_TEXT = 1 << 21, /* in a <script>, guessed from their look, so that some are not URLs; attr is
                                         "string" */
    CRAWL_LINK_DATA_HREF = 1 << 22    /* in pages with a <script>: attributes read by scripts, data-href and data-url,
                                         click handlers, values of options, JSON; they take a further scan, tag by
                                         tag, and come last */
} crawl_link_kind;

/* Kinds of links that lead to pages. */
#define CRAWL_LINK_PAGES 0x3f
#define CRAWL_LINK_ALL 0x1ffff       /* elements that are links by name */
#define CRAWL_LINK_ANYWHERE 0x0e0000 /* any tag */
#define CRAWL_LINK_SCRIPTS 0x700000  /* scripts */
#define CRAWL_LINK_EVERY 0x7fffff    /* all of these */
#define CRAWL_LINK_PARTS 0xffdc0     /* the parts of a page: all but CRAWL_LINK_PAGES, forms and scripts */
#define CRAWL_PAGE_MAX_LAZY 32u      /* names in crawl_page_set_lazy: each is compared with the attributes of a tag */
#define CRAWL_PAGE_MAX_SRCDOC 4u     /* nested srcdoc documents; deeper ones are ignored */

/* A link of a page, borrowed from it. */
typedef struct crawl_link {
    crawl_slice href; /* the attribute's value as written, character references decoded, UTF-8: resolve it by
                         crawl_url_parse(url, href, crawl_page_base(page), crawl_page_charset(page)) */
    crawl_slice rel;  /* as written; empty: none */
    crawl_slice type; /* for CRAWL_LINK_LINK the media type, as written; empty: none */
    crawl_slice text; /* see CRAWL_TEXT_LINKS; empty: none, or not requested */
    const char *tag;  /* lower-case element name, static; "*": any; "css": a style sheet */
    const char *attr; /* lower-case attribute name, static, or the page's; for CSS "@import", "@font-face" or "url" */
    crawl_link_kind kind;
    bool nofollow;   /* rel contains nofollow */
    bool for_anyone; /* a <link> of a page that has neither hreflang nor media */
} crawl_link;

/* meta robots and X-Robots-Tag, as flags. */
enum { CRAWL_ROBOTS_NOINDEX = 1, CRAWL_ROBOTS_NOFOLLOW = 2 };

/* A parsed page, reused for one parse after another. Single-threaded. */
typedef struct crawl_page crawl_page;

/* How the links of an HTML page are found. Both follow the HTML standard and find the same links; SCAN takes a fraction
 * of the time. */
typedef enum crawl_extractor {
    CRAWL_EXTRACTOR_SCAN,   /* our own tokenizer only */
    CRAWL_EXTRACTOR_LIBXML2 /* the tags that it finds, through libxml2's parser */
} crawl_extractor;

/* Kinds of documents. */
typedef enum crawl_document {
    CRAWL_DOCUMENT_HTML,
    CRAWL_DOCUMENT_XHTML,   /* read as HTML, except where XML closes and quotes differently */
    CRAWL_DOCUMENT_FEED,    /* RSS, Atom or JSON Feed */
    CRAWL_DOCUMENT_OTHER,   /* one without links for us; parsed as HTML if requested */
    CRAWL_DOCUMENT_SITEMAP, /* an XML sitemap, for <crawl/sitemap.h>; parsed as HTML if requested */
    CRAWL_DOCUMENT_CSS,     /* a style sheet; its links are of CRAWL_LINK_STYLE */
    CRAWL_DOCUMENT_SVG,     /* a picture, read as XHTML: it has links and parts like a page */
    CRAWL_DOCUMENT_SCRIPT   /* a file of JavaScript; its links are of CRAWL_LINK_SCRIPTS */
} crawl_document;

/* Returns the media type of a Content-Type value, as written, without its parameters: of a list, the last valid one
 * (Fetch, "extract a MIME type"; white space ends it too). Points into content_type; empty: there is none. */
CRAWL_API crawl_slice crawl_media_type(crawl_slice content_type);

/* Returns the kind by the media type of a Content-Type value only; never CRAWL_DOCUMENT_SITEMAP. */
CRAWL_API crawl_document crawl_document_of_content_type(crawl_slice content_type);

/* Returns the kind by the Content-Type (empty: there was none) and the outermost element, searched in the first 64 KiB
 * (4 KiB of UTF-16, which needs a byte order mark). XML without a type of its own (text/xml, application/xml,
 * image/svg+xml, ...) is what that element says. A feed labelled as HTML is a feed (WHATWG MIME Sniffing, "sniffing a
 * mislabeled feed"), and so is one labelled as plain text; a PDF, a picture or an archive labelled as HTML is
 * CRAWL_DOCUMENT_OTHER. A JSON object that mentions jsonfeed.org is a feed. A document without a Content-Type is HTML
 * if it begins with "<", unless the element says more. */
CRAWL_API crawl_document crawl_document_of(crawl_slice content_type, crawl_slice bytes);

/* Creates a page, which finds all kinds of links by CRAWL_EXTRACTOR_SCAN and has no agent. NULL: out of memory. */
CRAWL_API crawl_page *crawl_page_create(void);
CRAWL_API void crawl_page_free(crawl_page *page);

/* These apply to later parses. */
CRAWL_API void crawl_page_set_extractor(crawl_page *page, crawl_extractor extractor);
CRAWL_API void crawl_page_set_kinds(crawl_page *page, unsigned kinds); /* CRAWL_LINK_ bits; other links are not
                                                                          collected */
/* Attributes from which common scripts read the URLs of images. */
#define CRAWL_PAGE_LAZY                                                                                                \
    "data-src data-srcset data-original data-lazy data-lazy-src data-lazy-srcset data-bg data-bg-src data-background " \
    "data-background-image data-poster data-image"
/* Sets the attribute names of CRAWL_LINK_LAZY, separated by spaces, in any case. A value is a URL, or CSS declarations
 * if it contains "("; if the name ends in "srcset", it is a srcset. Copied; NULL: none, the default. CRAWL_EINVAL: more
 * than CRAWL_PAGE_MAX_LAZY; CRAWL_ENOMEM. Unchanged after either. */
CRAWL_API crawl_err crawl_page_set_lazy(crawl_page *page, const char *names);
/* Bits for the text to collect; none by default. Collapses white space, drops control characters, and cuts long text at
 * a character boundary. Block elements end a word, others do not. Not for feeds. LINKS: the content of <a>, or the alt
 * of its images if that is empty; the alt of area, img and <input type=image>. PAGE: the text between tags, except in
 * script, style, title, textarea and similar. */
enum { CRAWL_TEXT_LINKS = 1, CRAWL_TEXT_PAGE = 2 };
/* Selects the text to collect, by the bits above. */
CRAWL_API void crawl_page_set_text(crawl_page *page, unsigned texts);
/* Selects whether to collect the ids of the page; off by default. */
CRAWL_API void crawl_page_set_ids(crawl_page *page, bool wanted);
/* Selects whether to collect what <crawl/data.h> reads of the page; off by default. */
CRAWL_API void crawl_page_set_data(crawl_page *page, bool wanted);
/* Sets an agent whose <meta name=AGENT> applies like <meta name=robots> (in any case; copied; NULL: none).
 * CRAWL_ENOMEM: unchanged. */
CRAWL_API crawl_err crawl_page_set_agent(crawl_page *page, const char *agent);

/* Parses html, fetched from url (NULL: not known), with the charset that the transport declared (NULL: none), and
 * discards the results of an earlier parse. No input makes it fail; only CRAWL_ENOMEM. html and url are read only
 * during the call. */
CRAWL_API crawl_err crawl_page_parse(crawl_page *page, crawl_slice html, const crawl_url *url, const char *charset);

/* Parses a document of any kind. A feed has links, base (xml:base of its outermost element), title and charset. */
CRAWL_API crawl_err crawl_page_parse_as(crawl_page *page, crawl_document document, crawl_slice bytes,
                                        const crawl_url *url, const char *charset);

/* Returns the links in document order. */
CRAWL_API const crawl_link *crawl_page_links(const crawl_page *page, size_t *count);
/* Columns of crawl_page_table; bits, in column order. */
typedef enum crawl_link_column {
    CRAWL_COLUMN_TAG = 1 << 0,
    CRAWL_COLUMN_ATTR = 1 << 1,
    CRAWL_COLUMN_URL = 1 << 2,   /* resolved and serialized, fragment included */
    CRAWL_COLUMN_W3LIB = 1 << 3, /* the canonical form of that URL by CRAWL_PROFILE_W3LIB, fragment kept; empty: none */
    CRAWL_COLUMN_REL = 1 << 4,
    CRAWL_COLUMN_NOFOLLOW = 1 << 5, /* "1" or empty */
    CRAWL_COLUMN_TEXT = 1 << 6
} crawl_link_column;
/* All of these columns. */
#define CRAWL_COLUMN_ALL 0x7f

/* Appends the links as one text, in one call, for callers to whom a call is expensive: one line per link, in document
 * order, with the requested columns separated by tabs; each line ends with a newline. Tabs and newlines in a value
 * become spaces. Leaves out links that are not URLs. CRAWL_ENOMEM: out is unchanged. */
CRAWL_API crawl_err crawl_page_table(const crawl_page *page, unsigned columns, crawl_buf *out);

/* Returns true if the page had more than CRAWL_PAGE_MAX_LINKS links. The rest is left out. */
CRAWL_API bool crawl_page_links_cut(const crawl_page *page);
CRAWL_API const crawl_url *crawl_page_base(const crawl_page *page); /* <base href> resolved, or the page's URL; NULL:
                                                                       neither */
CRAWL_API const char *crawl_page_charset(const crawl_page *page); /* WHATWG name in lower case, "utf-8", "windows-1252";
                                                                     never NULL */
CRAWL_API crawl_slice crawl_page_title(const crawl_page *page);   /* white space collapsed, UTF-8 */
CRAWL_API crawl_slice crawl_page_text(const crawl_page *page);    /* see CRAWL_TEXT_PAGE; UTF-8 */
CRAWL_API unsigned crawl_page_robots(const crawl_page *page);     /* CRAWL_ROBOTS_ flags of meta robots */
/* Returns the names that the fragment of a URL may have in the page (HTML standard, 7.4.6.4, "find a potential
 * indicated element"): the id of each element, and the name of each <a>, in document order, each NUL-terminated; UTF-8.
 * Names in <template> count, since scripts put them into the page. At most CRAWL_PAGE_MAX_IDS bytes; *cut: more were
 * left out. Not for feeds. */
CRAWL_API crawl_slice crawl_page_ids(const crawl_page *page, bool *cut);
#define CRAWL_PAGE_MAX_IDS 262144u
/* Returns true if the page has scripts but no link that leads away from it, so that scripts may fill it. Known only if
 * links of CRAWL_LINK_PAGES are wanted. */
CRAWL_API bool crawl_page_is_scripted(const crawl_page *page);
/* Returns the canonical link's href as written (rel=canonical); empty: none. */
CRAWL_API crawl_slice crawl_page_canonical(const crawl_page *page);
/* Returns true if there is a meta refresh; *delay in seconds, *href as written ("" for the page itself), borrowed. */
CRAWL_API bool crawl_page_refresh(const crawl_page *page, double *delay, crawl_slice *href);

/* A link of a Link header (RFC 8288). */
typedef struct crawl_header_link {
    crawl_slice href;     /* as written, to be resolved against the URL of the answer */
    crawl_slice rel;      /* of the first rel parameter, without its quotes; empty: none */
    crawl_slice type;     /* of the first type, likewise */
    crawl_slice anchor;   /* of the first anchor, likewise; if not empty, the link belongs to another document */
    crawl_slice hreflang; /* of the first hreflang, likewise */
    uint64_t reserved[2]; /* 0, for later versions */
} crawl_header_link;

/* Takes the next link off the front of *rest, the value of a Link header, or several values joined by ",". Slices point
 * into *rest; backslashes inside quotes stay. False: there are no more links; a malformed link ends the list (RFC 8288,
 * B.2). */
CRAWL_API bool crawl_link_header_next(crawl_slice *rest, crawl_header_link *link);

/* Parses the value of a Refresh header, which browsers treat like <meta http-equiv=refresh>: *delay in whole seconds,
 * *href points into value, empty for the page itself. CRAWL_EPARSE: malformed. */
CRAWL_API crawl_err crawl_refresh_header(crawl_slice value, double *delay, crawl_slice *href);

/* Returns the CRAWL_ROBOTS_ flags of an X-Robots-Tag header for agent (a product token, in any case; NULL: none):
 * "noindex", or "agent: noindex, nofollow". Directives after an agent's name apply to that agent, up to the next name;
 * those before any name apply to all. The flags of several headers add up. */
CRAWL_API unsigned crawl_robots_tag(crawl_slice value, const char *agent);

/* Returns the WHATWG name of an encoding label ("latin1" -> "windows-1252"), static; NULL: unknown. */
CRAWL_API const char *crawl_charset_name(crawl_slice label);
/* Returns the charset parameter of a Content-Type value, as a WHATWG name: of a list of one type, the last one (Fetch,
 * "extract a MIME type"). NULL: none or unknown. */
CRAWL_API const char *crawl_charset_of_content_type(crawl_slice content_type);
/* Returns the encoding of a page by the HTML standard's sniffing: BOM, then transport (a WHATWG name, NULL: none), then
 * <meta> within the first 1024 bytes or the head, at most 64 KiB, then "windows-1252", or "utf-8" if the bytes are
 * valid UTF-8. Never NULL. */
CRAWL_API const char *crawl_charset_sniff(crawl_slice html, const char *transport);

/* Appends a line "NAME VERSION" for each library that reads pages and URLs, in the loaded version: libxml2,
 * libunistring. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_page_libraries(crawl_buf *out);

#ifdef __cplusplus
}
#endif
#endif

/* The text of a page, plain or as Markdown: without navigation, notices and footers where these can be told, or all
 * of it. For search, for language models, for reading. docs/text.md explains the rules. */
#ifndef CRAWL_TEXT_H
#define CRAWL_TEXT_H

#include <crawl/links.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maxima, each against a page made to exhaust whoever reads it. The rest is left out, and a text ends with a
 * whole line. A page takes 64 MiB of memory at most. */
#define CRAWL_TEXT_MAX_INPUT 2097152u /* bytes of a page that are read */
#define CRAWL_TEXT_MAX 1048576u       /* bytes of its text */
#define CRAWL_TEXT_MAX_LINKS 10000u   /* links that are resolved; of those behind, the text alone stands there */

/* The form of a text. */
typedef enum crawl_text_form {
    CRAWL_TEXT_FORM_NONE,
    CRAWL_TEXT_FORM_PLAIN,   /* a paragraph a line, with an empty line between; cells of a table apart by tabs */
    CRAWL_TEXT_FORM_MARKDOWN /* CommonMark, with the tables of GitHub Flavored Markdown */
} crawl_text_form;

/* Which parts of a page become text, and how. */
typedef struct crawl_text_options {
    size_t size;             /* sizeof(crawl_text_options) */
    crawl_text_form form;    /* not NONE */
    bool all;                /* nothing is left out for being a part of the page's frame */
    crawl_document document; /* CRAWL_DOCUMENT_HTML or CRAWL_DOCUMENT_XHTML */
    const crawl_url *url;    /* of the page, which links are resolved against; NULL: not known */
    const char *charset;     /* that the transport declared, a WHATWG name; NULL: none */
} crawl_text_options;

/* Its memory is used again for the next page. Single-thread. */
typedef struct crawl_text_maker crawl_text_maker;

/* NULL when there is no memory. */
CRAWL_API crawl_text_maker *crawl_text_maker_create(void);
CRAWL_API void crawl_text_maker_free(crawl_text_maker *maker);

/* Makes the text of a page. *text: UTF-8, borrowed until the next call; each line ends in a newline; empty: it says
 * nothing. Never fails for what the bytes are. CRAWL_EINVAL: no form, or a document that is no page. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_text_make(crawl_text_maker *maker, crawl_slice bytes, const crawl_text_options *options,
                                    crawl_slice *text);

/* Makes the text of a page and parses it as crawl_page_parse_as does, by one pass over it: page then has its links and
 * all else that it was set to find. Both are what the two calls give one by one, which takes longer. A page of more
 * than CRAWL_TEXT_MAX_INPUT is read twice, since its links count to its end. As crawl_text_make; after CRAWL_EINVAL
 * page is as it was. */
CRAWL_API crawl_err crawl_text_make_with_links(crawl_text_maker *maker, crawl_slice bytes,
                                               const crawl_text_options *options, crawl_page *page, crawl_slice *text);

/* Was something of that page left out, since it was beyond a maximum above? */
CRAWL_API bool crawl_text_is_cut(const crawl_text_maker *maker);

#ifdef __cplusplus
}
#endif
#endif

/* The text of a page, plain or as Markdown: without navigation, notices and footers where these can be recognised, or
 * all of it. For search, for language models, for reading. docs/text.md explains the rules. */
#ifndef CRAWL_TEXT_H
#define CRAWL_TEXT_H

#include <crawl/links.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maxima, each against a page made to exhaust its reader. The rest is left out, and a text ends with a whole line, or
 * at a space of a line that is longer than half the maximum. A page takes at most 64 MiB of memory. */
#define CRAWL_TEXT_MAX_INPUT 2097152u /* bytes of a page that are read */
#define CRAWL_TEXT_MAX 1048576u       /* bytes of its text */
#define CRAWL_TEXT_MAX_LINKS 10000u   /* links that are resolved; later ones become plain text */

/* The form of a text. */
typedef enum crawl_text_form {
    CRAWL_TEXT_FORM_NONE,
    CRAWL_TEXT_FORM_PLAIN,   /* a paragraph per line, separated by empty lines; cells of a table separated by tabs */
    CRAWL_TEXT_FORM_MARKDOWN /* CommonMark, with the tables of GitHub Flavored Markdown */
} crawl_text_form;

/* Which parts of a page become text, and how. */
typedef struct crawl_text_options {
    size_t size;             /* sizeof(crawl_text_options) */
    crawl_text_form form;    /* not NONE */
    bool all;                /* includes the parts that belong to the page's frame */
    crawl_document document; /* CRAWL_DOCUMENT_HTML or CRAWL_DOCUMENT_XHTML */
    const crawl_url *url;    /* of the page, the base of its links; NULL: not known */
    const char *charset;     /* declared by the transport, a WHATWG name; NULL: none */
} crawl_text_options;

/* Makes texts, reusing its memory for the next page. Single-threaded. */
typedef struct crawl_text_maker crawl_text_maker;

/* NULL: out of memory. */
CRAWL_API crawl_text_maker *crawl_text_maker_create(void);
CRAWL_API void crawl_text_maker_free(crawl_text_maker *maker);

/* Makes the text of a page. *text: UTF-8, borrowed until the next call; each line ends in a newline; empty: no text. No
 * input makes it fail. CRAWL_EINVAL: no form, or a document that is not a page. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_text_make(crawl_text_maker *maker, crawl_slice bytes, const crawl_text_options *options,
                                    crawl_slice *text);

/* Makes the text of a page and parses it as crawl_page_parse_as does, in one pass: page then has its links and
 * everything else that it was set to find. The results equal those of the two separate calls, which take longer. A page
 * larger than CRAWL_TEXT_MAX_INPUT is read twice, since its links count to its end. Errors as for crawl_text_make;
 * after CRAWL_EINVAL page is unchanged. */
CRAWL_API crawl_err crawl_text_make_with_links(crawl_text_maker *maker, crawl_slice bytes,
                                               const crawl_text_options *options, crawl_page *page, crawl_slice *text);

/* Returns true if part of that page was left out because of a maximum above. */
CRAWL_API bool crawl_text_is_cut(const crawl_text_maker *maker);

#ifdef __cplusplus
}
#endif
#endif

/* Replaces the URLs of a page or a style sheet, for a copy stored somewhere else. All other bytes stay as they are,
 * except for those that would keep the page from being shown elsewhere:
 * - `href` of <base> becomes empty, so that relative URLs are relative to the copy;
 * - `integrity` and `crossorigin` of an element whose URL leads into the copy, and `http-equiv` of a policy
 *   (Content-Security-Policy), are renamed data-integrity and so on;
 * - an encoding that only the server declared is declared in the page: by a byte order mark for UTF-8, by a <meta
 *   charset> otherwise. A page in UTF-16 or ISO-2022-JP, where links cannot be replaced byte by byte, becomes UTF-8,
 *   and so does a style sheet.
 *
 * Single-threaded. */
#ifndef CRAWL_REWRITE_H
#define CRAWL_REWRITE_H

#include <crawl/links.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Appends to out, which is empty, the replacement for target, an http(s) URL, and sets *is_local if it leads into the
 * copy; if out stays empty, the URL is unchanged. An error ends the call and is returned by it. */
typedef crawl_err (*crawl_rewrite_link)(void *user, const crawl_url *target, crawl_buf *out, bool *is_local);

/* How URLs are replaced. */
typedef struct crawl_rewrite {
    size_t size;          /* sizeof(crawl_rewrite) */
    const crawl_url *url; /* of the document: base of its URLs, unless it has a <base> */
    const char *charset;  /* declared by the transport, a WHATWG name; NULL: none */
    const char *lazy;     /* attributes from which scripts load images, as for crawl_page_set_lazy; NULL: none */
    crawl_rewrite_link link;
    void *user;
} crawl_rewrite;

/* Maximum bytes of a rewritten attribute, and of one inside it (srcdoc, style); longer ones are unchanged. */
#define CRAWL_REWRITE_MAX_VALUE 1048576u

/* Appends the page with every URL replaced that a browser loads or follows: in href, src, srcset, poster and similar
 * attributes of HTML and SVG; in how->lazy, if it leads into the copy; in style attributes, <style> and
 * <?xml-stylesheet?>; in a refresh; and all these in srcdoc. A fragment of the page itself is unchanged, and so is any
 * fragment alone in CSS, and in an element of SVG but a link. document: HTML, or XHTML for all XML (SVG). CRAWL_ENOMEM,
 * or the error of link: out is unchanged. */
CRAWL_API crawl_err crawl_rewrite_page(const crawl_rewrite *how, crawl_document document, crawl_slice bytes,
                                       crawl_buf *out);

/* As crawl_rewrite_page, for the file of a style sheet. */
CRAWL_API crawl_err crawl_rewrite_css(const crawl_rewrite *how, crawl_slice bytes, crawl_buf *out);

/* Appends a script, converted to UTF-8 with a byte order mark if the transport declared its encoding (a WHATWG name),
 * which the file itself cannot declare. Unchanged if charset is NULL, or the script is ASCII or has a mark.
 * CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_rewrite_script(const char *charset, crawl_slice bytes, crawl_buf *out);

#ifdef __cplusplus
}
#endif
#endif

/* Puts other URLs in the place of those in a page or a style sheet, for a copy that stands somewhere else. All other
 * bytes stay as they are, but for what keeps a page from being shown where it was not served:
 * - `href` of <base> becomes empty, so that relative URLs are relative to the copy;
 * - `integrity` and `crossorigin` of an element whose URL leads into the copy, and `http-equiv` of a policy
 *   (Content-Security-Policy), get the name data-integrity and so on;
 * - an encoding that the server alone declared is declared in the page: by a byte order mark if it is UTF-8, by a <meta
 *   charset> otherwise. A page in UTF-16 or ISO-2022-JP, where links cannot be replaced byte by byte, becomes UTF-8,
 *   and so does a style sheet.
 * Single-thread. */
#ifndef CRAWL_REWRITE_H
#define CRAWL_REWRITE_H

#include <crawl/links.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Appends to out, which is empty, what is to stand for target, an http(s) URL, and sets *is_local if that leads into
 * the copy; out left empty: the URL stays as it stands. A return other than CRAWL_OK ends the call. */
typedef crawl_err (*crawl_rewrite_link)(void *user, const crawl_url *target, crawl_buf *out, bool *is_local);

/* How URLs are replaced. */
typedef struct crawl_rewrite {
    size_t size;          /* sizeof(crawl_rewrite) */
    const crawl_url *url; /* of the document: URLs are relative to it, or to its <base> */
    const char *charset;  /* that the transport declared, a WHATWG name; NULL: none */
    const char *lazy;     /* attributes that scripts load images from, as crawl_page_set_lazy takes them; NULL: none */
    crawl_rewrite_link link;
    void *user;
} crawl_rewrite;

/* The most bytes of an attribute that is rewritten, and of one in it (srcdoc, style); longer ones stay as they are. */
#define CRAWL_REWRITE_MAX_VALUE 1048576u

/* Appends the page with each URL replaced that a browser loads or leads to: of href, src, srcset, poster and the like
 * of HTML and SVG; of how->lazy, where it leads into the copy; of style attributes, <style> and <?xml-stylesheet?>;
 * of a refresh; and all these in srcdoc. A fragment of the page itself stays. document: HTML, or XHTML for all of XML
 * (SVG). CRAWL_ENOMEM, or what link returned: out is as it was. */
CRAWL_API crawl_err crawl_rewrite_page(const crawl_rewrite *how, crawl_document document, crawl_slice bytes,
                                       crawl_buf *out);

/* The same of the file of a style sheet. */
CRAWL_API crawl_err crawl_rewrite_css(const crawl_rewrite *how, crawl_slice bytes, crawl_buf *out);

/* Appends a script, in UTF-8 with a byte order mark where the transport declared its encoding, a WHATWG name: a file
 * does not say it otherwise. charset NULL, and a script of ASCII: as it is. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_rewrite_script(const char *charset, crawl_slice bytes, crawl_buf *out);

#ifdef __cplusplus
}
#endif
#endif

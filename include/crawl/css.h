/* The URLs of a style sheet: what browsers load because of it, and where each stands, so that it can be replaced. */
#ifndef CRAWL_CSS_H
#define CRAWL_CSS_H

#include <crawl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The use of a URL in a style sheet. */
typedef enum crawl_css_kind {
    CRAWL_CSS_IMPORT, /* another style sheet: @import (CSS Cascade 4, 2) */
    CRAWL_CSS_FONT,   /* a source of @font-face (CSS Fonts 4, 4.3) */
    CRAWL_CSS_IMAGE   /* of any other value: an image, a cursor, a mask, a filter (CSS Values 4, 4.5) */
} crawl_css_kind;

/* Sorts of CSS texts. */
typedef enum crawl_css_form {
    CRAWL_CSS_SHEET,       /* a file, or the content of <style> */
    CRAWL_CSS_DECLARATIONS /* the value of a style attribute: without rules, so that it imports nothing */
} crawl_css_form;

/* A URL of a style sheet. The bytes from `at` on, `size` of them, are a string with its quotes, or what stands in
 * url() without quotes: put the string that crawl_css_quote writes in their place, and the sheet names another URL. */
typedef struct crawl_css_url {
    crawl_slice url; /* as it stands, escapes decoded, in UTF-8, not trimmed; until the call returns */
    crawl_css_kind kind;
    size_t at; /* offset into the text */
    size_t size;
} crawl_css_url;

/* Takes a URL of a style sheet, borrowed for the call. An error ends the search, which returns it. */
typedef crawl_err (*crawl_css_found)(void *user, const crawl_css_url *url);

/* Calls found for each URL that a browser may load because of this text, in its order: url(), src() and image-set() in
 * declarations, and @import where it stands before all other rules. @namespace and the conditions of rules name URLs
 * for which nothing is asked. Empty ones, those that begin with "#" and data: URLs are left out likewise. css may be
 * any bytes; broken UTF-8 becomes U+FFFD in what is told. If found returns anything but CRAWL_OK, that ends the search
 * and is returned; besides, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_css_urls(crawl_slice css, crawl_css_form form, crawl_css_found found, void *user);

/* Appends url as a string of CSS, with quotes (CSSOM, 6.2 "serialize a string"). CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_css_quote(crawl_slice url, crawl_buf *out);

/* The encoding of the file of a style sheet (CSS Syntax 3, 3.2): by its byte order mark, else the one that the
 * transport declared, else @charset, else that of the document which asked for it, else UTF-8. Both names are WHATWG's;
 * NULL: none. The result is one too, and never NULL. */
CRAWL_API const char *crawl_css_charset(crawl_slice bytes, const char *transport, const char *document);

/* The text of a file in this encoding, without a byte order mark: *text is a part of bytes if they are UTF-8, and else
 * in *storage, which is cleared first. Broken sequences become U+FFFD. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_css_decode(crawl_slice bytes, const char *charset, crawl_buf *storage, crawl_slice *text);

#ifdef __cplusplus
}
#endif
#endif

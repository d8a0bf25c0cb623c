/* The URLs of a style sheet: what browsers load because of it, and where each URL stands, so that it can be
 * replaced. */
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
    CRAWL_CSS_IMAGE   /* any other value: an image, a cursor, a mask, a filter (CSS Values 4, 4.5) */
} crawl_css_kind;

/* Kinds of CSS text. */
typedef enum crawl_css_form {
    CRAWL_CSS_SHEET,       /* a file, or the content of <style> */
    CRAWL_CSS_DECLARATIONS /* the value of a style attribute: it has no rules, so it imports nothing */
} crawl_css_form;

/* A URL of a style sheet. The `size` bytes from `at` on are a string with its quotes, or the unquoted content of url().
 * Replace them by the string that crawl_css_quote writes, and the sheet names another URL. */
typedef struct crawl_css_url {
    crawl_slice url; /* as written, escapes decoded, in UTF-8, not trimmed; valid until the call returns */
    crawl_css_kind kind;
    size_t at; /* offset into the text */
    size_t size;
} crawl_css_url;

/* Takes a URL of a style sheet, borrowed for the call. An error ends the search and is returned by it. */
typedef crawl_err (*crawl_css_found)(void *user, const crawl_css_url *url);

/* Calls found for each URL that a browser may load because of this text, in order: url(), src() and image-set() in
 * declarations, and @import before all other rules. Leaves out @namespace and the conditions of rules, whose URLs are
 * never requested, and also empty URLs, data: URLs and URLs that begin with "#". css may be any bytes; broken UTF-8 is
 * reported as U+FFFD. Anything but CRAWL_OK from found ends the search and is returned. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_css_urls(crawl_slice css, crawl_css_form form, crawl_css_found found, void *user);

/* Appends url as a string of CSS, with quotes (CSSOM, 6.2 "serialize a string"). CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_css_quote(crawl_slice url, crawl_buf *out);

/* Returns the encoding of a style sheet's file (CSS Syntax 3, 3.2): from its byte order mark, else as the transport
 * declared, else from @charset, else that of the document that requested it, else UTF-8. Both arguments are WHATWG
 * names; NULL: none. The result is a WHATWG name too, never NULL. */
CRAWL_API const char *crawl_css_charset(crawl_slice bytes, const char *transport, const char *document);

/* Decodes a file in this encoding, without a byte order mark. *text points into bytes if they are UTF-8, otherwise into
 * *storage, which is cleared first. Broken sequences become U+FFFD. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_css_decode(crawl_slice bytes, const char *charset, crawl_buf *storage, crawl_slice *text);

#ifdef __cplusplus
}
#endif
#endif

/* A document while its URLs are replaced: state shared by the page, its attributes and its style sheets. See
 * <crawl/rewrite.h>. */
#pragma once

#include "base/writer.h"
#include "parse/charset/charset.h"
#include "parse/html/html_token.h"

#include <crawl/rewrite.h>

/* Nested documents in srcdoc attributes. Pages have one. */
#define CW_REWRITE_MAX_DEPTH 4u

typedef struct cw_rewrite {
    const crawl_rewrite *how;
    cw_writer out;
    const char *copied; /* the document is written to out up to here, and unread from here on */

    const crawl_url *base; /* the base that URLs are relative to */
    crawl_url *own_base;   /* of the page's <base>; NULL: it has none */
    bool base_is_self;     /* the page's own URL, so that "#part" is a part of the page */
    bool base_decided;     /* a <base> with a URL was seen */
    bool base_used;        /* a URL was read */
    const char *charset;   /* of the document, which shapes queries */
    bool is_utf8;          /* its bytes are UTF-8, or ASCII in all that matters here */
    bool is_xml;
    bool owes_charset; /* a <meta charset> must be written */
    unsigned depth;    /* of srcdoc */

    crawl_url *target;
    cw_charset_decoder *decoder;
    bool found_local; /* a URL was replaced by one into the copy */
} cw_rewrite;

/* Copies the document up to `at` to out, and continues after `to`. */
void cw_rewrite_copy(cw_rewrite *r, const char *at, const char *to);

/* Appends to out, which is empty, the replacement of a raw URL, in UTF-8. Left empty: the URL stays. */
crawl_err cw_rewrite_translate(cw_rewrite *r, crawl_slice href, crawl_buf *out);

/* Returns true if links in this encoding cannot be replaced byte by byte, nor is what looks like ASCII ASCII. In all
 * others the bytes of ASCII below "@" always stand for themselves. */
bool cw_rewrite_is_wide(const char *charset);

/* Reads the first <base> of the page. CRAWL_ABSENT: URLs before it were read without it. CRAWL_ENOMEM. */
crawl_err cw_rewrite_set_base(cw_rewrite *r, crawl_slice href);

/* --- rewrite_values.c --- */

/* How an attribute holds URLs. */
typedef enum cw_rewrite_form {
    CW_REWRITE_NONE,
    CW_REWRITE_ONE,
    CW_REWRITE_LAZY,    /* the same; it stays unless it leads into the copy, and need not be a URL */
    CW_REWRITE_SET,     /* a srcset */
    CW_REWRITE_REFRESH, /* of a <meta> */
    CW_REWRITE_STYLE,
    CW_REWRITE_PAGE /* srcdoc */
} cw_rewrite_form;

/* Rewrites a value, in UTF-8 with its references decoded, into out, which is empty. Left empty: the value stays. */
crawl_err cw_rewrite_value(cw_rewrite *r, cw_rewrite_form form, crawl_slice value, crawl_buf *out);

/* --- rewrite_css.c --- */

/* Writes css, which begins where the document is copied up to, to its end; escapes: as the text of an XML element. */
crawl_err cw_rewrite_sheet(cw_rewrite *r, crawl_slice css, bool declarations, bool escapes);

crawl_err cw_rewrite_file(cw_rewrite *r, crawl_slice bytes);

/* --- rewrite_page.c --- */

/* Writes all of a page, or of a document within one. CRAWL_ABSENT: as cw_rewrite_set_base. */
crawl_err cw_rewrite_markup(cw_rewrite *r, crawl_slice markup);

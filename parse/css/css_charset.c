/* The encoding of a style sheet's file, and its text. See <crawl/css.h>. */
#include "parse/charset/charset.h"

#include "base/bytes.h"

#include <crawl/css.h>
#include <crawl/links.h>

/* An @charset must end within this many bytes (CSS Syntax 3.2). */
#define CHARSET_BYTES 1024u

/* The encoding that a file declares with exactly these bytes, which are not read as CSS (3.2). */
static const char *css_charset_declared(crawl_slice bytes)
{
    bytes.size = bytes.size < CHARSET_BYTES ? bytes.size : CHARSET_BYTES;
    if (!cw_take_text(&bytes, "@charset \""))
        return NULL;
    crawl_slice label = cw_cut(&bytes, '"');
    const char *charset = cw_starts_with(bytes, ";") ? crawl_charset_name(label) : NULL;
    bool wide = charset && cw_starts_with(crawl_slice_from(charset), "utf-16");
    return wide ? "utf-8" : charset; /* a file in UTF-16 would not begin with these bytes */
}

const char *crawl_css_charset(crawl_slice bytes, const char *transport, const char *document)
{
    const char *charset = cw_charset_of_mark(bytes);
    if (!charset && transport)
        charset = crawl_charset_name(crawl_slice_from(transport));
    if (!charset)
        charset = css_charset_declared(bytes);
    if (!charset && document)
        charset = crawl_charset_name(crawl_slice_from(document));
    return charset ? charset : "utf-8";
}

crawl_err crawl_css_decode(crawl_slice bytes, const char *charset, crawl_buf *storage, crawl_slice *text)
{
    cw_charset_decoder decoder = {0};
    crawl_err err = cw_charset_decode(&decoder, charset, bytes, storage, text);
    cw_charset_decoder_close(&decoder);
    return err;
}

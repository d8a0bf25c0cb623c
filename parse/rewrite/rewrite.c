/* Rewrites the URLs of a document in one pass, or in two if a <base> comes after URLs. See <crawl/rewrite.h>. */
#include "parse/rewrite/rewrite.h"

#include "base/bytes.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "parse/page/page_values.h"

#include <crawl/css.h>

static const char byte_order_mark[] = "\xef\xbb\xbf";

void cw_rewrite_copy(cw_rewrite *r, const char *at, const char *to)
{
    cw_put(&r->out, crawl_slice_of(r->copied, (size_t)(at - r->copied)));
    r->copied = to;
}

crawl_err cw_rewrite_translate(cw_rewrite *r, crawl_slice href, crawl_buf *out)
{
    bool is_local = false;
    href = cw_trim(href);
    if (r->base_is_self && (!href.size || *href.data == '#'))
        return CRAWL_OK;
    r->base_used = true;
    crawl_err err = crawl_url_parse(r->target, href, r->base, r->charset);
    if (err)
        return err == CRAWL_ENOMEM ? err : CRAWL_OK;
    if (!crawl_url_is_http(r->target))
        return CRAWL_OK;
    err = r->how->link(r->how->user, r->target, out, &is_local);
    r->found_local = r->found_local || is_local;
    if (!is_local && (cw_starts_nocase(href, "http:") || cw_starts_nocase(href, "https:")))
        crawl_buf_clear(out); /* it leads there as it is spelled */
    return err;
}

crawl_err cw_rewrite_set_base(cw_rewrite *r, crawl_slice href)
{
    bool is_base;
    r->base_decided = true;
    r->own_base = crawl_url_create();
    crawl_err err = r->own_base ? cw_page_base_of(href, r->how->url, r->charset, r->own_base, &is_base) : CRAWL_ENOMEM;
    if (err || !is_base || crawl_slice_equal(crawl_url_href(r->own_base), crawl_url_href(r->base)))
        return err;
    r->base = r->own_base;
    r->base_is_self = crawl_slice_equal(crawl_url_request(r->base), crawl_url_request(r->how->url));
    return r->base_used ? CRAWL_ABSENT : CRAWL_OK;
}

/* --- encodings --- */

bool cw_rewrite_is_wide(const char *charset)
{
    return strncmp(charset, "utf-16", 6) == 0 || strcmp(charset, "iso-2022-jp") == 0;
}

/* Returns true if the encoding is known only from the server. XML ignores a <meta>, and without a declaration it is
 * UTF-8. */
static bool is_undeclared(const cw_rewrite *r, crawl_slice bytes)
{
    const char *declared = cw_charset_prescan(bytes);
    if (!r->how->charset || cw_charset_of_mark(bytes))
        return false;
    bool is_other = !declared || strcmp(declared, r->charset) != 0;
    return r->is_xml ? strcmp(r->charset, "utf-8") != 0 || (declared && is_other) : is_other;
}

/* Turns the bytes into text that can be read byte by byte and, as a file, declares its encoding. */
static crawl_err rewrite_take_text(cw_rewrite *r, crawl_slice bytes, crawl_buf *storage, crawl_slice *text)
{
    bool undeclared = is_undeclared(r, bytes);
    bool decodes = cw_rewrite_is_wide(r->charset) || (undeclared && r->is_xml);
    *text = bytes;
    r->is_utf8 = decodes || strcmp(r->charset, "utf-8") == 0;
    r->owes_charset = undeclared && !r->is_utf8;
    cw_put_text(&r->out, decodes || (undeclared && r->is_utf8) ? byte_order_mark : "");
    return decodes ? cw_charset_decode(r->decoder, r->charset, bytes, storage, text) : CRAWL_OK;
}

/* --- documents --- */

/* Processes the document, again if a <base> was found after URLs. */
static crawl_err rewrite_markup(cw_rewrite *r, crawl_slice text)
{
    size_t before = r->out.out->size;
    bool owes_charset = r->owes_charset;
    bool was_decided = r->base_decided;
    crawl_err err = cw_rewrite_markup(r, text);
    if (err != CRAWL_ABSENT || was_decided == r->base_decided)
        return err;
    cw_writer_cut(&r->out, before);
    r->owes_charset = owes_charset;
    return cw_rewrite_markup(r, text);
}

static crawl_err rewrite_page(cw_rewrite *r, crawl_document document, crawl_slice bytes)
{
    crawl_buf storage = {0};
    crawl_slice text;
    bool is_valid;
    r->is_xml = document == CRAWL_DOCUMENT_XHTML;
    r->base_is_self = true;
    r->charset = cw_charset_sniff(bytes, r->how->charset, &is_valid);
    crawl_err err = rewrite_take_text(r, bytes, &storage, &text);
    if (!err)
        err = rewrite_markup(r, text);
    crawl_buf_free(&storage);
    return err;
}

/* Sets up the tools of a call. On failure out is unchanged. */
static crawl_err with_tools(const crawl_rewrite *how, crawl_slice bytes, crawl_buf *out, crawl_document document)
{
    crawl_rewrite own;
    how = cw_sized(&own, sizeof own, how);
    if (!how)
        return CRAWL_EINVAL;
    cw_charset_decoder decoder = {0};
    size_t before = out->size;
    cw_rewrite r = {
        .how = how, .out = {.out = out}, .target = crawl_url_create(), .decoder = &decoder, .base = how->url};
    crawl_err err = r.target ? CRAWL_OK : CRAWL_ENOMEM;
    if (!err && document != CRAWL_DOCUMENT_CSS)
        err = rewrite_page(&r, document, bytes);
    else if (!err)
        err = cw_rewrite_file(&r, bytes);
    err = err ? err : r.out.err;
    if (err)
        cw_writer_cut(&r.out, before);
    crawl_url_free(r.target);
    crawl_url_free(r.own_base);
    cw_charset_decoder_close(&decoder);
    return err;
}

crawl_err crawl_rewrite_page(const crawl_rewrite *how, crawl_document document, crawl_slice bytes, crawl_buf *out)
{
    return with_tools(how, bytes, out, document == CRAWL_DOCUMENT_XHTML ? document : CRAWL_DOCUMENT_HTML);
}

crawl_err crawl_rewrite_script(const char *charset, crawl_slice bytes, crawl_buf *out)
{
    cw_charset_decoder decoder = {0};
    crawl_buf storage = {0};
    crawl_slice text = bytes;
    crawl_err err = CRAWL_OK;
    if (charset && !cw_charset_of_mark(bytes) && (cw_rewrite_is_wide(charset) || !cw_utf8_is_ascii(bytes))) {
        err = cw_charset_decode(&decoder, charset, bytes, &storage, &text);
        if (!err)
            err = crawl_buf_append_text(out, byte_order_mark);
    }
    if (!err)
        err = crawl_buf_append(out, text.data, text.size);
    cw_charset_decoder_close(&decoder);
    crawl_buf_free(&storage);
    return err;
}

crawl_err crawl_rewrite_css(const crawl_rewrite *how, crawl_slice bytes, crawl_buf *out)
{
    return with_tools(how, bytes, out, CRAWL_DOCUMENT_CSS);
}

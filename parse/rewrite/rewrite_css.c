/* Style sheets: files, <style> and style attributes. <crawl/css.h> finds their URLs. */
#include "parse/rewrite/rewrite.h"

#include "base/bytes.h"
#include "base/utf8.h"

#include <crawl/css.h>

/* U+FFFD in a URL: the sheet is in another encoding than UTF-8. */
static const char unknown[] = "\xef\xbf\xbd";

typedef struct sheet {
    cw_rewrite *r;
    const char *start;
    bool escapes;
    crawl_buf link;
    crawl_buf quoted;
    crawl_buf escaped;
} sheet;

/* Escapes an "&" of the URL if the sheet is text of XML. */
static crawl_err rewrite_css_put_url(sheet *s, const crawl_css_url *url)
{
    crawl_slice text = crawl_buf_slice(&s->quoted);
    crawl_slice rest = text;
    crawl_buf_clear(&s->escaped);
    cw_writer escaped = {.out = &s->escaped};
    while (s->escapes && rest.size) {
        cw_put(&escaped, cw_take(&rest, cw_find_char(rest, '&')));
        cw_put_text(&escaped, cw_take_text(&rest, "&") ? "&amp;" : "");
    }
    cw_rewrite_copy(s->r, s->start + url->at, s->start + url->at + url->size);
    cw_put(&s->r->out, s->escapes ? crawl_buf_slice(&s->escaped) : text);
    return escaped.err ? escaped.err : s->r->out.err;
}

static crawl_err on_url(void *user, const crawl_css_url *url)
{
    sheet *s = user;
    crawl_buf_clear(&s->link);
    crawl_buf_clear(&s->quoted);
    if (!url->url.size || cw_find_text(url->url, unknown) < url->url.size)
        return CRAWL_OK;
    crawl_err err = cw_rewrite_translate(s->r, url->url, &s->link);
    if (err || !s->link.size)
        return err;
    err = crawl_css_quote(crawl_buf_slice(&s->link), &s->quoted);
    return err ? err : rewrite_css_put_url(s, url);
}

crawl_err cw_rewrite_sheet(cw_rewrite *r, crawl_slice css, bool declarations, bool escapes)
{
    sheet s = {.r = r, .start = css.data, .escapes = escapes};
    crawl_css_form form = declarations ? CRAWL_CSS_DECLARATIONS : CRAWL_CSS_SHEET;
    crawl_err err = crawl_css_urls(css, form, on_url, &s);
    cw_rewrite_copy(r, css.data + css.size, css.data + css.size);
    crawl_buf_free(&s.link);
    crawl_buf_free(&s.quoted);
    crawl_buf_free(&s.escaped);
    return err;
}

static crawl_err look_for_unknown(void *user, const crawl_css_url *url)
{
    bool *found = user;
    *found = *found || cw_find_text(url->url, unknown) < url->url.size;
    return CRAWL_OK;
}

/* Sets *found if the URLs of a file cannot be replaced byte by byte. Those in ASCII can, but not in a wide encoding. */
static crawl_err must_decode(const char *charset, crawl_slice bytes, bool *found)
{
    *found = cw_rewrite_is_wide(charset);
    if (*found || strcmp(charset, "utf-8") == 0)
        return CRAWL_OK;
    return crawl_css_urls(bytes, CRAWL_CSS_SHEET, look_for_unknown, found);
}

crawl_err cw_rewrite_file(cw_rewrite *r, crawl_slice bytes)
{
    crawl_buf storage = {0};
    crawl_slice text = bytes;
    r->charset = NULL; /* in sheets, queries are in UTF-8 */
    const char *charset = crawl_css_charset(bytes, r->how->charset, NULL);
    bool decodes = false;
    crawl_err err = must_decode(charset, bytes, &decodes);
    bool is_undeclared = r->how->charset && !cw_utf8_is_ascii(bytes) && !cw_starts_with(bytes, "\xef\xbb\xbf");
    decodes = decodes || is_undeclared;
    if (!err && decodes)
        err = crawl_css_decode(bytes, charset, &storage, &text);
    cw_put_text(&r->out, decodes ? "\xef\xbb\xbf" : ""); /* it precedes @charset (CSS Syntax 3.2) */
    r->copied = text.data;
    if (!err)
        err = cw_rewrite_sheet(r, text, false, false);
    crawl_buf_free(&storage);
    return err;
}

/* Style sheets of any bytes; the first byte chooses the form and the encoding. Besides memory safety, checks that
 * tokens follow each other and cover the sheet except for comments, and that a sheet in which a string replaced each
 * URL has as many URLs as before, which are these strings. */
#include "parse/css/css_token.h"

#include "base/utf8.h"

#include <crawl/css.h>
#include <stdio.h>
#include <stdlib.h>

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_tokens(crawl_slice css)
{
    crawl_buf name = {0};
    cw_css_scanner scanner = {css.data, css.data + css.size};
    const char *at = css.data;
    for (cw_css_token token; cw_css_next(&scanner, &token);) {
        bool comment = token.raw.data > at;
        require(token.raw.data >= at && token.raw.size && token.type < CW_CSS_TYPES);
        require(!comment || (at[0] == '/' && at[1] == '*'));
        at = token.raw.data + token.raw.size;
        require(at == scanner.at && at <= scanner.end);
        crawl_buf_clear(&name);
        require(!cw_css_decode_name(token.name, token.type == CW_CSS_STRING, &name));
        require(cw_utf8_valid_prefix(crawl_buf_slice(&name)) == name.size);
    }
    crawl_buf_free(&name);
}

typedef struct rewriting {
    crawl_slice css;
    crawl_buf out;
    size_t at;
    size_t count;
    bool again; /* the URLs must be those put there */
} rewriting;

static crawl_err take(void *user, const crawl_css_url *url)
{
    rewriting *r = user;
    char text[32];
    crawl_slice name = crawl_slice_of(text, (size_t)snprintf(text, sizeof text, "\"\\\n%zu)", r->count++));
    require(!r->again || crawl_slice_equal(url->url, name));
    require(cw_utf8_valid_prefix(url->url) == url->url.size && url->url.size);
    require(url->at >= r->at && url->at + url->size <= r->css.size);
    require(!crawl_buf_append(&r->out, r->css.data + r->at, url->at - r->at));
    require(!crawl_css_quote(name, &r->out));
    r->at = url->at + url->size;
    return CRAWL_OK;
}

/* Brackets beyond this depth do not nest. A URL without quotes has no bracket, but url() with a string in it has one;
 * if that is too deep, the second pass may find other URLs. */
static bool is_deep(crawl_slice css)
{
    enum { MAX_DEPTH = 256 };
    size_t opened = 0;
    for (size_t i = 0; i < css.size; i++)
        opened += css.data[i] == '(' || css.data[i] == '[' || css.data[i] == '{';
    return opened >= MAX_DEPTH - 1;
}

static void check_urls(crawl_slice css, crawl_css_form form)
{
    rewriting first = {.css = css};
    require(!crawl_css_urls(css, form, take, &first));
    require(!crawl_buf_append(&first.out, css.data + first.at, css.size - first.at));
    rewriting second = {.css = crawl_buf_slice(&first.out), .again = !is_deep(css)};
    require(!crawl_css_urls(second.css, form, take, &second));
    require(second.count == first.count || is_deep(css));
    crawl_buf_free(&first.out);
    crawl_buf_free(&second.out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    crawl_slice bytes = crawl_slice_of(data + 1, size - 1);
    crawl_css_form form = data[0] & 1 ? CRAWL_CSS_DECLARATIONS : CRAWL_CSS_SHEET;
    const char *charset = crawl_css_charset(bytes, NULL, data[0] & 2 ? "windows-1252" : NULL);
    crawl_buf storage = {0};
    crawl_slice text;
    require(!crawl_css_decode(bytes, charset, &storage, &text));
    require(cw_utf8_valid_prefix(text) == text.size);
    if (data[0] & 4)
        text = bytes;
    if (text.size) {
        check_tokens(text);
        check_urls(text, form);
    }
    crawl_buf_free(&storage);
    return 0;
}

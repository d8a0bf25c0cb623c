/* Links that may be in any tag: CSS in <style> and style attributes, links of SVG, attributes that scripts read,
 * documents in srcdoc; and ids; and attributes that too few pages have to search every page for them. The walk passes
 * on each tag with its attributes only if a caller asks for such links, so that all others pay nothing for them. */
#include "parse/data/data_facts.h"
#include "parse/page/page_build.h"
#include "parse/page/page_values.h"

#include "parse/html/html_reference.h"
#include "parse/html/html_token.h"

#include "base/bytes.h"

#include <crawl/css.h>

/* The longest document of a srcdoc, before its references are decoded; a longer one is not read. It bounds the memory
 * used besides the page, CRAWL_PAGE_MAX_SRCDOC times. */
#define MAX_SRCDOC 1048576u

/* A row for each kind of URL in CSS, by crawl_css_kind. */
#define CSS_ROWS(tag)                                                                \
    {                                                                                \
        [CRAWL_CSS_IMPORT] = {0, CW_PAGE_ONE, 0, CRAWL_LINK_STYLE, tag, "@import"},  \
        [CRAWL_CSS_FONT] = {0, CW_PAGE_ONE, 0, CRAWL_LINK_STYLE, tag, "@font-face"}, \
        [CRAWL_CSS_IMAGE] = {0, CW_PAGE_ONE, 0, CRAWL_LINK_STYLE, tag, "url"},       \
    }

static const cw_page_source style_rows[] = CSS_ROWS("style");
static const cw_page_source sheet_rows[] = CSS_ROWS("css");

#define ROW(form, kind, tag, attr)                         \
    {                                                      \
        0, CW_PAGE_##form, 0, CRAWL_LINK_##kind, tag, attr \
    }

/* The rows of SVG come last: an element of that name only counts there, and so do CSS properties as attributes (SVG 2,
 * 6.6), of which these take URLs. */
static const cw_page_source rows[] = {
    ROW(CSS, STYLE, "*", "style"),
    ROW(SET, LINK, "link", "imagesrcset"),
    ROW(ONE, BODY, "table", "background"),
    ROW(ONE, BODY, "thead", "background"),
    ROW(ONE, BODY, "tbody", "background"),
    ROW(ONE, BODY, "tfoot", "background"),
    ROW(ONE, BODY, "tr", "background"),
    ROW(ONE, BODY, "td", "background"),
    ROW(ONE, BODY, "th", "background"),
    ROW(ACTION, FORM, "button", "formaction"),
    ROW(ACTION, FORM, "input", "formaction"),
    ROW(DOCUMENT, IFRAME, "iframe", "srcdoc"),
    ROW(ONE, SVG, "image", "href"),
    ROW(ONE, SVG, "image", "xlink:href"),
    ROW(ONE, SVG, "use", "href"),
    ROW(ONE, SVG, "use", "xlink:href"),
    ROW(ONE, SVG, "feimage", "href"),
    ROW(ONE, SVG, "feimage", "xlink:href"),
    ROW(ONE, SVG, "script", "href"),
    ROW(ONE, SVG, "script", "xlink:href"),
    ROW(CSS, SVG, "*", "clip-path"),
    ROW(CSS, SVG, "*", "cursor"),
    ROW(CSS, SVG, "*", "fill"),
    ROW(CSS, SVG, "*", "filter"),
    ROW(CSS, SVG, "*", "marker-end"),
    ROW(CSS, SVG, "*", "marker-mid"),
    ROW(CSS, SVG, "*", "marker-start"),
    ROW(CSS, SVG, "*", "mask"),
    ROW(CSS, SVG, "*", "stroke"),
};

enum { ROWS = sizeof rows / sizeof rows[0], ROWS_OF_SVG = 17 };

_Static_assert(ROWS + CRAWL_PAGE_MAX_LAZY <= 64, "a tag has a bit for each row");

/* --- CSS --- */

typedef struct css_place {
    crawl_page *page;
    const cw_page_source *rows; /* by kind */
    bool one;                   /* there is one row for all kinds */
} css_place;

static crawl_err on_css_url(void *user, const crawl_css_url *url)
{
    const css_place *place = user;
    return cw_page_add_value(place->page, &place->rows[place->one ? 0 : url->kind], url->url, (crawl_slice){0});
}

static crawl_err on_style(void *user, crawl_slice text, bool markup)
{
    css_place place = {user, style_rows, false};
    crawl_buf decoded = {0};
    if (!(place.page->kinds & CRAWL_LINK_STYLE))
        return CRAWL_OK;
    crawl_err err = markup ? cw_html_decode_markup(&decoded, text) : CRAWL_OK;
    if (!err)
        err = crawl_css_urls(markup ? crawl_buf_slice(&decoded) : text, CRAWL_CSS_SHEET, on_css_url, &place);
    crawl_buf_free(&decoded);
    return err;
}

crawl_err cw_page_by_css(crawl_page *page, crawl_slice text)
{
    css_place place = {page, sheet_rows, false};
    return crawl_css_urls(text, CRAWL_CSS_SHEET, on_css_url, &place);
}

crawl_err cw_page_add_sheets(crawl_page *page, crawl_slice text)
{
    static const cw_page_source row = {0, CW_PAGE_ONE, 0, CRAWL_LINK_STYLE, "xml-stylesheet", "href"};
    crawl_buf *value = &page->parts.value;
    crawl_slice raw;
    crawl_err err = CRAWL_OK;
    while (!err && page->kinds & CRAWL_LINK_STYLE && cw_page_next_sheet(&text, &raw)) {
        crawl_buf_clear(value);
        err = raw.size > CW_HTML_MAX_RAW_VALUE ? CRAWL_OK : cw_html_decode(value, raw, CW_IN_ATTRIBUTE);
        if (!err)
            err = cw_page_add_value(page, &row, crawl_buf_slice(value), (crawl_slice){0});
    }
    return err;
}

static crawl_err add_declarations(crawl_page *page, const cw_page_source *row, crawl_slice text)
{
    css_place place = {page, row, true};
    return crawl_css_urls(text, CRAWL_CSS_DECLARATIONS, on_css_url, &place);
}

/* --- attributes --- */

/* Returns true if this button's form is sent with GET, according to the button or else to the last form that began. */
static bool is_sent_by_get(const crawl_page *page, const cw_html_token *token)
{
    crawl_slice method = cw_html_attribute(token, "formmethod");
    return method.data ? !cw_html_is_posted(method) : !page->parts.form_posts;
}

/* Adds the links of a document inside the page as the page's own: its base is the page's (HTML standard, 7.4.1). */
static crawl_err add_document(crawl_page *page, crawl_slice raw)
{
    if (page->parts.nesting == CRAWL_PAGE_MAX_SRCDOC || raw.size > MAX_SRCDOC)
        return CRAWL_OK;
    crawl_buf text = {0};
    crawl_err err = cw_html_decode(&text, raw, CW_IN_ATTRIBUTE);
    bool form_posts = page->parts.form_posts;
    page->parts.form_posts = false;
    page->parts.nesting++;
    if (!err)
        err = cw_page_by_scan_inside(page, crawl_buf_slice(&text));
    page->parts.nesting--;
    page->parts.form_posts = form_posts;
    crawl_buf_free(&text);
    return err;
}

static crawl_err add_lazy(crawl_page *page, const cw_page_source *row, crawl_slice value)
{
    cw_page_lazy_form form = cw_page_lazy_form_of((crawl_slice){0}, value); /* srcsets have rows of their own */
    if (form == CW_LAZY_DECLARATIONS)
        return add_declarations(page, row, value);
    return form == CW_LAZY_NONE ? CRAWL_OK : cw_page_add_value(page, row, cw_trim(value), (crawl_slice){0});
}

static crawl_err add_with_rel(crawl_page *page, const cw_html_token *token, const cw_page_source *row,
                              crawl_slice value)
{
    crawl_slice raw = cw_html_attribute(token, "rel");
    crawl_buf rel = {0};
    crawl_err err = raw.size > CW_HTML_MAX_RAW_VALUE ? CRAWL_OK : cw_html_decode(&rel, raw, CW_IN_ATTRIBUTE);
    if (!err)
        err = cw_page_add_value(page, row, value, crawl_buf_slice(&rel));
    crawl_buf_free(&rel);
    return err;
}

/* Adds the links of a row in this value, whose references are decoded. */
static crawl_err add_decoded(crawl_page *page, const cw_html_token *token, const cw_page_source *row, crawl_slice value)
{
    switch (row->form) {
    case CW_PAGE_CSS:
        return add_declarations(page, row, value);
    case CW_PAGE_LAZY:
        return add_lazy(page, row, value);
    case CW_PAGE_ACTION:
        return is_sent_by_get(page, token) ? cw_page_add_value(page, row, value, (crawl_slice){0}) : CRAWL_OK;
    default:
        return add_with_rel(page, token, row, value);
    }
}

static crawl_err page_parts_take_value(crawl_page *page, const cw_html_token *token, const cw_page_source *row,
                                       crawl_slice raw)
{
    if (!(page->kinds & (unsigned)row->kind))
        return CRAWL_OK;
    if (row->form == CW_PAGE_DOCUMENT)
        return add_document(page, raw);
    if (raw.size > CW_HTML_MAX_RAW_VALUE || (token->in_template && cw_html_has_blank(raw)))
        return CRAWL_OK;
    crawl_buf *text = &page->parts.value;
    crawl_buf_clear(text);
    crawl_err err = cw_html_decode(text, raw, CW_IN_ATTRIBUTE);
    bool fragment = row->kind == CRAWL_LINK_SVG && cw_starts_with(cw_trim(crawl_buf_slice(text)), "#");
    return err || fragment ? err : add_decoded(page, token, row, crawl_buf_slice(text));
}

/* Returns the row of an attribute, and its bit. NULL: it has no links beyond the table of elements. */
static const cw_page_source *page_parts_row_of(const crawl_page *page, const cw_html_token *token,
                                               crawl_slice attribute, uint64_t *bit)
{
    const cw_page_source *lazy = page->parts.lazy;
    const cw_page_source *row = cw_page_row_of(rows, token->svg ? ROWS : ROWS - ROWS_OF_SVG, token, attribute);
    if (row) {
        *bit = UINT64_C(1) << (row - rows);
        return row;
    }
    row = cw_page_row_of(lazy, page->parts.lazy_count, token, attribute);
    *bit = row ? UINT64_C(1) << (ROWS + (row - lazy)) : 0;
    return row;
}

/* Of attributes with the same name, the first counts (HTML standard, 13.2.5.33). */
static crawl_err page_parts_take_links(crawl_page *page, const cw_html_token *token)
{
    crawl_slice attribute, value;
    crawl_err err = CRAWL_OK;
    uint64_t bit, taken = 0;
    for (cw_html_cursor rest = cw_html_first_of(token->attributes);
         !err && cw_html_next_of(&rest, &attribute, &value);) {
        const cw_page_source *row = page_parts_row_of(page, token, attribute, &bit);
        if (row && !(taken & bit))
            err = page_parts_take_value(page, token, row, value);
        taken |= bit;
    }
    return err;
}

/* --- ids --- */

static crawl_err add_id(crawl_page *page, crawl_slice raw)
{
    size_t before = page->ids.size;
    crawl_err err = cw_html_decode(&page->ids, raw, CW_IN_ATTRIBUTE);
    bool is_empty = !err && page->ids.size == before;
    if (err || is_empty)
        return err;
    err = crawl_buf_append_char(&page->ids, '\0');
    page->ids_cut = page->ids.size > CRAWL_PAGE_MAX_IDS;
    if (page->ids_cut)
        page->ids.size = before;
    return err;
}

/* srcdoc documents have ids of their own. */
static crawl_err page_parts_take_ids(crawl_page *page, const cw_html_token *token)
{
    if (!page->wants_ids || page->ids_cut || page->parts.nesting || token->in_template)
        return CRAWL_OK;
    crawl_slice id = cw_html_attribute(token, "id");
    crawl_slice name = cw_is_nocase(token->tag.name, "a") ? cw_html_attribute(token, "name") : (crawl_slice){0};
    crawl_err err = id.size ? add_id(page, id) : CRAWL_OK;
    bool is_another = name.size && !page->ids_cut && !crawl_slice_equal(id, name);
    return err || !is_another ? err : add_id(page, name);
}

/* --- the walk --- */

static crawl_err page_parts_on_tag(void *user, const cw_html_token *token)
{
    crawl_page *page = user;
    if (token->tag.closing)
        return CRAWL_OK;
    if (cw_is_nocase(token->tag.name, "form"))
        page->parts.form_posts = cw_html_is_posted(cw_html_attribute(token, "method"));
    crawl_err err = page_parts_take_ids(page, token);
    return err || !(page->kinds & CRAWL_LINK_ANYWHERE) ? err : page_parts_take_links(page, token);
}

const cw_html_every *cw_page_every(crawl_page *page)
{
    if (!(page->kinds & CRAWL_LINK_ANYWHERE) && !page->wants_ids)
        return NULL;
    page->parts.every = (cw_html_every){.user = page, .tag = page_parts_on_tag, .style = on_style};
    return &page->parts.every;
}

void cw_page_listeners(crawl_page *page, bool xml, const cw_html_every *also,
                       const cw_html_every *out[CW_HTML_LISTENERS])
{
    out[0] = cw_page_every(page);
    out[1] = cw_data_listen(&page->facts, xml);
    out[2] = also;
}

/* --- names of attributes that scripts read --- */

/* Appends words, each followed by a NUL. CRAWL_EINVAL: there are too many. */
static crawl_err copy_words(crawl_slice words, crawl_buf *out, size_t *count)
{
    crawl_err err = CRAWL_OK;
    crawl_slice word = cw_take_word(&words, false);
    for (*count = 0; word.size && !err; word = cw_take_word(&words, false)) {
        err = ++*count > CRAWL_PAGE_MAX_LAZY ? CRAWL_EINVAL : crawl_buf_append(out, word.data, word.size);
        if (!err)
            err = crawl_buf_append_char(out, '\0');
    }
    return err;
}

crawl_err crawl_page_set_lazy(crawl_page *page, const char *names)
{
    cw_page_parts *parts = &page->parts;
    crawl_buf copy = {0};
    size_t count;
    crawl_err err = copy_words(crawl_slice_from(names), &copy, &count);
    if (err) {
        crawl_buf_free(&copy);
        return err;
    }
    crawl_buf_free(&parts->names);
    parts->names = copy;
    parts->lazy_count = count;
    const char *name = copy.data;
    for (size_t i = 0; i < count; i++, name += strlen(name) + 1) {
        parts->lazy[i] = (cw_page_source)ROW(LAZY, LAZY, "*", name);
        if (cw_ends_with(crawl_slice_from(name), "srcset"))
            parts->lazy[i].form = CW_PAGE_SET;
    }
    return CRAWL_OK;
}

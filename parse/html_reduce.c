/* See html_reduce.h. */
#include "parse/html_reduce.h"

#include "parse/html_context.h"
#include "parse/html_reference.h"

#include "base/bytes.h"

enum { PIECE = 16 * 1024 };

typedef struct reducer {
    cw_html_scanner scanner;
    cw_html_context context;
    crawl_buf *out;
    cw_html_sink sink;
    void *user;
    bool title; /* handed on: the first one counts */
} reducer;

static crawl_err flush(reducer *r)
{
    if (!r->out->size)
        return CRAWL_OK;
    crawl_err err = r->sink(r->user, crawl_buf_slice(r->out));
    crawl_buf_clear(r->out);
    return err;
}

/* ' name="value"'. */
static crawl_err put_attribute(crawl_buf *out, crawl_slice name, crawl_slice value)
{
    crawl_err err = crawl_buf_reserve(out, name.size + value.size + 4);
    if (err)
        return err;
    char *at = out->data + out->size;
    *at++ = ' ';
    memcpy(at, name.data, name.size);
    at += name.size;
    *at++ = '=';
    *at = '"';
    out->size += name.size + 3;
    err = cw_html_put_value(out, value);
    return err ? err : crawl_buf_append_char(out, '"');
}

/* The wanted attributes, the first of each name; *found: the bits of those there. */
static crawl_err put_attributes(crawl_buf *out, crawl_slice attributes, unsigned wanted, unsigned *found)
{
    crawl_err err = CRAWL_OK;
    *found = 0;
    for (cw_html_attribute a; !err && cw_html_next_attribute(&attributes, &a);) {
        unsigned bit = cw_html_attribute_named(a.name) & wanted & ~*found;
        *found |= bit;
        if (bit && a.value.size <= CW_HTML_MAX_RAW_VALUE)
            err = put_attribute(out, cw_html_attribute_names[__builtin_ctz(bit)], a.value);
    }
    return err;
}

/* An element without one of its attributes says nothing. */
static crawl_err put_element(crawl_buf *out, const cw_html_element *element, const cw_html_tag *tag)
{
    size_t before = out->size;
    unsigned found = 0;
    crawl_err err = crawl_buf_append_char(out, '<');
    if (!err)
        err = crawl_buf_append(out, element->name, element->size);
    if (!err)
        err = put_attributes(out, tag->attributes, element->attributes, &found);
    if (!err && !found)
        out->size = before;
    else if (!err)
        err = crawl_buf_append_text(out, "/>");
    return err;
}

/* At most size bytes from the start of text, not ending inside a character. */
static crawl_slice cut(crawl_slice text, size_t size)
{
    if (text.size <= size)
        return text;
    while (size && ((unsigned char)text.data[size] & 0xc0) == 0x80)
        size--;
    return crawl_slice_of(text.data, size);
}

static crawl_err put_title(reducer *r, crawl_slice text)
{
    r->title = true;
    crawl_err err = crawl_buf_append_text(r->out, "<title>");
    if (!err)
        err = cw_html_put_text(r->out, cut(cw_trim(text), CW_HTML_MAX_RAW_TITLE));
    if (!err)
        err = crawl_buf_append_text(r->out, "</title>");
    return err;
}

static crawl_slice skip_raw(reducer *r, const cw_html_element *element)
{
    if (element->id == CW_ID_SCRIPT)
        return cw_html_skip_script(&r->scanner);
    if (element->id == CW_ID_PLAINTEXT)
        r->scanner.at = r->scanner.end;
    return cw_html_skip_text(&r->scanner, crawl_slice_of(element->name, element->size));
}

/* Does an element of HTML speak here? Of the document only outside <template>, which is no part of it; a base only where
 * browsers see it, for which the links of the page were written: they do not look into <noscript>. */
static bool speaks(const reducer *r, const cw_html_element *element)
{
    if ((element->flags & CW_EL_METADATA) && r->context.templates)
        return false;
    return !(element->id == CW_ID_BASE && r->context.noscript);
}

static crawl_err take_html(reducer *r, const cw_html_element *element, const cw_html_tag *tag)
{
    bool heard = speaks(r, element);
    crawl_err err = CRAWL_OK;
    if (heard && (element->flags & CW_EL_WANTED))
        err = put_element(r->out, element, tag);
    crawl_slice text = {0};
    if (element->flags & CW_EL_RAW)
        text = skip_raw(r, element);
    if (!err && heard && element->id == CW_ID_TITLE && !r->title)
        err = put_title(r, text);
    return err;
}

static crawl_err take_tag(reducer *r, const cw_html_element *element, const cw_html_tag *tag)
{
    if (tag->closing) {
        cw_html_close(&r->context, element);
        return CRAWL_OK;
    }
    cw_html_namespace here = cw_html_here(&r->context);
    if (cw_html_open(&r->context, element, tag))
        return take_html(r, element, tag);
    /* SVG has links under HTML's name, and they are followed alike. */
    return element->id == CW_ID_A && here == CW_NS_SVG ? put_element(r->out, element, tag) : CRAWL_OK;
}

crawl_err cw_html_reduce(crawl_slice html, crawl_buf *storage, cw_html_sink sink, void *user)
{
    crawl_buf_clear(storage);
    if (!html.size)
        return CRAWL_OK;
    reducer r = {.scanner = {html.data, html.data + html.size}, .out = storage, .sink = sink, .user = user};
    crawl_err err = CRAWL_OK;
    for (cw_html_tag tag; !err && cw_html_next_tag(&r.scanner, cw_html_here(&r.context) != CW_NS_HTML, &tag);) {
        bool matters = !tag.closing || !cw_html_is_plain(&r.context);
        const cw_html_element *element = matters ? cw_html_element_named(tag.name) : NULL;
        if (element)
            err = take_tag(&r, element, &tag);
        if (!err && storage->size >= PIECE)
            err = flush(&r);
    }
    return err ? err : flush(&r);
}

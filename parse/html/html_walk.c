/* See html_walk.h. */
#include "parse/html/html_walk.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "parse/html/html_context.h"

_Static_assert(CW_ID_COUNT <= 32, "cw_html_visitor.wanted has no room for them");

typedef struct page_walk {
    cw_html_scanner scanner;
    cw_html_context context;
    const cw_html_visitor *visitor;
    uint32_t attributes; /* CW_AT_ bits that are looked at */
    bool title;          /* handed over: the first one counts */
} page_walk;

/* Past the text of an element that holds nothing else. */
static crawl_slice skip_raw(page_walk *w, const cw_html_element *element)
{
    if (element->id == CW_ID_SCRIPT)
        return cw_html_skip_script(&w->scanner);
    if (element->id != CW_ID_PLAINTEXT)
        return cw_html_skip_text(&w->scanner, crawl_slice_of(element->name, element->size));
    w->scanner.at = w->scanner.end;
    return (crawl_slice){0};
}

/* Does an element of HTML speak here? Of the document only outside <template>, which is no part of it; a base only
 * where browsers see it, for which the links of the page were written: they do not look into <noscript>. */
static bool speaks(const page_walk *w, const cw_html_element *element)
{
    if ((element->flags & CW_EL_METADATA) && w->context.templates)
        return false;
    return !(element->id == CW_ID_BASE && w->context.noscript);
}

static crawl_err hand_over(const page_walk *w, const cw_html_element *element, const cw_html_values *values)
{
    bool wanted = w->visitor->wanted >> element->id & 1;
    return wanted && values->found ? w->visitor->element(w->visitor->user, element, values) : CRAWL_OK;
}

static crawl_err take_html(page_walk *w, const cw_html_element *element, const cw_html_values *values, bool empty)
{
    bool heard = speaks(w, element);
    crawl_err err = CRAWL_OK;
    if (heard && (element->flags & CW_EL_WANTED))
        err = hand_over(w, element, values);
    crawl_slice text = {0};
    if ((element->flags & CW_EL_RAW) && !empty)
        text = skip_raw(w, element);
    if (err || !heard || element->id != CW_ID_TITLE || w->title)
        return err;
    w->title = true;
    return w->visitor->title(w->visitor->user, cw_utf8_cut(cw_trim(text), CW_HTML_MAX_RAW_TITLE));
}

static crawl_err take_start(page_walk *w, const cw_html_element *element, const cw_html_values *values,
                            bool self_closing)
{
    cw_html_namespace here = cw_html_here(&w->context);
    if (cw_html_open(&w->context, element, values, self_closing))
        return take_html(w, element, values, self_closing && w->visitor->xml);
    /* SVG has links under HTML's name, and they are followed alike. */
    return element->id == CW_ID_A && here == CW_NS_SVG ? hand_over(w, element, values) : CRAWL_OK;
}

static crawl_err tell_text(page_walk *w)
{
    crawl_err err = CRAWL_OK;
    for (crawl_slice text; !err && cw_html_next_text(&w->scanner, &text);)
        err = cw_texts_add(w->visitor->texts, text);
    return err;
}

/* A tag that is whole. */
static crawl_err take_tag(page_walk *w, const cw_html_tag *tag, const cw_html_element *element,
                          const cw_html_values *values, bool self_closing)
{
    crawl_err err = w->visitor->texts ? cw_texts_tag(w->visitor->texts, tag, element, values) : CRAWL_OK;
    if (!element || err)
        return err;
    if (tag->closing)
        cw_html_close(&w->context, element);
    else
        err = take_start(w, element, values, self_closing);
    w->scanner.cdata = w->visitor->xml || cw_html_in_foreign(&w->context);
    w->scanner.brief = !w->visitor->texts && cw_html_is_plain(&w->context);
    return err;
}

crawl_err cw_html_walk(crawl_slice html, const cw_html_visitor *visitor)
{
    if (!html.size)
        return CRAWL_OK;
    cw_texts *texts = visitor->texts;
    page_walk w = {
        .scanner = {html.data, html.data + html.size, visitor->xml, !texts},
        .visitor = visitor,
        .attributes = texts ? UINT32_MAX : ~(uint32_t)CW_AT_ALT,
    };
    crawl_err err = texts ? tell_text(&w) : CRAWL_OK;
    cw_html_values values;
    bool self_closing;
    for (cw_html_tag tag; !err && cw_html_next_tag(&w.scanner, &tag);) {
        const cw_html_element *element = cw_html_element_named(tag.name, w.context.foreign_depth);
        if (!cw_html_finish_tag(&w.scanner, element ? element->attributes & w.attributes : 0, &values, &self_closing))
            break;
        err = take_tag(&w, &tag, element, &values, self_closing);
        if (texts && !err)
            err = tell_text(&w);
    }
    return texts && !err ? cw_texts_end(texts) : err;
}

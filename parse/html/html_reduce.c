#include "parse/html/html_reduce.h"

#include "base/writer.h"
#include "parse/html/html_reference.h"

enum { PIECE = 16 * 1024 };

static crawl_err html_reduce_flush(const cw_html_reduction *r)
{
    if (!r->out->size)
        return CRAWL_OK;
    crawl_err err = r->sink(r->user, crawl_buf_slice(r->out));
    crawl_buf_clear(r->out);
    return err;
}

/* Writes <name attribute="value"/> with the attributes that have a bit in found. */
static crawl_err put_element(const cw_html_reduction *r, const cw_html_element *element, const cw_html_values *values)
{
    cw_writer to = {.out = r->out};
    cw_put_char(&to, '<');
    cw_put_text(&to, element->name);
    for (unsigned left = values->found; left && !to.err; left &= left - 1) {
        int i = __builtin_ctz(left);
        cw_put_char(&to, ' ');
        cw_put(&to, cw_html_attribute_names[i]);
        cw_put_text(&to, "=\"");
        if (!to.err)
            to.err = cw_html_escape(r->out, values->value[i]);
        cw_put_char(&to, '"');
    }
    cw_put_text(&to, "/>");
    return !to.err && r->out->size >= PIECE ? html_reduce_flush(r) : to.err;
}

/* Writes an element whose only attribute is a text. */
static crawl_err html_reduce_put_text(const cw_html_reduction *r, const char *name, crawl_slice text)
{
    cw_html_values values = {.found = CW_HTML_TITLE_TEXT};
    values.value[__builtin_ctz(CW_HTML_TITLE_TEXT)] = text;
    return put_element(r, cw_html_element_named(crawl_slice_from(name), false), &values);
}

static crawl_err html_reduce_on_element(void *user, const cw_html_element *element, const cw_html_values *raw)
{
    const cw_html_reduction *r = user;
    cw_html_values values;
    crawl_err err = cw_html_decode_values(raw, r->scratch, &values);
    return err ? err : put_element(r, element, &values);
}

static crawl_err html_reduce_on_title(void *user, crawl_slice text)
{
    const cw_html_reduction *r = user;
    crawl_buf_clear(r->scratch);
    crawl_err err = cw_html_decode(r->scratch, text, CW_IN_TEXT);
    return err ? err : html_reduce_put_text(r, "title", crawl_buf_slice(r->scratch));
}

static crawl_err html_reduce_on_anchor_ended(void *user, crawl_slice text)
{
    return html_reduce_put_text(user, "plaintext", text);
}

crawl_err cw_html_reduce(crawl_slice html, const cw_html_reduction *reduction)
{
    cw_html_visitor visitor = {
        .user = (void *)(uintptr_t)reduction,
        .wanted = reduction->wanted,
        .xml = reduction->xml,
        .element = html_reduce_on_element,
        .title = html_reduce_on_title,
        .script = reduction->script,
        .owner = reduction->owner,
        .texts = reduction->texts,
    };
    memcpy(visitor.every, reduction->every, sizeof visitor.every);
    if (reduction->texts) {
        reduction->texts->anchor_ended = html_reduce_on_anchor_ended;
        reduction->texts->user = visitor.user;
    }
    crawl_buf_clear(reduction->out);
    crawl_err err = cw_html_walk(html, &visitor);
    return err ? err : html_reduce_flush(reduction);
}

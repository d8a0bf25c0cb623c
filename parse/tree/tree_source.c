/* See tree_source.h. The walk finds texts, and tags with their attributes. Those that change are written anew; the rest
 * of the page is copied. */
#include "parse/tree/tree_source.h"

#include "parse/html/html_reference.h"
#include "parse/html/html_walk.h"

typedef struct source_writer {
    const char *done; /* the page up to here is written */
    crawl_buf *out;
    crawl_buf scratch;
    const cw_html_element *raw; /* the open element whose content is text; NULL: none */
} source_writer;

static crawl_err source_copy_to(source_writer *s, const char *to)
{
    crawl_err err = crawl_buf_append(s->out, s->done, (size_t)(to - s->done));
    s->done = to;
    return err;
}

/* Writes raw decoded and escaped. */
static crawl_err source_put(source_writer *s, crawl_slice raw, cw_html_place place)
{
    crawl_buf_clear(&s->scratch);
    crawl_err err = cw_html_decode(&s->scratch, raw, place);
    s->done = raw.data + raw.size;
    return err ? err : cw_html_escape(s->out, crawl_buf_slice(&s->scratch));
}

static crawl_err source_on_text(void *user, crawl_slice text)
{
    source_writer *s = user;
    if (s->raw || (cw_html_is_literal(text) && cw_find_char(text, '<') == text.size))
        return CRAWL_OK;
    crawl_err err = source_copy_to(s, text.data);
    return err ? err : source_put(s, text, CW_IN_TEXT);
}

/* A value without quotes gets them, because the decoded text may contain white space. */
static crawl_err source_put_value(source_writer *s, crawl_slice value)
{
    bool is_bare = value.data[-1] != '"' && value.data[-1] != '\'';
    crawl_err err = source_copy_to(s, value.data);
    if (!err && is_bare)
        err = crawl_buf_append_char(s->out, '"');
    if (!err)
        err = source_put(s, value, CW_IN_ATTRIBUTE);
    return !err && is_bare ? crawl_buf_append_char(s->out, '"') : err;
}

/* libxml2 reads scripts and style sheets as text by itself, those of SVG too. */
static bool source_is_copied(const cw_html_element *element)
{
    return element->id == CW_ID_SCRIPT || element->id == CW_ID_STYLE;
}

static crawl_err source_start(source_writer *s, const cw_html_token *token)
{
    crawl_err err = CRAWL_OK;
    crawl_slice name, value;
    for (cw_html_cursor rest = cw_html_first_of(token->attributes); !err && cw_html_next_of(&rest, &name, &value);)
        if (!cw_html_is_literal(value))
            err = source_put_value(s, value);
    const cw_html_element *element = cw_html_element_named(token->tag.name, false);
    bool is_raw = element && (element->flags & CW_EL_RAW) && !token->self_closing;
    if (!is_raw || (!token->html && !source_is_copied(element)))
        return err;
    s->raw = element;
    return err ? err : source_copy_to(s, token->end);
}

/* Writes the text of the open raw element, which ends here. */
static crawl_err source_end_raw(source_writer *s, const char *end)
{
    const cw_html_element *element = s->raw;
    crawl_slice text = crawl_slice_of(s->done, (size_t)(end - s->done));
    s->raw = NULL;
    if (source_is_copied(element))
        return CRAWL_OK;
    if (element->id == CW_ID_TITLE || cw_is_nocase(crawl_slice_from(element->name), "textarea"))
        return source_put(s, text, CW_IN_TITLE);
    s->done = end;
    return cw_html_escape(s->out, text);
}

/* Writes </br> as <br> (HTML standard, 13.2.6.4.7). */
static crawl_err source_put_break(source_writer *s, const cw_html_token *token)
{
    crawl_err err = source_copy_to(s, token->tag.name.data - 2);
    s->done = token->end;
    return err ? err : crawl_buf_append_text(s->out, "<br>");
}

static crawl_err source_on_tag(void *user, const cw_html_token *token)
{
    source_writer *s = user;
    if (!s->raw && token->tag.closing)
        return cw_is_nocase(token->tag.name, "br") ? source_put_break(s, token) : CRAWL_OK;
    if (!s->raw)
        return source_start(s, token);
    bool ends = token->tag.closing && cw_is_nocase(token->tag.name, s->raw->name);
    return ends ? source_end_raw(s, token->tag.name.data - 2) : CRAWL_OK;
}

crawl_err cw_tree_source(crawl_slice html, crawl_buf *out)
{
    source_writer s = {.done = html.data, .out = out};
    const cw_html_every every = {.user = &s, .tag = source_on_tag, .text = source_on_text};
    /* xml: like libxml2, it takes <iframe/> for the whole element. */
    const cw_html_visitor visitor = {.xml = true, .every = {&every}};
    const char *end = html.data + html.size;
    crawl_buf_clear(out);
    crawl_err err = cw_html_walk(html, &visitor);
    if (!err && s.raw)
        err = source_end_raw(&s, end);
    if (!err)
        err = source_copy_to(&s, end);
    cw_buf_drop_nuls(out);
    crawl_buf_free(&s.scratch);
    return err;
}

#include "parse/wall/wall_page.h"

#include "base/bytes.h"
#include "parse/html/html_find.h"
#include "parse/html/html_reference.h"
#include "parse/html/html_text.h"

void cw_walls_page_free(cw_walls_page *page)
{
    crawl_buf_free(&page->title);
    crawl_buf_free(&page->text);
    crawl_buf_free(&page->marks);
    crawl_buf_free(&page->scripts);
    crawl_buf_free(&page->scratch);
}

static void wall_page_clear(cw_walls_page *page)
{
    crawl_buf_clear(&page->title);
    crawl_buf_clear(&page->text);
    crawl_buf_clear(&page->marks);
    crawl_buf_clear(&page->scripts);
}

static crawl_err wall_page_add_text(cw_walls_page *page, crawl_slice raw, crawl_buf *out)
{
    if (!raw.size || out->size > CW_WALLS_MAX_TEXT)
        return CRAWL_OK;
    crawl_buf_clear(&page->scratch);
    crawl_err err = cw_html_decode(&page->scratch, raw, CW_IN_TEXT);
    if (!err)
        err = cw_html_text_collapse(out, crawl_buf_slice(&page->scratch), CW_WALLS_MAX_TEXT + 1);
    return err;
}

/* Appends "name\n"; the very first line has a line end before it. */
static crawl_err wall_page_add_tag(crawl_buf *out, crawl_slice tag)
{
    crawl_err err = out->size ? CRAWL_OK : crawl_buf_append_char(out, '\n');
    if (!err)
        err = cw_append_lower(out, tag);
    return err ? err : crawl_buf_append_char(out, '\n');
}

/* "name attribute=value\n"; a type is in lower case, since it counts in any. */
static crawl_err add_mark(cw_walls_page *page, crawl_slice tag, crawl_slice attribute, crawl_slice value)
{
    crawl_buf *out = &page->marks;
    crawl_err err = cw_append_lower(out, tag);
    if (!err)
        err = crawl_buf_append_char(out, ' ');
    if (!err)
        err = cw_append_lower(out, attribute);
    if (!err)
        err = crawl_buf_append_char(out, '=');
    size_t at = out->size;
    if (!err)
        err = cw_html_decode(out, value, CW_IN_ATTRIBUTE);
    for (; !err && cw_is_nocase(attribute, "type") && at < out->size; at++)
        out->data[at] = (char)cw_lower((unsigned char)out->data[at]);
    return err ? err : crawl_buf_append_char(out, '\n');
}

static crawl_err wall_page_take_attribute(cw_walls_page *page, crawl_slice tag, crawl_slice name, crawl_slice value)
{
    crawl_err err = add_mark(page, tag, name, value);
    if (err || !cw_is_nocase(tag, "script") || !cw_is_nocase(name, "src"))
        return err;
    err = cw_html_decode(&page->scripts, value, CW_IN_ATTRIBUTE);
    return err ? err : crawl_buf_append_char(&page->scripts, '\n');
}

/* Takes the content of an element that is text up to its end tag. That of <iframe> and the like is for browsers without
 * frames, and holds the text of Imperva's block page. */
static crawl_err wall_page_take_content(cw_walls_page *page, cw_html_scanner *scanner, const cw_html_element *element)
{
    if (element->id == CW_ID_SCRIPT) {
        crawl_slice script = cw_html_skip_script(scanner);
        crawl_err err = crawl_buf_append(&page->scripts, script.data, script.size);
        return err ? err : crawl_buf_append_char(&page->scripts, '\n');
    }
    crawl_slice content = cw_html_skip_text(scanner, crawl_slice_of(element->name, element->size));
    if (element->id == CW_ID_TITLE)
        return page->title.size ? CRAWL_OK : wall_page_add_text(page, content, &page->title);
    return element->id == CW_ID_STYLE ? CRAWL_OK : wall_page_add_text(page, content, &page->text);
}

static crawl_err wall_page_take_tag(cw_walls_page *page, cw_html_scanner *scanner, const cw_html_tag *tag)
{
    cw_html_attributes attributes;
    bool self_closing;
    crawl_slice name, value;
    crawl_err err = CRAWL_OK;
    if (!cw_html_split_tag(scanner, &attributes, &self_closing) || tag->closing)
        return CRAWL_OK;
    err = wall_page_add_tag(&page->marks, tag->name);
    for (cw_html_cursor rest = cw_html_first_of(&attributes); !err && cw_html_next_of(&rest, &name, &value);)
        err = wall_page_take_attribute(page, tag->name, name, value);
    const cw_html_element *element = cw_html_element_named(tag->name, false);
    return err || !element || !(element->flags & CW_EL_RAW) ? err : wall_page_take_content(page, scanner, element);
}

crawl_err cw_walls_page_read(cw_walls_page *page, crawl_slice html)
{
    cw_html_scanner scanner = {.at = html.data, .end = html.data + html.size};
    cw_html_tag tag;
    crawl_err err = CRAWL_OK;
    wall_page_clear(page);
    while (html.size && !err) {
        crawl_slice text, cdata;
        while (!err && cw_html_next_text(&scanner, &text, &cdata))
            err = wall_page_add_text(page, text, &page->text);
        if (err || !cw_html_next_tag(&scanner, &tag))
            break;
        /* Tags separate words, as those of lists and headings do. */
        if (page->text.size && page->text.size <= CW_WALLS_MAX_TEXT)
            err = cw_html_text_collapse(&page->text, crawl_slice_from(" "), CW_WALLS_MAX_TEXT + 1);
        if (!err)
            err = wall_page_take_tag(page, &scanner, &tag);
    }
    return err;
}

/* Runs for every page, and nearly all have a sixth link early: real tags are not distinguished from lookalikes in
 * comments or scripts. */
bool cw_walls_page_leads_on(crawl_slice html)
{
    enum { LEAST = 3 }; /* "<a " */
    const char *end = html.data + html.size;
    size_t links = 0;
    for (const char *at = html.data; html.size && links <= CW_WALLS_MAX_LINKS; at++) {
        at = cw_html_find(at, end, '<');
        if (end - at < LEAST)
            return false;
        links += cw_lower((unsigned char)at[1]) == 'a' && cw_html_is_of(at[2], CW_SPACE);
    }
    return html.size > 0;
}

/* Facts of a page in its elements: its base, its robots, its title. See page_build.h. */
#include "parse/page/page_build.h"

#include "parse/page/page_values.h"

#include "base/bytes.h"
#include "base/utf8.h"

/* --- base --- */

crawl_err cw_page_set_base(crawl_page *page, crawl_slice href)
{
    bool is_base;
    page->base_decided = true;
    crawl_err err =
        cw_page_base_of(href, page->base_known ? page->base : NULL, page->charset, page->proposed, &is_base);
    if (err || !is_base)
        return err;
    crawl_url *before = page->base;
    page->base = page->proposed;
    page->proposed = before;
    page->base_known = true;
    return CRAWL_OK;
}

static crawl_err page_build_on_base(crawl_page *page, const cw_html_values *values)
{
    bool decides = (values->found & CW_AT_HREF) && !page->base_decided;
    return decides ? cw_page_set_base(page, cw_html_value(values, CW_AT_HREF)) : CRAWL_OK;
}

/* --- meta --- */

/* Returns true if this name addresses robots: "robots", or the crawler's own name. */
static bool page_build_is_told(const crawl_page *page, crawl_slice name)
{
    name = cw_trim(name);
    return cw_is_nocase(name, "robots") || (page->agent.size && cw_equal_nocase(name, crawl_buf_slice(&page->agent)));
}

/* Bytes of <meta> about the use of a page that are kept, against a page that consists of them. */
enum { MAX_USES = 4096 };

static crawl_err keep_use(crawl_page *page, crawl_slice name, crawl_slice content)
{
    bool fits = page->uses.size + name.size + content.size + 2 <= MAX_USES && cw_find_char(name, '\0') == name.size &&
                cw_find_char(content, '\0') == content.size;
    if (!fits)
        return CRAWL_OK;
    crawl_err err = crawl_buf_append(&page->uses, name.data, name.size);
    if (!err)
        err = crawl_buf_append_char(&page->uses, '\0');
    if (!err)
        err = crawl_buf_append(&page->uses, content.data, content.size);
    return err ? err : crawl_buf_append_char(&page->uses, '\0');
}

/* Takes a <meta> with a name and a content. */
static crawl_err on_named_meta(crawl_page *page, crawl_slice name, crawl_slice content)
{
    bool told = page_build_is_told(page, name);
    if (told)
        page->robots |= cw_page_robots_directives(content);
    return cw_page_speaks_of_use(cw_trim(name), content, told) ? keep_use(page, cw_trim(name), content) : CRAWL_OK;
}

static crawl_err on_meta(crawl_page *page, const cw_html_values *values)
{
    crawl_slice content = cw_html_value(values, CW_AT_CONTENT);
    if (!(values->found & CW_AT_CONTENT))
        return CRAWL_OK;
    crawl_err err = CRAWL_OK;
    if (values->found & CW_AT_NAME)
        err = on_named_meta(page, cw_html_value(values, CW_AT_NAME), content);
    if (err)
        return err;
    if (cw_is_nocase(cw_html_value(values, CW_AT_HTTP_EQUIV), "refresh"))
        return cw_page_add_refresh(page, content);
    return CRAWL_OK;
}

crawl_err cw_page_element(crawl_page *page, const cw_html_element *element, const cw_html_values *values)
{
    switch (element->id) {
    case CW_ID_BASE:
        return page_build_on_base(page, values);
    case CW_ID_META:
        return on_meta(page, values);
    default:
        return cw_page_add_links(page, element, values);
    }
}

/* --- title --- */

/* Appends a byte: a run of white space becomes one space, and at the start none; one left at the end is removed later.
 * Other control characters are dropped. */
static void put_title_byte(crawl_buf *text, size_t start, char c)
{
    bool space = cw_is_space((unsigned char)c);
    bool after_space = text->size == start || text->data[text->size - 1] == ' ';
    if (!space && (unsigned char)c >= ' ')
        text->data[text->size++] = c;
    else if (space && !after_space)
        text->data[text->size++] = ' ';
}

crawl_err cw_page_set_title(crawl_page *page, crawl_slice text)
{
    crawl_err err = crawl_buf_reserve(&page->text, text.size);
    if (err)
        return err;
    size_t start = page->text.size;
    for (size_t i = 0; i < text.size; i++)
        put_title_byte(&page->text, start, text.data[i]);
    crawl_slice title =
        cw_utf8_cut(cw_page_slice(page, (cw_page_span){start, page->text.size - start}), CRAWL_PAGE_MAX_TITLE);
    page->title = (cw_page_span){start, cw_trim(title).size};
    return CRAWL_OK;
}

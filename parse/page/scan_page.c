/* The extractor `scan`: what the walk over a page finds goes straight into the page's links. See page_extract.h. */
#include "parse/html/html_reference.h"
#include "parse/html/html_values.h"
#include "parse/html/html_walk.h"
#include "parse/page/page_extract.h"

static crawl_err on_element(void *user, const cw_html_element *element, const cw_html_values *raw)
{
    crawl_page *page = user;
    cw_html_values values;
    crawl_err err = cw_html_decode_values(raw, &page->values, &values);
    return err ? err : cw_page_element(page, element, &values);
}

static crawl_err on_title(void *user, crawl_slice text)
{
    crawl_page *page = user;
    crawl_buf_clear(&page->values);
    crawl_err err = cw_html_decode(&page->values, text, CW_IN_TEXT);
    return err ? err : cw_page_set_title(page, crawl_buf_slice(&page->values));
}

static crawl_err on_anchor_ended(void *user, crawl_slice text)
{
    return cw_page_set_link_text(user, text);
}

crawl_err cw_scan_page(crawl_page *page, crawl_slice text, bool xml)
{
    cw_html_visitor visitor = {
        .user = page,
        .wanted = cw_page_wanted(page->kinds),
        .xml = xml,
        .element = on_element,
        .title = on_title,
    };
    if (page->texts.wanted) {
        visitor.texts = &page->texts;
        page->texts.anchor_ended = on_anchor_ended;
        page->texts.user = page;
    }
    return cw_html_walk(text, &visitor);
}

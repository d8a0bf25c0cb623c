/* Links of a JSON Feed (jsonfeed.org, version 1.1). */
#include "parse/page/page_build.h"

#include "base/bytes.h"
#include "base/json/pick.h"

/* Adds the URL that a string is. Its text is decoded into page->values, which has room for it. */
static crawl_err page_feed_json_add(crawl_page *page, const cw_json_value *value, const char *rel, bool enclosure)
{
    crawl_buf_clear(&page->values);
    crawl_slice href = cw_json_decoded(value, &page->values);
    return cw_page_add_feed_link(page, href, crawl_slice_from(rel), (crawl_slice){0}, enclosure);
}

static crawl_err page_feed_json_add_files(crawl_page *page, crawl_slice files)
{
    static const crawl_slice url_name = CW_JSON_NAME("url");
    cw_json_value url;
    crawl_err err = CRAWL_OK;
    while (!err && cw_json_next_pick(&files, &url_name, 1, &url))
        err = page_feed_json_add(page, &url, "enclosure", true);
    return err;
}

static crawl_err page_feed_json_add_items(crawl_page *page, crawl_slice items)
{
    enum { URL, EXTERNAL_URL, ATTACHMENTS, MEMBERS };
    static const crawl_slice names[MEMBERS] = {CW_JSON_NAME("url"), CW_JSON_NAME("external_url"),
                                               CW_JSON_NAME("attachments")};
    cw_json_value values[MEMBERS];
    crawl_err err = CRAWL_OK;
    while (!err && cw_json_next_pick(&items, names, MEMBERS, values)) {
        err = page_feed_json_add(page, &values[URL], "alternate", false);
        if (!err)
            err = page_feed_json_add(page, &values[EXTERNAL_URL], "related", false);
        if (!err && values[ATTACHMENTS].kind == CW_JSON_ARRAY)
            err = page_feed_json_add_files(page, values[ATTACHMENTS].bytes);
    }
    return err;
}

crawl_err cw_page_by_json_feed(crawl_page *page, crawl_slice text)
{
    enum { VERSION, TITLE, HOME, NEXT, ITEMS, MEMBERS };
    static const crawl_slice names[MEMBERS] = {CW_JSON_NAME("version"), CW_JSON_NAME("title"),
                                               CW_JSON_NAME("home_page_url"), CW_JSON_NAME("next_url"),
                                               CW_JSON_NAME("items")};
    cw_json_value values[MEMBERS];
    if (!cw_json_pick(text, names, MEMBERS, values) ||
        cw_find_text(values[VERSION].bytes, "jsonfeed.org") == values[VERSION].bytes.size)
        return CRAWL_OK;
    crawl_buf_clear(&page->values);
    crawl_err err = crawl_buf_reserve(&page->values, text.size);
    if (!err)
        err = cw_page_set_title(page, cw_json_decoded(&values[TITLE], &page->values));
    if (!err)
        err = page_feed_json_add(page, &values[HOME], "alternate", false);
    if (!err)
        err = page_feed_json_add(page, &values[NEXT], "next", false);
    return err || values[ITEMS].kind != CW_JSON_ARRAY ? err : page_feed_json_add_items(page, values[ITEMS].bytes);
}

/* Microdata (HTML standard, 5): which elements are items, and the value of a property (5.2.4). */
#include "parse/data/data_items.h"

static bool data_microdata_is_item(cw_data_reader *r, const xmlNode *element)
{
    return cw_data_has(r, element, "itemscope");
}

static bool data_microdata_is_top(cw_data_reader *r, const xmlNode *element)
{
    return !cw_data_has(r, element, "itemprop");
}

/* Elements whose value is that of an attribute. */
static const struct {
    const char *element;
    const char *attribute;
    bool is_url;
} valued[] = {
    {"meta", "content", false}, {"audio", "src", true},    {"embed", "src", true},      {"iframe", "src", true},
    {"img", "src", true},       {"source", "src", true},   {"track", "src", true},      {"video", "src", true},
    {"a", "href", true},        {"area", "href", true},    {"link", "href", true},      {"object", "data", true},
    {"data", "value", false},   {"meter", "value", false}, {"time", "datetime", false},
};

/* `content` comes first: the standard has it only on <meta>, but the examples of schema.org, and one page in eleven
 * that has microdata, put it on any element. */
static void data_microdata_put_value(cw_data_reader *r, const xmlNode *element)
{
    if (cw_data_has(r, element, "content")) {
        cw_data_put_text(r, cw_data_attribute(r, element, "content"));
        return;
    }
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
        if (!cw_data_is(element, valued[i].element))
            continue;
        crawl_slice value = cw_data_attribute(r, element, valued[i].attribute);
        if (!value.data && cw_data_is(element, "time"))
            break;
        cw_data_put_text(r, valued[i].is_url && value.data ? cw_data_url(r, value) : value);
        return;
    }
    cw_data_put_text(r, cw_data_text(r, element));
}

static void data_microdata_expand(cw_data_reader *r, const xmlNode *, crawl_slice word, crawl_buf *out)
{
    if (crawl_buf_append(out, word.data, word.size))
        r->out.err = CRAWL_ENOMEM;
}

/* An item without a type has no id (5.2.2). */
static crawl_slice id(cw_data_reader *r, const xmlNode *element)
{
    if (!cw_data_has(r, element, "itemid") || !cw_data_has(r, element, "itemtype"))
        return (crawl_slice){0};
    return cw_data_url(r, cw_data_attribute(r, element, "itemid"));
}

const cw_data_syntax cw_data_microdata = {
    .key = ",\"microdata\":[",
    .types = "itemtype",
    .names = "itemprop",
    .refers = "itemref",
    .is_item = data_microdata_is_item,
    .is_top = data_microdata_is_top,
    .put_value = data_microdata_put_value,
    .expand = data_microdata_expand,
    .id = id,
};

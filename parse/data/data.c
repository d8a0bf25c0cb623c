/* The data of a page, part by part: see <crawl/data.h>. Most parts are facts that the pass over the page recorded;
 * items need its tree. Short parts come first, so that a page whose items exceed the maximum keeps them. */
#include "base/bytes.h"
#include "base/json/json_write.h"
#include "base/utf8.h"
#include "parse/data/data_items.h"
#include "parse/page/page_build.h"
#include "parse/tree/tree.h"

#include <crawl/base.h>
#include <crawl/data.h>
#include <jansson.h>
#include <stdlib.h>

/* Whether a page is behind a paywall, according to the publisher's own markup for search engines. */

/* Nested parts that are examined; publishers write one level. */
enum { PAYWALL_LEVELS = 4 };

static const char paywall_key[] = "isAccessibleForFree";

static bool paywall_is_false(const json_t *value)
{
    if (!json_is_string(value))
        return json_is_false(value);
    crawl_slice text = cw_trim(crawl_slice_of(json_string_value(value), json_string_length(value)));
    return cw_is_nocase(text, "false") || cw_is_nocase(text, "http://schema.org/False") ||
           cw_is_nocase(text, "https://schema.org/False");
}

static bool paywall_is_said(const json_t *value, int levels)
{
    size_t i;
    const json_t *item;
    if (!levels)
        return false;
    if (json_is_object(value))
        return paywall_is_false(json_object_get(value, paywall_key)) ||
               paywall_is_said(json_object_get(value, "@graph"), levels - 1) ||
               paywall_is_said(json_object_get(value, "hasPart"), levels - 1);
    json_array_foreach(value, i, item) if (json_is_object(item) && paywall_is_said(item, levels)) return true;
    return false;
}

/* json_ld: valid JSON. Sets *out if it says isAccessibleForFree: false ("False" and schema.org/False too) about the
 * page, an item of its @graph, or a part of these (hasPart). Its statements about other pages, such as those of a list,
 * do not count. CRAWL_ENOMEM. */
static crawl_err data_paywall_read(crawl_slice json_ld, bool *out)
{
    *out = false;
    if (!memmem(json_ld.data, json_ld.size, paywall_key, sizeof paywall_key - 1))
        return CRAWL_OK;
    json_t *read = json_loadb(json_ld.data, json_ld.size, 0, NULL);
    if (!read)
        return CRAWL_ENOMEM;
    *out = paywall_is_said(read, PAYWALL_LEVELS);
    json_decref(read);
    return CRAWL_OK;
}

/* Memory of each kind that is kept from one page to the next: enough for nearly all pages. */
#define KEEP_BYTES ((size_t)1 << 20)

struct crawl_data {
    cw_data_reader reader;
};

crawl_data *crawl_data_create(void)
{
    crawl_data *data = calloc(1, sizeof *data);
    if (!data)
        return NULL;
    data->reader.url = crawl_url_create();
    data->reader.out.out = &data->reader.json;
    if (data->reader.url)
        return data;
    free(data);
    return NULL;
}

/* Gives back all memory that pages took. */
static void data_drop(cw_data_reader *r)
{
    free((void *)r->elements);
    free(r->marks);
    free(r->properties);
    r->elements = NULL;
    r->marks = NULL;
    r->properties = NULL;
    r->capacity = r->mark_capacity = r->property_capacity = 0;
    crawl_buf_free(&r->names);
    crawl_buf_free(&r->raw);
    crawl_buf_free(&r->text);
}

void crawl_data_free(crawl_data *data)
{
    if (!data)
        return;
    data_drop(&data->reader);
    crawl_buf_free(&data->reader.json);
    crawl_url_free(data->reader.url);
    free(data);
}

/* ---- one value ---- */

/* Writes `,"name":"text"`, unless text is empty. */
static void data_put_text(cw_data_reader *r, const char *name, crawl_slice text)
{
    size_t before = r->json.size;
    if (!text.size)
        return;
    cw_put_format(&r->out, ",\"%s\":", name);
    cw_data_put_text(r, text);
    (void)cw_data_keep(r, before);
}

/* Returns the value of the first fact of a kind; empty: the page has none. */
static crawl_slice data_first_of(const cw_data_reader *r, cw_data_kind kind)
{
    for (size_t i = 0; i < r->facts->count; i++)
        if (r->facts->facts[i].kind == kind)
            return cw_data_fact_value(r->facts, i);
    return (crawl_slice){0};
}

static bool data_has(const cw_data_reader *r, cw_data_kind kind)
{
    return r->facts->seen >> kind & 1;
}

/* Writes facts that a page has once. */
static void put_single(cw_data_reader *r)
{
    cw_data_kind lang = data_has(r, CW_DATA_LANG) ? CW_DATA_LANG : CW_DATA_XML_LANG;
    data_put_text(r, "lang", cw_trim(data_first_of(r, lang)));
    data_put_text(r, "description", cw_data_collapse(r, data_first_of(r, CW_DATA_DESCRIPTION)));
    crawl_slice canonical = data_first_of(r, CW_DATA_CANONICAL);
    data_put_text(r, "canonical", canonical.size ? cw_data_url(r, canonical) : r->canonical);
    if (data_has(r, CW_DATA_LICENSE))
        data_put_text(r, "license", cw_data_url(r, data_first_of(r, CW_DATA_LICENSE)));
}

/* ---- lists ---- */

/* Writes the facts of a kind as a list, `before` in front of the first; nothing if there are none. value must write
 * nothing for a fact without a value. */
static void data_put_list(cw_data_reader *r, cw_data_kind kind, const char *before,
                          void (*value)(cw_data_reader *, uint32_t fact))
{
    const char *separator = before;
    for (uint32_t i = 0; data_has(r, kind) && i < r->facts->count; i++) {
        size_t size = r->json.size;
        if (r->facts->facts[i].kind != kind)
            continue;
        cw_put_text(&r->out, separator);
        size_t from = r->json.size;
        value(r, i);
        if (r->json.size == from)
            cw_writer_cut(&r->out, size);
        else if (cw_data_keep(r, size))
            separator = ",";
    }
    cw_put_text(&r->out, separator == before ? "" : "]");
}

static void put_translation(cw_data_reader *r, uint32_t fact)
{
    size_t before = r->json.size;
    cw_put_text(&r->out, "{\"lang\":");
    cw_data_put_text(r, cw_data_fact_name(r->facts, fact));
    crawl_slice url = cw_data_url(r, cw_data_fact_value(r->facts, fact));
    cw_json_text(&r->out, ",\"url\":", url);
    cw_put_char(&r->out, '}');
    if (!url.size)
        cw_writer_cut(&r->out, before);
}

static void data_put_heading(cw_data_reader *r, uint32_t fact)
{
    crawl_slice text = cw_data_fact_value(r->facts, fact);
    if (cw_trim_blanks(text).size)
        cw_data_put_text(r, text);
}

/* Writes the URL of an image without alt, which tells nothing to people who do not see it. Without a URL the text is
 * empty; of a URL that contains the image's bytes, only the part before them is written. */
static void put_no_alt(cw_data_reader *r, uint32_t fact)
{
    crawl_slice source = cw_data_fact_value(r->facts, fact);
    crawl_slice url = source.size ? cw_data_url(r, source) : source;
    cw_data_put_text(r, cw_starts_nocase(url, "data:") ? cw_cut(&url, ',') : url);
}

static void put_script(cw_data_reader *r, uint32_t fact)
{
    cw_put(&r->out, cw_data_fact_value(r->facts, fact));
}

static void put_paywall(cw_data_reader *r)
{
    for (uint32_t i = 0; data_has(r, CW_DATA_JSON_LD) && i < r->facts->count && !r->out.err; i++) {
        bool is_paywalled = false;
        if (r->facts->facts[i].kind == CW_DATA_JSON_LD)
            r->out.err = data_paywall_read(cw_data_fact_value(r->facts, i), &is_paywalled);
        if (is_paywalled) {
            cw_put_text(&r->out, ",\"paywalled\":true");
            return;
        }
    }
}

/* ---- OpenGraph ---- */

static crawl_err put_content(cw_data_reader *r, const void *, uint32_t fact)
{
    cw_data_put_text(r, cw_data_fact_value(r->facts, fact));
    return r->out.err;
}

static crawl_err put_open_graph(cw_data_reader *r)
{
    crawl_err err = CRAWL_OK;
    size_t before = r->json.size;
    for (uint32_t i = 0; data_has(r, CW_DATA_OPEN_GRAPH) && i < r->facts->count && !err; i++) {
        crawl_slice name = cw_data_fact_name(r->facts, i);
        size_t at = r->names.size;
        if (r->facts->facts[i].kind != CW_DATA_OPEN_GRAPH)
            continue;
        err = crawl_buf_append(&r->names, name.data, name.size);
        if (!err)
            err = cw_data_add_property(r, i, at);
    }
    if (err || !r->property_count)
        return err;
    cw_put_text(&r->out, ",\"opengraph\":");
    err = cw_data_put_properties(r, 0, put_content, NULL);
    r->property_count = 0;
    r->names.size = 0;
    (void)cw_data_keep(r, before);
    return err;
}

/* ---- items ---- */

static crawl_err put_items(cw_data_reader *r, crawl_tree *tree)
{
    xmlDoc *document;
    crawl_err err = cw_tree_document(tree, &document);
    r->is_cut = r->is_cut || cw_tree_is_cut(tree);
    if (err || !document)
        return err;
    err = cw_data_list_elements(r, xmlDocGetRootElement(document));
    if (!err)
        err = cw_data_put_items(r, &cw_data_microdata);
    return err ? err : cw_data_put_items(r, &cw_data_rdfa);
}

/* ---- all of it ---- */

static crawl_err data_put_all(cw_data_reader *r, crawl_tree *tree)
{
    put_single(r);
    data_put_list(r, CW_DATA_TRANSLATION, ",\"hreflang\":[", put_translation);
    data_put_list(r, CW_DATA_HEADING, ",\"h1\":[", data_put_heading);
    crawl_err err = put_open_graph(r);
    if (err)
        return err;
    put_paywall(r);
    data_put_list(r, CW_DATA_JSON_LD, ",\"json_ld\":[", put_script);
    if (r->facts->broken)
        cw_json_int(&r->out, ",\"json_ld_broken\":", (int64_t)r->facts->broken);
    if (r->facts->has_items)
        err = put_items(r, tree);
    data_put_list(r, CW_DATA_NO_ALT, ",\"no_alt\":[", put_no_alt);
    if (r->is_cut)
        cw_put_text(&r->out, ",\"cut\":true");
    return err ? err : r->out.err;
}

static void data_begin(cw_data_reader *r, const crawl_page *page)
{
    if (r->capacity * sizeof *r->elements > KEEP_BYTES || r->raw.capacity > KEEP_BYTES ||
        r->names.capacity > KEEP_BYTES)
        data_drop(r);
    crawl_buf_clear(&r->json);
    crawl_buf_clear(&r->names);
    r->out.err = CRAWL_OK;
    r->base = crawl_page_base(page);
    r->charset = crawl_page_charset(page);
    r->facts = &page->facts;
    r->count = r->property_count = r->depth = r->closing = 0;
    r->steps = CRAWL_DATA_MAX_STEPS;
    r->is_cut = page->facts.is_cut;
}

void crawl_data_set_canonical(crawl_data *data, crawl_slice url)
{
    data->reader.canonical = url;
}

crawl_err crawl_data_add_translation(crawl_page *page, crawl_slice lang, crawl_slice url)
{
    bool is_text = cw_utf8_valid_prefix(lang) == lang.size;
    return is_text ? cw_data_facts_add(&page->facts, CW_DATA_TRANSLATION, cw_trim(lang), url, NULL) : CRAWL_OK;
}

crawl_err crawl_data_read(crawl_data *data, const crawl_page *page, crawl_tree *tree, crawl_slice *json)
{
    cw_data_reader *r = &data->reader;
    data_begin(r, page);
    crawl_err err = data_put_all(r, tree);
    if (!err && r->json.size)
        err = crawl_buf_append_char(&r->json, '}');
    if (err)
        return err;
    if (r->json.size)
        r->json.data[0] = '{'; /* in place of the first comma */
    r->canonical = (crawl_slice){0};
    *json = crawl_buf_slice(&r->json);
    return CRAWL_OK;
}

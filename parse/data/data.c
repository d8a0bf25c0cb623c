/* The data of a page, part by part: see <crawl/data.h>. The parts that are short come first, so that a page whose items
 * are beyond the maximum keeps them. */
#include "base/bytes.h"
#include "base/json.h"
#include "parse/data/data_items.h"
#include "parse/data/data_json.h"
#include "parse/tree/tree.h"

#include <crawl/data.h>
#include <stdlib.h>

/* Bytes of a script of JSON that are looked at: most of its white space is left out. */
#define MAX_SCRIPT ((size_t)4 * CRAWL_DATA_MAX_BYTES)

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

/* Gives all memory back that pages took. */
static void drop(cw_data_reader *r)
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
    drop(&data->reader);
    crawl_buf_free(&data->reader.json);
    crawl_url_free(data->reader.url);
    free(data);
}

/* ---- one value ---- */

/* Writes `,"name":"text"`, unless text is empty. */
static void put_text(cw_data_reader *r, const char *name, crawl_slice text)
{
    size_t before = r->json.size;
    if (!text.size)
        return;
    cw_put_format(&r->out, ",\"%s\":", name);
    cw_data_put_text(r, text);
    (void)cw_data_keep(r, before);
}

static void put_language(cw_data_reader *r)
{
    const xmlNode *root = r->elements[0];
    const char *name = cw_data_has(root, "lang") ? "lang" : "xml:lang";
    put_text(r, "lang", cw_trim(cw_data_attribute(r, root, name)));
}

static bool is_description(cw_data_reader *r, const xmlNode *element)
{
    return cw_data_is(element, "meta") && cw_is_nocase(cw_trim(cw_data_attribute(r, element, "name")), "description");
}

static void put_description(cw_data_reader *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (is_description(r, r->elements[i])) {
            put_text(r, "description", cw_data_collapse(r, cw_data_attribute(r, r->elements[i], "content")));
            return;
        }
}

static bool is_link(cw_data_reader *r, const xmlNode *element, const char *rel)
{
    return cw_data_is(element, "link") && cw_data_has_token(cw_data_attribute(r, element, "rel"), rel);
}

static void put_canonical(cw_data_reader *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (is_link(r, r->elements[i], "canonical")) {
            put_text(r, "canonical", cw_data_url(r, cw_data_attribute(r, r->elements[i], "href")));
            return;
        }
}

/* ---- lists ---- */

/* Writes the values of a list that elements have, `before` in front of the first; nothing where none has any. value
 * writes nothing where the element has none. */
static void put_list(cw_data_reader *r, const char *before, void (*value)(cw_data_reader *, const xmlNode *))
{
    const char *separator = before;
    for (size_t i = 0; i < r->count; i++) {
        size_t size = r->json.size;
        cw_put_text(&r->out, separator);
        size_t from = r->json.size;
        value(r, r->elements[i]);
        if (r->json.size == from)
            cw_writer_cut(&r->out, size);
        else if (cw_data_keep(r, size))
            separator = ",";
    }
    cw_put_text(&r->out, separator == before ? "" : "]");
}

static void put_translation(cw_data_reader *r, const xmlNode *element)
{
    if (!cw_data_has(element, "hreflang") || !is_link(r, element, "alternate"))
        return;
    size_t before = r->json.size;
    cw_put_text(&r->out, "{\"lang\":");
    cw_data_put_text(r, cw_trim(cw_data_attribute(r, element, "hreflang")));
    crawl_slice url = cw_data_url(r, cw_data_attribute(r, element, "href"));
    cw_json_text(&r->out, ",\"url\":", url);
    cw_put_char(&r->out, '}');
    if (!url.size)
        cw_writer_cut(&r->out, before);
}

static void put_heading(cw_data_reader *r, const xmlNode *element)
{
    crawl_slice text = cw_data_is(element, "h1") ? cw_data_text(r, element) : (crawl_slice){0};
    if (text.size)
        cw_data_put_text(r, text);
}

static bool is_image(cw_data_reader *r, const xmlNode *element)
{
    return cw_data_is(element, "img") ||
           (cw_data_is(element, "input") && cw_is_nocase(cw_trim(cw_data_attribute(r, element, "type")), "image"));
}

/* Writes the URL of an image without alt, which says nothing to those who do not see it. One that names none has an
 * empty text, and one that holds its bytes itself what stands before them. */
static void put_no_alt(cw_data_reader *r, const xmlNode *element)
{
    if (!is_image(r, element) || cw_data_has(element, "alt"))
        return;
    crawl_slice source = cw_data_attribute(r, element, "src");
    crawl_slice url = source.size ? cw_data_url(r, source) : source;
    cw_data_put_text(r, cw_starts_nocase(url, "data:") ? cw_cut(&url, ',') : url);
}

static bool is_json_script(cw_data_reader *r, const xmlNode *element)
{
    if (!cw_data_is(element, "script"))
        return false;
    crawl_slice type = cw_data_attribute(r, element, "type");
    return cw_is_nocase(cw_trim(cw_cut(&type, ';')), "application/ld+json");
}

static void put_script(cw_data_reader *r, const xmlNode *element)
{
    if (!is_json_script(r, element))
        return;
    bool was_cut = r->is_cut;
    r->is_cut = false;
    crawl_slice text = cw_data_raw_text(r, element, MAX_SCRIPT);
    size_t before = r->json.size;
    bool is_json = !r->is_cut && cw_data_json_copy(text, &r->out);
    if (!is_json)
        cw_writer_cut(&r->out, before);
    r->broken += !is_json && !r->is_cut;
    r->is_cut = r->is_cut || was_cut;
}

/* ---- OpenGraph ---- */

/* The vocabularies of https://ogp.me/. */
static bool is_open_graph(crawl_slice name)
{
    static const char *const prefixes[] = {"og:", "article:", "book:", "music:", "product:", "profile:", "video:"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (cw_starts_nocase(name, prefixes[i]))
            return true;
    return false;
}

static crawl_err put_content(cw_data_reader *r, const void *user, const xmlNode *element)
{
    (void)user;
    cw_data_put_text(r, cw_data_attribute(r, element, "content"));
    return r->out.err;
}

/* Many pages have it in name in place of property, and all who read it take that. */
static crawl_err put_open_graph(cw_data_reader *r)
{
    crawl_err err = CRAWL_OK;
    size_t before = r->json.size;
    for (size_t i = 0; i < r->count && !err; i++) {
        const xmlNode *element = r->elements[i];
        if (!cw_data_is(element, "meta") || !cw_data_has(element, "content"))
            continue;
        const char *attribute = cw_data_has(element, "property") ? "property" : "name";
        crawl_slice name = cw_trim(cw_data_attribute(r, element, attribute));
        size_t at = r->names.size;
        if (!is_open_graph(name))
            continue;
        err = crawl_buf_append(&r->names, name.data, name.size);
        if (!err)
            err = cw_data_add_property(r, (uint32_t)i, at);
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

/* ---- all of it ---- */

static crawl_err put_all(cw_data_reader *r)
{
    put_language(r);
    put_description(r);
    put_canonical(r);
    put_list(r, ",\"hreflang\":[", put_translation);
    put_list(r, ",\"h1\":[", put_heading);
    crawl_err err = put_open_graph(r);
    if (err)
        return err;
    put_list(r, ",\"json_ld\":[", put_script);
    if (r->broken)
        cw_json_int(&r->out, ",\"json_ld_broken\":", (int64_t)r->broken);
    err = cw_data_put_items(r, &cw_data_microdata);
    if (!err)
        err = cw_data_put_items(r, &cw_data_rdfa);
    put_list(r, ",\"no_alt\":[", put_no_alt);
    if (r->is_cut)
        cw_put_text(&r->out, ",\"cut\":true");
    return err ? err : r->out.err;
}

static void begin(cw_data_reader *r, const crawl_url *base, const char *charset)
{
    if (r->capacity * sizeof *r->elements > KEEP_BYTES || r->raw.capacity > KEEP_BYTES ||
        r->names.capacity > KEEP_BYTES)
        drop(r);
    crawl_buf_clear(&r->json);
    crawl_buf_clear(&r->names);
    r->out.err = CRAWL_OK;
    r->base = base;
    r->charset = charset;
    r->count = r->property_count = r->depth = r->broken = 0;
    r->steps = CRAWL_DATA_MAX_STEPS;
    r->is_cut = false;
}

crawl_err crawl_data_read(crawl_data *data, crawl_tree *tree, const crawl_url *base, const char *charset,
                          crawl_slice *json)
{
    cw_data_reader *r = &data->reader;
    xmlDoc *document;
    begin(r, base, charset);
    crawl_err err = cw_tree_document(tree, &document);
    r->is_cut = cw_tree_is_cut(tree);
    if (!err && document)
        err = cw_data_list_elements(r, xmlDocGetRootElement(document));
    if (!err && r->count)
        err = put_all(r);
    if (!err && r->json.size)
        err = crawl_buf_append_char(&r->json, '}');
    if (err)
        return err;
    if (r->json.size)
        r->json.data[0] = '{'; /* in place of the first comma */
    *json = crawl_buf_slice(&r->json);
    return CRAWL_OK;
}

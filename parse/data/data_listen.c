#include "parse/data/data_facts.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "base/writer.h"
#include "parse/data/data_heading.h"
#include "parse/data/data_json.h"
#include "parse/html/html_reference.h"

/* Bytes of a JSON script that are read: most of its white space is dropped. */
#define MAX_SCRIPT ((size_t)4 * CRAWL_DATA_MAX_BYTES)

/* --- attributes --- */

/* Decodes the references of raw, in storage if it has any; cuts it if it is too long. */
static crawl_err data_listen_decode(cw_data_facts *facts, crawl_slice raw, crawl_buf *storage, crawl_slice *text)
{
    facts->is_cut = facts->is_cut || raw.size > CW_HTML_MAX_RAW_VALUE;
    *text = cw_utf8_cut(raw, CW_HTML_MAX_RAW_VALUE);
    if (cw_html_is_literal(*text))
        return CRAWL_OK;
    crawl_buf_clear(storage);
    crawl_err err = cw_html_decode(storage, *text, CW_IN_ATTRIBUTE);
    *text = crawl_buf_slice(storage);
    return err;
}

static crawl_err data_listen_add(cw_data_facts *facts, cw_data_kind kind, crawl_slice name, crawl_slice raw)
{
    bool is_link = kind == CW_DATA_CANONICAL || kind == CW_DATA_TRANSLATION || kind == CW_DATA_LICENSE;
    crawl_slice value;
    crawl_err err = data_listen_decode(facts, raw, &facts->value, &value);
    bool is_empty = is_link && !cw_trim(value).size; /* it links to nothing (HTML standard, 4.2.4) */
    return err || is_empty ? err : cw_data_facts_add(facts, kind, name, value, NULL);
}

/* Adds a fact of which only the first on a page counts. */
static crawl_err add_first(cw_data_facts *facts, cw_data_kind kind, crawl_slice raw)
{
    return facts->seen >> kind & 1 ? CRAWL_OK : data_listen_add(facts, kind, (crawl_slice){0}, raw);
}

/* --- elements --- */

/* The attributes of further <html> tags become those of the first, if it lacks them (13.2.6.4.7). */
static crawl_err data_listen_take_html(cw_data_facts *facts, const cw_html_token *token)
{
    crawl_slice lang = cw_html_attribute(token, "lang");
    crawl_slice xml_lang = cw_html_attribute(token, "xml:lang");
    crawl_err err = lang.data ? add_first(facts, CW_DATA_LANG, lang) : CRAWL_OK;
    return err || !xml_lang.data ? err : add_first(facts, CW_DATA_XML_LANG, xml_lang);
}

/* Returns true for the vocabularies of https://ogp.me/. */
static bool is_open_graph(crawl_slice name)
{
    static const char *const prefixes[] = {"og:", "article:", "book:", "music:", "product:", "profile:", "video:"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (cw_starts_nocase(name, prefixes[i]))
            return true;
    return false;
}

/* Many pages have OpenGraph in name instead of property, which all its readers accept. */
static crawl_err take_meta(cw_data_facts *facts, const cw_html_token *token)
{
    crawl_slice content = cw_html_attribute(token, "content");
    crawl_slice property = cw_html_attribute(token, "property");
    crawl_slice name;
    crawl_err err = data_listen_decode(facts, cw_html_attribute(token, "name"), &facts->name, &name);
    if (!err && cw_is_nocase(cw_trim(name), "description"))
        err = add_first(facts, CW_DATA_DESCRIPTION, content);
    if (!err && property.data)
        err = data_listen_decode(facts, property, &facts->name, &name);
    bool is_fact = !err && content.data && is_open_graph(cw_trim(name));
    return is_fact ? data_listen_add(facts, CW_DATA_OPEN_GRAPH, cw_trim(name), content) : err;
}

/* If a page names several licences, such as those of its pictures, the first one counts. */
static crawl_err data_listen_take_license(cw_data_facts *facts, const cw_html_token *token)
{
    crawl_slice href = cw_html_attribute(token, "href"), rel = cw_html_attribute(token, "rel");
    crawl_err err = rel.data ? data_listen_decode(facts, rel, &facts->name, &rel) : CRAWL_OK;
    bool is_license = !err && cw_has_word(rel, crawl_slice_from("license"), false);
    return is_license ? add_first(facts, CW_DATA_LICENSE, href) : err;
}

static crawl_err data_listen_take_link(cw_data_facts *facts, const cw_html_token *token)
{
    crawl_slice href = cw_html_attribute(token, "href");
    crawl_slice lang = cw_html_attribute(token, "hreflang");
    crawl_slice rel;
    crawl_err err = data_listen_decode(facts, cw_html_attribute(token, "rel"), &facts->name, &rel);
    bool is_translation = !err && lang.data && cw_has_word(rel, crawl_slice_from("alternate"), false);
    if (!err && cw_has_word(rel, crawl_slice_from("canonical"), false))
        err = add_first(facts, CW_DATA_CANONICAL, href);
    err = err ? err : data_listen_take_license(facts, token);
    if (err || !is_translation)
        return err;
    err = data_listen_decode(facts, lang, &facts->name, &lang);
    return err ? err : data_listen_add(facts, CW_DATA_TRANSLATION, cw_trim(lang), href);
}

static crawl_err data_listen_take_script(cw_data_facts *facts, const cw_html_token *token)
{
    crawl_slice type;
    crawl_err err = data_listen_decode(facts, cw_html_attribute(token, "type"), &facts->name, &type);
    facts->in_script = !err && cw_is_nocase(cw_trim(cw_cut(&type, ';')), "application/ld+json");
    return err;
}

static bool is_image(const cw_html_token *token)
{
    crawl_slice name = token->tag.name;
    if (!token->html)
        return cw_is_nocase(name, "img"); /* which ends SVG and MathML */
    return cw_is_nocase(name, "img") || cw_is_nocase(name, "image") ||
           (cw_is_nocase(name, "input") && cw_is_nocase(cw_trim(cw_html_attribute(token, "type")), "image"));
}

/* For an image that contains its bytes in its URL, those are dropped. */
static crawl_err take_image(cw_data_facts *facts, const cw_html_token *token)
{
    crawl_slice source = cw_trim(cw_html_attribute(token, "src"));
    if (!is_image(token) || cw_html_attribute(token, "alt").data)
        return CRAWL_OK;
    if (cw_starts_nocase(source, "data:"))
        source = cw_cut(&source, ',');
    return data_listen_add(facts, CW_DATA_NO_ALT, (crawl_slice){0}, source);
}

/* Takes the elements that say something about the page. */
static crawl_err data_listen_take_element(cw_data_facts *facts, const cw_html_token *token)
{
    crawl_slice name = token->tag.name;
    if (name.size == 4 && cw_is_nocase(name, "meta")) /* in SVG and MathML it ends these */
        return take_meta(facts, token);
    if ((name.data[0] | 0x20) == 'i')
        return take_image(facts, token);
    if (name.size == 1 && (name.data[0] | 0x20) == 'a')
        return data_listen_take_license(facts, token);
    if (!token->html || (name.size != 4 && name.size != 6))
        return CRAWL_OK;
    if (cw_is_nocase(name, "link"))
        return data_listen_take_link(facts, token);
    if (cw_is_nocase(name, "html"))
        return data_listen_take_html(facts, token);
    return cw_is_nocase(name, "script") ? data_listen_take_script(facts, token) : CRAWL_OK;
}

/* Returns true if the element begins an item. See data_microdata.c and data_rdfa.c, which read these from the tree. */
static bool begins_item(const cw_html_token *token)
{
    crawl_slice name, value;
    bool has_resource = false;
    bool has_property = false;
    for (cw_html_cursor rest = cw_html_first_of(token->attributes); cw_html_next_of(&rest, &name, &value);) {
        if (name.size != 6 && name.size != 8 && name.size != 9)
            continue;
        if (cw_is_nocase(name, "itemscope") || cw_is_nocase(name, "typeof"))
            return true;
        has_resource = has_resource || cw_is_nocase(name, "resource");
        has_property = has_property || cw_is_nocase(name, "property");
    }
    return has_resource && !has_property;
}

/* --- the walk --- */

static crawl_err data_listen_on_text(void *user, crawl_slice text)
{
    return cw_data_heading_text(user, text);
}

static crawl_err on_cdata(void *user, crawl_slice text)
{
    return cw_data_heading_cdata(user, text);
}

static crawl_err data_listen_on_tag(void *user, const cw_html_token *token)
{
    cw_data_facts *facts = user;
    crawl_slice name = token->tag.name;
    bool is_heading = cw_data_heading_is_open(facts);
    if (!is_heading && !token->tag.closing && name.size == 2 && !token->in_template)
        is_heading = cw_is_nocase(name, "h1");
    crawl_err err = is_heading ? cw_data_heading_tag(facts, token) : CRAWL_OK;
    if (is_heading) /* finding where texts end takes time */
        facts->every.text = cw_data_heading_is_open(facts) ? data_listen_on_text : NULL;
    if (err || token->tag.closing || token->in_template)
        return err;
    facts->has_items = facts->has_items || begins_item(token);
    return data_listen_take_element(facts, token);
}

/* Removes marks of comments and CDATA sections at the ends of text, by which scripts were once hidden from older
 * browsers and from XML. No JSON begins or ends with one. */
static crawl_slice data_listen_unwrap(crawl_slice text)
{
    static const char *const opens[] = {"<!--", "<![CDATA[", "//", "/*", "*/"};
    static const char *const closes[] = {"-->", "]]>", "//", "/*", "*/"};
    for (size_t before = text.size + 1; text.size < before;) {
        before = text.size;
        for (size_t i = 0; i < sizeof opens / sizeof *opens; i++) {
            text = cw_trim(text);
            cw_take_text(&text, opens[i]);
            if (cw_ends_with(text, closes[i]))
                text.size -= strlen(closes[i]);
        }
    }
    return text;
}

static crawl_err take_json(cw_data_facts *facts, crawl_slice text)
{
    cw_writer json = {.out = &facts->value};
    crawl_buf_clear(&facts->value);
    bool is_json = cw_data_json_copy(data_listen_unwrap(text), &json);
    facts->broken += !is_json && !json.err;
    if (json.err || !is_json)
        return json.err;
    return cw_data_facts_add(facts, CW_DATA_JSON_LD, (crawl_slice){0}, crawl_buf_slice(&facts->value), NULL);
}

static crawl_err take_markup(cw_data_facts *facts, crawl_slice raw)
{
    crawl_buf text = {0};
    crawl_err err = cw_html_decode_markup(&text, raw);
    if (!err)
        err = take_json(facts, crawl_buf_slice(&text));
    crawl_buf_free(&text);
    return err;
}

static crawl_err on_script(void *user, crawl_slice text)
{
    cw_data_facts *facts = user;
    if (!facts->in_script)
        return CRAWL_OK;
    facts->in_script = false;
    facts->is_cut = facts->is_cut || text.size > MAX_SCRIPT;
    if (text.size > MAX_SCRIPT)
        return CRAWL_OK;
    return facts->xml ? take_markup(facts, text) : take_json(facts, text);
}

const cw_html_every *cw_data_listen(cw_data_facts *facts, bool xml)
{
    facts->xml = xml;
    facts->every = (cw_html_every){.user = facts, .tag = data_listen_on_tag, .cdata = on_cdata, .script = on_script};
    return facts->wanted ? &facts->every : NULL;
}

crawl_err cw_data_listen_end(cw_data_facts *facts)
{
    return cw_data_heading_end(facts);
}

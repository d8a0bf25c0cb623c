/* See extract_value.h. A value is made in three steps: the text of the node, what the pattern finds in it, and the
 * number, date or URL that this is. */
#include "parse/extract/extract_value.h"

#include "base/bytes.h"
#include "base/json/json_write.h"
#include "parse/extract/extract_text.h"
#include "parse/text/text_element.h"
#include "parse/text/text_shift.h"

#include <libxml/HTMLtree.h>

/* Steps of one search, as for patterns of URLs. */
#define MATCH_LIMIT 10000u

/* The most groups of a pattern; the first one counts. */
#define GROUPS 2u

crawl_err cw_extract_maker_open(cw_extract_maker *maker)
{
    maker->url = crawl_url_create();
    maker->match = pcre2_match_data_create(GROUPS, NULL);
    maker->limits = pcre2_match_context_create(NULL);
    if (!maker->url || !maker->match || !maker->limits)
        return CRAWL_ENOMEM;
    pcre2_set_match_limit(maker->limits, MATCH_LIMIT);
    return CRAWL_OK;
}

void cw_extract_maker_close(cw_extract_maker *maker)
{
    crawl_url_free(maker->url);
    pcre2_match_data_free(maker->match);
    pcre2_match_context_free(maker->limits);
    crawl_buf_free(&maker->raw);
    crawl_buf_free(&maker->text);
}

/* ---- the text of a node ---- */

static crawl_err append_content(const xmlNode *node, crawl_buf *out)
{
    xmlChar *content = xmlNodeGetContent((xmlNode *)node);
    crawl_err err = content ? crawl_buf_append_text(out, (const char *)content) : CRAWL_OK;
    xmlFree(content);
    return err;
}

static bool extract_value_is_named(const xmlNode *node, const char *const *names, size_t count)
{
    return node->type == XML_ELEMENT_NODE && cw_is_among(crawl_slice_from((const char *)node->name), names, count);
}

/* Returns true if the text in it is not for readers. */
static bool is_code_of_page(const xmlNode *node)
{
    static const char *const names[] = {"script", "style", "template", "iframe", "noembed", "noframes"};
    return extract_value_is_named(node, names, sizeof names / sizeof *names);
}

/* Returns true for the reading of a ruby that no <rp> sets off. */
static bool is_bare_reading(const xmlNode *node)
{
    static const char *const names[] = {"rp"};
    return !(node->prev && extract_value_is_named(node->prev, names, 1)) &&
           !(node->next && extract_value_is_named(node->next, names, 1));
}

/* Appends a space if the element ends a word where it begins and where it ends. */
static crawl_err pass_tag(cw_extract_walk *walk, const xmlNode *node)
{
    static const char *const names[] = {"option", "optgroup", "title", "dialog"};
    const cw_text_element *element =
        node->type == XML_ELEMENT_NODE ? cw_text_element_named(crawl_slice_from((const char *)node->name)) : NULL;
    walk->is_shifted = walk->is_shifted || cw_text_is_shifted(element);
    bool ends_word = cw_text_ends_word(element) || extract_value_is_named(node, names, sizeof names / sizeof *names) ||
                     (element && element->role == CW_ROLE_READING && is_bare_reading(node));
    return ends_word ? crawl_buf_append_char(walk->out, ' ') : CRAWL_OK;
}

/* Appends text, separated from a number before it if it is above or below the line. */
static crawl_err extract_value_add_text(cw_extract_walk *walk, crawl_slice text)
{
    bool parts = cw_text_shift_parts(&walk->is_shifted, crawl_buf_slice(walk->out), text);
    crawl_err err = parts ? crawl_buf_append_char(walk->out, ' ') : CRAWL_OK;
    return err ? err : crawl_buf_append(walk->out, text.data, text.size);
}

/* Goes to the next node in document order, within root. skip: skips the contents of this node. */
static crawl_err extract_value_go_on(cw_extract_walk *walk, bool skip)
{
    const xmlNode *node = walk->node;
    crawl_err err = CRAWL_OK;
    if (node->children && !skip) {
        walk->node = node->children;
        return CRAWL_OK;
    }
    while (node != walk->root && !err) {
        err = pass_tag(walk, node);
        if (node->next)
            break;
        node = node->parent;
    }
    walk->node = node == walk->root ? NULL : node->next;
    return err;
}

crawl_err cw_extract_text_step(cw_extract_walk *walk, size_t most)
{
    const xmlNode *node = walk->node;
    bool is_code = node != walk->root && is_code_of_page(node);
    bool is_text = (node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE) && node->content;
    const char *content = is_text ? (const char *)node->content : "";
    crawl_err err = node != walk->root ? pass_tag(walk, node) : CRAWL_OK;
    if (!err)
        err = extract_value_add_text(walk, crawl_slice_of(content, strnlen(content, most)));
    return err ? err : extract_value_go_on(walk, is_code);
}

static crawl_err extract_value_append_text(const xmlNode *root, crawl_buf *out)
{
    cw_extract_walk walk = {.root = root, .node = root, .out = out};
    crawl_err err = CRAWL_OK;
    if (root->type != XML_ELEMENT_NODE)
        return append_content(root, out);
    while (walk.node && !err)
        err = cw_extract_text_step(&walk, SIZE_MAX);
    return err;
}

/* false: the element has no such attribute. */
static bool append_attribute(const xmlNode *node, const char *name, crawl_buf *out, crawl_err *err)
{
    const xmlAttr *attribute = node->type == XML_ELEMENT_NODE ? xmlHasProp((xmlNode *)node, BAD_CAST name) : NULL;
    if (attribute)
        *err = append_content((const xmlNode *)attribute, out);
    return attribute != NULL;
}

/* Appends the element as HTML, without the text after it. In a document of HTML, libxml2 would leave comments in
 * attributes unescaped, and search the rest of the attribute for the end of each. */
static crawl_err append_html(xmlNode *node, crawl_buf *out)
{
    xmlDoc document = {.type = XML_DOCUMENT_NODE, .encoding = BAD_CAST "UTF-8"};
    if (node->type != XML_ELEMENT_NODE)
        return append_content(node, out);
    xmlOutputBuffer *buffer = xmlAllocOutputBuffer(NULL);
    if (!buffer)
        return CRAWL_ENOMEM;
    htmlNodeDumpFormatOutput(buffer, &document, node, "UTF-8", 0);
    crawl_err err = crawl_buf_append(out, xmlOutputBufferGetContent(buffer), xmlOutputBufferGetSize(buffer));
    xmlOutputBufferClose(buffer);
    return err;
}

/* Attributes that hold an element's value, by HTML's rules for the values of microdata: if an element has one, its
 * value is a date, a number or a URL rather than its text. */
static const struct {
    cw_extract_form form;
    const char *attributes[5];
} preferred[] = {
    {CW_EXTRACT_NUMBER, {"content", "value"}},
    {CW_EXTRACT_DATE, {"datetime", "content"}},
    {CW_EXTRACT_URL, {"href", "src", "content", "data", "action"}},
};

static crawl_err append_preferred(const cw_extract_rule *rule, const xmlNode *node, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < sizeof preferred / sizeof *preferred; i++)
        for (size_t at = 0; at < 5 && preferred[i].form == rule->form && preferred[i].attributes[at]; at++)
            if (append_attribute(node, preferred[i].attributes[at], out, &err))
                return err;
    return extract_value_append_text(node, out);
}

static crawl_err extract_value_append_raw(cw_extract_maker *maker, const cw_extract_rule *rule, xmlNode *node)
{
    crawl_err err = CRAWL_OK;
    switch (rule->source) {
    case CW_EXTRACT_HTML:
        return append_html(node, &maker->raw);
    case CW_EXTRACT_ATTRIBUTE:
        append_attribute(node, rule->attribute, &maker->raw, &err);
        return err;
    case CW_EXTRACT_DEFAULT:
        return append_preferred(rule, node, &maker->raw);
    default:
        return extract_value_append_text(node, &maker->raw);
    }
}

/* ---- from text to value ---- */

static crawl_err extract_value_put_url(cw_extract_maker *maker, crawl_slice text, cw_writer *out)
{
    crawl_err err = crawl_url_parse(maker->url, text, maker->base, maker->charset);
    if (!err)
        cw_json_put_text(out, crawl_url_href(maker->url));
    return err == CRAWL_ENOMEM ? err : CRAWL_OK;
}

/* Writes nothing if text is not such a value. */
static crawl_err extract_put_value(cw_extract_maker *maker, const cw_extract_rule *rule, crawl_slice text,
                                   cw_writer *out)
{
    char number[CW_EXTRACT_NUMBER_SIZE];
    char date[CW_EXTRACT_DATE_SIZE];
    switch (rule->form) {
    case CW_EXTRACT_NUMBER:
        cw_put_text(out, cw_extract_number(text, number) ? number : "");
        break;
    case CW_EXTRACT_DATE:
        if (cw_extract_date(text, date))
            cw_json_put_text(out, crawl_slice_from(date));
        break;
    case CW_EXTRACT_URL:
        return extract_value_put_url(maker, text, out);
    default:
        if (text.size)
            cw_json_put_text(out, text);
    }
    return out->err;
}

/* Clears *more if take wants no further value. */
static crawl_err extract_value_hand_over(cw_extract_maker *maker, const cw_extract_rule *rule, crawl_slice text,
                                         cw_extract_taker *take, void *user, bool *more)
{
    crawl_buf json = {0};
    cw_writer out = {.out = &json};
    crawl_err err = extract_put_value(maker, rule, text, &out);
    if (!err && json.size)
        *more = take(user, crawl_buf_slice(&json));
    crawl_buf_free(&json);
    return err;
}

/* Each match is a value: its first group, or all of it if the pattern has none. */
static crawl_err search(cw_extract_maker *maker, const cw_extract_rule *rule, crawl_slice text, cw_extract_taker *take,
                        void *user)
{
    bool more = true;
    crawl_err err = CRAWL_OK;
    const size_t *places = pcre2_get_ovector_pointer(maker->match);
    size_t at = 0;
    while (!err && more && at <= text.size) {
        int found =
            pcre2_match(rule->regex, (PCRE2_SPTR)text.data, text.size, at, PCRE2_NOTEMPTY, maker->match, maker->limits);
        if (found < 0)
            break;
        bool has_group = found != 1 && places[2] != PCRE2_UNSET;
        const size_t *part = has_group ? places + 2 : places;
        err = extract_value_hand_over(maker, rule, crawl_slice_of(text.data + part[0], part[1] - part[0]), take, user,
                                      &more);
        at = places[1] > at ? places[1] : text.size + 1;
    }
    return err;
}

static crawl_err extract_value_take_text(cw_extract_maker *maker, const cw_extract_rule *rule, crawl_slice text,
                                         cw_extract_taker *take, void *user)
{
    bool more = true;
    bool keeps_space = rule->source == CW_EXTRACT_STRING || rule->source == CW_EXTRACT_HTML;
    crawl_buf_clear(&maker->text);
    if (!keeps_space && cw_extract_collapse(text, &maker->text))
        return CRAWL_ENOMEM;
    text = keeps_space ? text : crawl_buf_slice(&maker->text);
    if (!text.size)
        return CRAWL_OK;
    return rule->regex ? search(maker, rule, text, take, user)
                       : extract_value_hand_over(maker, rule, text, take, user, &more);
}

crawl_err cw_extract_string(cw_extract_maker *maker, const cw_extract_rule *rule, crawl_slice text,
                            cw_extract_taker *take, void *user)
{
    return extract_value_take_text(maker, rule, text, take, user);
}

crawl_err cw_extract_node(cw_extract_maker *maker, const cw_extract_rule *rule, xmlNode *node, cw_extract_taker *take,
                          void *user)
{
    crawl_buf_clear(&maker->raw);
    crawl_err err = extract_value_append_raw(maker, rule, node);
    return err ? err : extract_value_take_text(maker, rule, crawl_buf_slice(&maker->raw), take, user);
}

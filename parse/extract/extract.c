/* Applies rules to a page: crawl_extraction. A page's tree is built for the first section that its URL belongs to. */
#include "parse/extract/extract_evaluate.h"
#include "parse/extract/extract_rule.h"
#include "parse/extract/extract_value.h"
#include "parse/tree/tree.h"

#include "base/json/json_write.h"
#include "base/sized.h"

#include <stdlib.h>

/* The result of a rule for the page. */
typedef struct taken_of_rule {
    size_t matches;
    size_t from; /* position of its value in the JSON; from == to: it has none */
    size_t to;
    bool is_missing;
} taken_of_rule;

struct crawl_extraction {
    const crawl_rules *rules;
    cw_extract_evaluator evaluator;
    taken_of_rule *results; /* of each rule */
    crawl_tree *tree;       /* for pages that come without one */
    cw_extract_maker maker;
    crawl_buf json;
    crawl_buf missing;
    bool is_cut;
};

static crawl_err extract_open(crawl_extraction *x)
{
    x->results = calloc(x->rules->count + 1, sizeof *x->results);
    x->tree = crawl_tree_create();
    if (!x->results || !x->tree)
        return CRAWL_ENOMEM;
    crawl_err err = cw_extract_evaluator_open(&x->evaluator, x->rules);
    return err ? err : cw_extract_maker_open(&x->maker);
}

crawl_err crawl_extraction_create(const crawl_rules *rules, crawl_extraction **out)
{
    crawl_extraction *x = calloc(1, sizeof *x);
    if (!x)
        return CRAWL_ENOMEM;
    x->rules = rules;
    crawl_err err = extract_open(x);
    if (err)
        crawl_extraction_free(x);
    else
        *out = x;
    return err;
}

void crawl_extraction_free(crawl_extraction *x)
{
    if (!x)
        return;
    cw_extract_evaluator_close(&x->evaluator);
    free(x->results);
    crawl_tree_free(x->tree);
    cw_extract_maker_close(&x->maker);
    crawl_buf_free(&x->json);
    crawl_buf_free(&x->missing);
    free(x);
}

/* ---- one rule ---- */

/* Values on their way into the JSON. */
typedef struct taking {
    cw_writer *out;
    bool is_all;
    size_t count;
} taking;

static bool extract_take(void *user, crawl_slice json)
{
    taking *t = user;
    cw_put_text(t->out, t->count++ ? "," : "");
    cw_put(t->out, json);
    return t->is_all && t->count < CRAWL_EXTRACT_MAX_VALUES;
}

static bool extract_is_full(const crawl_extraction *x)
{
    return x->json.size > CRAWL_EXTRACT_MAX_BYTES;
}

static bool wants_more(const taking *t)
{
    return !t->count || (t->is_all && t->count < CRAWL_EXTRACT_MAX_VALUES);
}

/* Takes the value of an expression that returns no nodes: a text, a number or a boolean. */
static crawl_err extract_take_value(crawl_extraction *x, const cw_extract_rule *rule, xmlXPathObject *found, taking *t)
{
    if (found->type == XPATH_XSLT_TREE || found->type == XPATH_UNDEFINED)
        return CRAWL_OK;
    xmlChar *text = xmlXPathCastToString(found);
    crawl_err err =
        text ? cw_extract_string(&x->maker, rule, crawl_slice_from((const char *)text), extract_take, t) : CRAWL_ENOMEM;
    xmlFree(text);
    return err;
}

static crawl_err take_nodes(crawl_extraction *x, const cw_extract_rule *rule, const cw_extract_found *found, taking *t)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < found->count && !err && wants_more(t) && !extract_is_full(x); i++)
        err = cw_extract_node(&x->maker, rule, found->nodes[i], extract_take, t);
    return err;
}

/* Writes the value of a rule that is not a group, found at or below node: null if it wants one value and there is none.
 * *count: how many values. */
static crawl_err put_field(crawl_extraction *x, size_t index, xmlNode *node, cw_writer *out, size_t *count)
{
    const cw_extract_rule *rule = &x->rules->rules[index];
    taking t = {.out = out, .is_all = rule->is_all};
    cw_extract_found found;
    crawl_err err = cw_extract_evaluate(&x->evaluator, index, node, &found);
    cw_put_text(out, rule->is_all ? "[" : "");
    if (!err)
        err = found.is_value ? extract_take_value(x, rule, found.object, &t) : take_nodes(x, rule, &found, &t);
    cw_put_text(out, rule->is_all ? "]" : t.count ? "" : "null");
    x->results[index].matches += found.is_value ? 1 : found.count;
    cw_extract_found_free(&found);
    *count = t.count;
    x->results[index].is_missing = x->results[index].is_missing || (rule->is_required && !t.count);
    return err ? err : out->err;
}

/* ---- groups ---- */

/* Writes an object; sets *found if it has any value. */
static crawl_err put_object(crawl_extraction *x, size_t group, xmlNode *node, cw_writer *out, bool *found)
{
    crawl_err err = CRAWL_OK;
    const char *before = "{";
    for (size_t i = group + 1; i < x->rules->count && !err; i++) {
        const cw_extract_rule *rule = &x->rules->rules[i];
        size_t count = 0;
        if (rule->group != (long)group)
            continue;
        cw_put_text(out, before);
        before = ",";
        cw_json_put_text(out, cw_extract_name(rule));
        cw_put_char(out, ':');
        err = put_field(x, i, node, out, &count);
        *found = *found || count;
    }
    cw_put_text(out, before[0] == '{' ? "{}" : "}");
    return err;
}

/* Drops an object without any value, such as that of a table's heading row. */
static crawl_err put_objects(crawl_extraction *x, size_t index, const cw_extract_found *groups, cw_writer *out,
                             size_t *count)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < groups->count && !err && *count < CRAWL_EXTRACT_MAX_VALUES && !extract_is_full(x); i++) {
        size_t before = cw_writer_size(out);
        bool found = false;
        cw_put_text(out, *count ? "," : "");
        err = put_object(x, index, groups->nodes[i], out, &found);
        if (!found)
            cw_writer_cut(out, before);
        *count += found;
    }
    return err;
}

/* A required member is missing if an object lacks it. */
static crawl_err extract_put_group(crawl_extraction *x, size_t index, xmlNode *node, cw_writer *out, size_t *count)
{
    cw_extract_found groups;
    crawl_err err = cw_extract_evaluate(&x->evaluator, index, node, &groups);
    cw_put_char(out, '[');
    x->results[index].matches = groups.count;
    if (!err)
        err = put_objects(x, index, &groups, out, count);
    cw_put_char(out, ']');
    cw_extract_found_free(&groups);
    x->results[index].is_missing = x->rules->rules[index].is_required && !*count;
    return err ? err : out->err;
}

/* ---- sections ---- */

static bool is_for(const crawl_extraction *x, const cw_extract_section *section, crawl_slice url)
{
    bool found = section->pattern_count == 0;
    for (size_t i = 0; i < section->pattern_count && !found; i++)
        found = pcre2_match(section->patterns[i], (PCRE2_SPTR)url.data, url.size, 0, 0, x->maker.match,
                            x->maker.limits) >= 0;
    return found;
}

/* Writes "NAME":VALUE of a rule that is not a member. Sets *found if it has a value, or is missing. */
static crawl_err put_rule(crawl_extraction *x, size_t index, cw_writer *out, bool *found)
{
    const cw_extract_rule *rule = &x->rules->rules[index];
    taken_of_rule *result = &x->results[index];
    xmlNode *root = xmlDocGetRootElement(x->maker.document);
    size_t count = 0;
    cw_json_put_text(out, crawl_slice_from(rule->name));
    cw_put_char(out, ':');
    size_t from = cw_writer_size(out);
    crawl_err err =
        rule->is_group ? extract_put_group(x, index, root, out, &count) : put_field(x, index, root, out, &count);
    if (count) {
        result->from = from;
        result->to = cw_writer_size(out);
    }
    *found = *found || count || result->is_missing;
    return err;
}

/* Appends a section to the JSON, unless it is empty. */
static crawl_err put_section(crawl_extraction *x, size_t section)
{
    cw_writer out = {.out = &x->json};
    size_t before = x->json.size;
    bool found = false;
    const char *separator = "";
    crawl_err err = CRAWL_OK;
    cw_put_text(&out, before ? "," : "{");
    cw_json_put_text(&out, crawl_slice_from(x->rules->sections[section].name));
    cw_put_text(&out, ":{");
    for (size_t i = 0; i < x->rules->count && !err; i++) {
        if (x->rules->rules[i].section != section || x->rules->rules[i].group >= 0)
            continue;
        cw_put_text(&out, separator);
        separator = ",";
        err = put_rule(x, i, &out, &found);
    }
    cw_put_char(&out, '}');
    if (!found)
        cw_writer_cut(&out, before);
    return err ? err : out.err;
}

static crawl_err extract_read_page(crawl_extraction *x, const crawl_extract_page *page)
{
    crawl_tree *tree = page->tree ? page->tree : x->tree;
    if (!page->tree)
        crawl_tree_set(tree, page->html, page->charset);
    crawl_err err = cw_tree_document(tree, &x->maker.document);
    x->is_cut = cw_tree_is_cut(tree);
    cw_extract_evaluator_set(&x->evaluator, x->maker.document);
    x->maker.base = page->base;
    x->maker.charset = cw_tree_charset(tree);
    return err;
}

/* A page without an element lacks everything that is required. */
static void miss_all(crawl_extraction *x, size_t section)
{
    for (size_t i = 0; i < x->rules->count; i++) {
        const cw_extract_rule *rule = &x->rules->rules[i];
        if (rule->section == section)
            x->results[i].is_missing = rule->is_required && rule->group < 0;
    }
}

/* Names have neither quotes nor control characters. */
static crawl_err list_missing(crawl_extraction *x)
{
    cw_writer out = {.out = &x->missing};
    crawl_rule rule;
    for (size_t i = 0; crawl_rules_at(x->rules, i, &rule); i++)
        if (x->results[i].is_missing)
            cw_put_format(&out, "%s\"%.*s.%.*s\"", x->missing.size ? "," : "[", (int)rule.section.size,
                          rule.section.data, (int)rule.name.size, rule.name.data);
    cw_put_text(&out, x->missing.size ? "]" : "");
    return out.err;
}

crawl_err crawl_extraction_run(crawl_extraction *x, const crawl_extract_page *page)
{
    crawl_extract_page own;
    page = cw_sized(&own, sizeof own, page);
    if (!page)
        return CRAWL_EINVAL;
    bool is_read = false;
    crawl_err err = CRAWL_OK;
    crawl_buf_clear(&x->json);
    crawl_buf_clear(&x->missing);
    memset(x->results, 0, x->rules->count * sizeof *x->results);
    x->is_cut = x->evaluator.is_cut = false;
    for (size_t i = 0; i < x->rules->section_count && !err; i++) {
        if (!is_for(x, &x->rules->sections[i], page->url))
            continue;
        if (!is_read)
            err = extract_read_page(x, page);
        is_read = true;
        if (!err && x->maker.document)
            err = put_section(x, i);
        else if (!err)
            miss_all(x, i);
    }
    if (!err && x->json.size)
        err = crawl_buf_append_char(&x->json, '}');
    crawl_tree_set(x->tree, (crawl_slice){0}, NULL);
    x->maker.document = NULL;
    x->is_cut = x->is_cut || x->evaluator.is_cut || extract_is_full(x);
    return err ? err : list_missing(x);
}

/* ---- what was found ---- */

crawl_slice crawl_extraction_json(const crawl_extraction *x)
{
    return crawl_buf_slice(&x->json);
}

size_t crawl_extraction_matches(const crawl_extraction *x, size_t index)
{
    return x->results[index].matches;
}

crawl_slice crawl_extraction_value(const crawl_extraction *x, size_t index)
{
    const taken_of_rule *found = &x->results[index];
    return crawl_slice_of(x->json.data ? x->json.data + found->from : NULL, found->to - found->from);
}

bool crawl_extraction_is_missing(const crawl_extraction *x, size_t index)
{
    return x->results[index].is_missing;
}

crawl_slice crawl_extraction_missing(const crawl_extraction *x)
{
    return crawl_buf_slice(&x->missing);
}

bool crawl_extraction_is_cut(const crawl_extraction *x)
{
    return x->is_cut;
}

/* Sections of rules: crawl_rules. extract_rule.c reads the text of a rule. */
#include "parse/extract/extract_rule.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"

#include <stdlib.h>

/* The most rules and patterns: each is applied to each page of its section. */
#define MAX_RULES 1000u
#define MAX_NAME 100u

#define FIELD "field."

crawl_rules *crawl_rules_create(void)
{
    return calloc(1, sizeof(crawl_rules));
}

void crawl_rules_free(crawl_rules *rules)
{
    if (!rules)
        return;
    for (size_t i = 0; i < rules->section_count; i++) {
        for (size_t at = 0; at < rules->sections[i].pattern_count; at++)
            pcre2_code_free(rules->sections[i].patterns[at]);
        free(rules->sections[i].patterns);
        free(rules->sections[i].name);
    }
    for (size_t i = 0; i < rules->count; i++)
        cw_extract_rule_free(&rules->rules[i]);
    free(rules->sections);
    free(rules->rules);
    free(rules);
}

crawl_slice cw_extract_name(const cw_extract_rule *rule)
{
    crawl_slice name = crawl_slice_from(rule->name);
    if (rule->group >= 0)
        cw_cut(&name, '.');
    return name;
}

/* Returns true for letters, digits, "_" and "-", as in the columns of a table. */
static bool extract_rules_is_name(crawl_slice name)
{
    for (size_t i = 0; i < name.size; i++)
        if (!cw_is_alnum((unsigned char)name.data[i]) && name.data[i] != '_' && name.data[i] != '-')
            return false;
    return name.size > 0 && name.size <= MAX_NAME;
}

/* Returns the section of this name, adding it if absent. NULL: out of memory. */
static cw_extract_section *section_named(crawl_rules *rules, crawl_slice name)
{
    for (size_t i = 0; i < rules->section_count; i++)
        if (cw_is(name, rules->sections[i].name))
            return &rules->sections[i];
    if (CW_ARRAY_RESIZE(rules->sections, rules->section_count + 1))
        return NULL;
    cw_extract_section *section = &rules->sections[rules->section_count];
    *section = (cw_extract_section){.name = strndup(name.data, name.size)};
    rules->section_count += section->name != NULL;
    return section->name ? section : NULL;
}

static crawl_err extract_rules_add_pattern(cw_extract_section *section, crawl_slice text, crawl_error *error)
{
    if (section->pattern_count == MAX_RULES)
        return crawl_error_set(error, CRAWL_EPARSE, "more than %u patterns", MAX_RULES);
    if (CW_ARRAY_RESIZE(section->patterns, section->pattern_count + 1))
        return cw_error(error, CRAWL_ENOMEM);
    crawl_err err = cw_extract_pattern(text, &section->patterns[section->pattern_count], error);
    section->pattern_count += !err;
    return err;
}

static cw_extract_rule *find_rule(const crawl_rules *rules, size_t section, crawl_slice name)
{
    for (size_t i = 0; i < rules->count; i++)
        if (rules->rules[i].section == section && cw_is(name, rules->rules[i].name))
            return &rules->rules[i];
    return NULL;
}

/* Checks a field's name, and finds the group that "group.name" is a member of. */
static crawl_err find_group(const crawl_rules *rules, crawl_slice name, cw_extract_rule *rule, crawl_error *error)
{
    size_t dot = cw_find_char(name, '.');
    bool is_member = dot < name.size;
    crawl_slice group = cw_cut(&name, '.');
    rule->group = -1;
    if (!extract_rules_is_name(group) || (is_member && !extract_rules_is_name(name)))
        return crawl_error_set(
            error, CRAWL_EPARSE,
            "a name has letters, digits, \"_\" and \"-\": field.NAME, or field.GROUP.NAME for a member of a group");
    if (!is_member)
        return CRAWL_OK;
    const cw_extract_rule *found = find_rule(rules, rule->section, group);
    if (!found || !found->is_group)
        return crawl_error_set(error, CRAWL_EPARSE, "there is no group \"%.*s\" above: field.%.*s = SELECTOR -> group",
                               (int)group.size, group.data, (int)group.size, group.data);
    rule->group = (long)(found - rules->rules);
    return CRAWL_OK;
}

static crawl_err extract_rules_add_field(crawl_rules *rules, size_t section, crawl_slice name, crawl_slice text,
                                         crawl_error *error)
{
    cw_extract_rule rule = {.section = section};
    crawl_err err = find_group(rules, name, &rule, error);
    if (!err && find_rule(rules, section, name))
        err = crawl_error_set(error, CRAWL_EPARSE, "duplicate field \"%.*s\"", (int)name.size, name.data);
    if (!err && rules->count == MAX_RULES)
        err = crawl_error_set(error, CRAWL_EPARSE, "more than %u fields", MAX_RULES);
    if (err)
        return err;
    err = cw_extract_rule_read(text, &rule, error);
    if (!err && rule.is_group && rule.group >= 0)
        err = crawl_error_set(error, CRAWL_EPARSE, "a group cannot contain groups");
    rule.name = strndup(name.data, name.size);
    if (!err && (!rule.name || CW_ARRAY_RESIZE(rules->rules, rules->count + 1)))
        err = cw_error(error, CRAWL_ENOMEM);
    if (err)
        cw_extract_rule_free(&rule);
    else
        rules->rules[rules->count++] = rule;
    return err;
}

crawl_err crawl_rules_add(crawl_rules *rules, crawl_slice section, crawl_slice key, crawl_slice value,
                          crawl_error *error)
{
    if (!extract_rules_is_name(section))
        return crawl_error_set(error, CRAWL_EPARSE,
                               "an extract section needs a name of letters, digits, \"_\" and \"-\": [extract NAME]");
    cw_extract_section *found = section_named(rules, section);
    if (!found)
        return cw_error(error, CRAWL_ENOMEM);
    if (cw_is(key, "pages"))
        return extract_rules_add_pattern(found, value, error);
    if (cw_take_text(&key, FIELD))
        return extract_rules_add_field(rules, (size_t)(found - rules->sections), key, value, error);
    return crawl_error_set(error, CRAWL_EPARSE, "unknown key \"%.*s\"; known are pages and field.NAME", (int)key.size,
                           key.data);
}

bool crawl_rules_at(const crawl_rules *rules, size_t index, crawl_rule *out)
{
    if (index >= rules->count)
        return false;
    const cw_extract_rule *rule = &rules->rules[index];
    *out = (crawl_rule){
        .section = crawl_slice_from(rules->sections[rule->section].name),
        .name = crawl_slice_from(rule->name),
        .xpath = crawl_slice_from(rule->xpath),
        .is_group = rule->is_group,
        .is_member = rule->group >= 0,
        .is_required = rule->is_required,
    };
    return true;
}

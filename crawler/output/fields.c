/* See fields.h. The values of a record come as JSON, which is read once more here, as far as there is a table. It has a
 * row for each section of a page; where a section has a group, a row for each of its objects, with the values of the
 * page beside it. A second group of a section stands in its cell as JSON. */
#include "crawler/output/fields.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/json.h"
#include "base/json_read.h"
#include "crawler/output/csv.h"
#include "base/escape_forms.h"

#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>

/* Pages with a missing field that the summary names; each has "missing" in its record. */
#define MOST_NAMED 5u

/* What a rule is in a table. */
typedef enum role {
    ROLE_NONE,
    ROLE_COLUMN,
    ROLE_ROWS /* a group whose objects are rows */
} role;

struct cw_output_fields {
    crawl_rules *rules;
    role *roles; /* of each rule */
    cw_output_sink *sink;
    bool is_csv;
    pthread_mutex_t lock;
    uint64_t pages;   /* with values */
    uint64_t missing; /* that lack a required one */
    crawl_buf named;  /* the first of them, a line each */
};

/* ---- tables ---- */

/* Is this the group whose objects are rows: the first of its section? */
static bool is_row_group(const crawl_rules *rules, size_t index, const crawl_rule *rule)
{
    crawl_rule before;
    for (size_t i = 0; i < index && rule->is_group; i++)
        if (crawl_rules_at(rules, i, &before) && before.is_group && crawl_slice_equal(before.section, rule->section))
            return false;
    return rule->is_group;
}

/* Is the group of this member the one whose objects are rows? */
static bool is_of_row_group(const cw_output_fields *fields, size_t index, const crawl_rule *rule)
{
    crawl_rule group;
    crawl_slice rest = rule->name;
    crawl_slice name = cw_cut(&rest, '.');
    for (size_t i = 0; i < index && crawl_rules_at(fields->rules, i, &group); i++)
        if (crawl_slice_equal(group.section, rule->section) && crawl_slice_equal(group.name, name))
            return fields->roles[i] == ROLE_ROWS;
    return false;
}

/* A member of another group than that has no column: it stands in its group's. */
static role role_of(const cw_output_fields *fields, size_t index, const crawl_rule *rule)
{
    if (rule->is_member)
        return is_of_row_group(fields, index, rule) ? ROLE_COLUMN : ROLE_NONE;
    return is_row_group(fields->rules, index, rule) ? ROLE_ROWS : ROLE_COLUMN;
}

static crawl_err find_roles(cw_output_fields *fields)
{
    crawl_rule rule;
    size_t count = 0;
    while (crawl_rules_at(fields->rules, count, &rule))
        count++;
    fields->roles = calloc(count + 1, sizeof *fields->roles);
    for (size_t i = 0; fields->roles && crawl_rules_at(fields->rules, i, &rule); i++)
        fields->roles[i] = role_of(fields, i, &rule);
    return fields->roles ? CRAWL_OK : CRAWL_ENOMEM;
}

static crawl_err write_head(cw_output_fields *fields)
{
    crawl_rule rule;
    cw_writer *line = cw_output_sink_begin(fields->sink);
    cw_put_text(line, "url,section");
    for (size_t i = 0; crawl_rules_at(fields->rules, i, &rule); i++)
        if (fields->roles[i] == ROLE_COLUMN)
            cw_put_format(line, ",%.*s.%.*s", (int)rule.section.size, rule.section.data, (int)rule.name.size,
                          rule.name.data);
    return cw_output_sink_end(fields->sink);
}

/* A text as it is, a number without quotes, a list or a group as JSON; nothing for null. */
static void put_cell(cw_writer *line, const json_t *value)
{
    if (json_is_string(value)) {
        cw_escape_csv(line, crawl_slice_of(json_string_value(value), json_string_length(value)));
    } else if (value && !json_is_null(value)) {
        char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        if (text && json_is_number(value))
            cw_put_text(line, text);
        else if (text)
            cw_escape_csv(line, crawl_slice_from(text));
        free(text);
    }
}

/* The value of a rule's column in a row of section `name`; NULL: it is one of another section. */
static const json_t *value_of(const crawl_rule *rule, const char *name, const json_t *section, const json_t *object)
{
    crawl_slice field = rule->name;
    if (!cw_is(rule->section, name))
        return NULL;
    if (rule->is_member)
        cw_cut(&field, '.');
    return json_object_getn(rule->is_member ? object : section, field.data, field.size);
}

/* object: the one of the section's group that the row is for; NULL: none. */
static crawl_err write_row(cw_output_fields *fields, crawl_slice url, const char *name, const json_t *section,
                           const json_t *object)
{
    crawl_rule rule;
    cw_writer *line = cw_output_sink_begin(fields->sink);
    cw_escape_csv(line, url);
    cw_put_format(line, ",%s", name);
    for (size_t i = 0; crawl_rules_at(fields->rules, i, &rule); i++)
        if (fields->roles[i] == ROLE_COLUMN) {
            cw_put_char(line, ',');
            put_cell(line, value_of(&rule, name, section, object));
        }
    return cw_output_sink_end(fields->sink);
}

/* The objects of the section's first group; NULL: it has none. */
static const json_t *objects_of(const cw_output_fields *fields, const char *name, const json_t *section)
{
    crawl_rule rule;
    for (size_t i = 0; crawl_rules_at(fields->rules, i, &rule); i++)
        if (fields->roles[i] == ROLE_ROWS && cw_is(rule.section, name))
            return json_object_getn(section, rule.name.data, rule.name.size);
    return NULL;
}

static crawl_err write_section(cw_output_fields *fields, crawl_slice url, const char *name, const json_t *section)
{
    const json_t *objects = objects_of(fields, name, section);
    size_t count = json_array_size(objects);
    crawl_err err = count ? CRAWL_OK : write_row(fields, url, name, section, NULL);
    for (size_t i = 0; i < count && !err; i++)
        err = write_row(fields, url, name, section, json_array_get(objects, i));
    return err;
}

static crawl_err write_table(cw_output_fields *fields, const crawl_record *record)
{
    json_t *all = cw_json_read(record->fields, NULL);
    crawl_err err = all ? CRAWL_OK : CRAWL_ENOMEM;
    for (void *at = all ? json_object_iter(all) : NULL; at && !err; at = json_object_iter_next(all, at))
        err = write_section(fields, record->url, json_object_iter_key(at), json_object_iter_value(at));
    json_decref(all);
    return err;
}

static crawl_err write_line(cw_output_fields *fields, const crawl_record *record)
{
    cw_writer *line = cw_output_sink_begin(fields->sink);
    cw_json_text(line, "{\"url\":", record->url);
    cw_put_text(line, ",\"fields\":");
    cw_put(line, record->fields);
    cw_put_char(line, '}');
    return cw_output_sink_end(fields->sink);
}

/* ---- a crawl ---- */

/* Has the file something in it, so that its head is there? */
static bool has_lines(const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");
    bool found = file && fgetc(file) != EOF;
    if (file)
        fclose(file);
    return found;
}

crawl_err cw_output_fields_create(const crawl_config *config, cw_output_sink *sink, cw_output_fields **out,
                                  crawl_error *error)
{
    crawl_rules *rules;
    *out = NULL;
    crawl_err err = crawl_config_rules(config, &rules, error);
    if (err || (!rules && !sink))
        return err;
    if (!rules)
        return crawl_error_set(error, CRAWL_EINVAL,
                               "there are no rules: the configuration has no section "
                               "[extract NAME]");
    cw_output_fields *fields = calloc(1, sizeof *fields);
    if (!fields) {
        crawl_rules_free(rules);
        return cw_error(error, CRAWL_ENOMEM);
    }
    *fields = (cw_output_fields){.rules = rules, .sink = sink};
    fields->is_csv = sink && cw_output_is_csv(config->fields);
    pthread_mutex_init(&fields->lock, NULL);
    *out = fields;
    if (find_roles(fields))
        return cw_error(error, CRAWL_ENOMEM);
    return fields->is_csv && !has_lines(config->fields) && write_head(fields) ? cw_error(error, CRAWL_EIO) : CRAWL_OK;
}

void cw_output_fields_free(cw_output_fields *fields)
{
    if (!fields)
        return;
    crawl_rules_free(fields->rules);
    free(fields->roles);
    crawl_buf_free(&fields->named);
    pthread_mutex_destroy(&fields->lock);
    free(fields);
}

static crawl_err count(cw_output_fields *fields, const crawl_record *record)
{
    crawl_err err = CRAWL_OK;
    bool is_missing = record->missing.size > 0;
    pthread_mutex_lock(&fields->lock);
    fields->pages += record->fields.size > 0;
    if (is_missing && fields->missing++ < MOST_NAMED)
        err = crawl_buf_printf(&fields->named, "            %.*s  %.*s\n", (int)record->missing.size - 2,
                               record->missing.data + 1, (int)record->url.size, record->url.data);
    pthread_mutex_unlock(&fields->lock);
    return err;
}

crawl_err cw_output_fields_write(cw_output_fields *fields, const crawl_record *record)
{
    if (!fields || (!record->fields.size && !record->missing.size))
        return CRAWL_OK;
    crawl_err err = count(fields, record);
    if (err || !fields->sink || !record->fields.size)
        return err;
    return fields->is_csv ? write_table(fields, record) : write_line(fields, record);
}

crawl_err cw_output_fields_say(cw_output_fields *fields, crawl_buf *out)
{
    if (!fields)
        return CRAWL_OK;
    cw_writer line = {.out = out};
    pthread_mutex_lock(&fields->lock);
    cw_put_format(&line, "  fields    %llu page%s with values", (unsigned long long)fields->pages,
                  fields->pages == 1 ? "" : "s");
    if (fields->missing)
        cw_put_format(&line, ", %llu without a required one%s:", (unsigned long long)fields->missing,
                      fields->missing > MOST_NAMED ? ", such as" : "");
    cw_put_char(&line, '\n');
    cw_put(&line, crawl_buf_slice(&fields->named));
    pthread_mutex_unlock(&fields->lock);
    return line.err;
}

/* Rows of the values that rules found. See <crawl/output.h>. A record has its values as JSON, which is parsed here as
 * far as the table needs it. The table has a row for each section of a page. If a section has a group, each object of
 * the group gets a row, with the page's values beside it. A second group of a section is one cell of JSON. */

#include "base/bytes.h"
#include "base/error.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/sized.h"
#include "base/text/escape.h"
#include "config/config_values.h"
#include "crawler/output/record_file.h"

#include <crawl/output.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>

/* Maximum number of pages with a missing field that the summary names. Each record of such a page has "missing". */
#define MOST_NAMED 5u

/* The role of a rule in a table. */
typedef enum role {
    ROLE_NONE,
    ROLE_COLUMN,
    ROLE_ROWS /* group whose objects are rows */
} role;

/* A rule with its role in a table. Its texts are borrowed from the rules. */
typedef struct table_rule {
    crawl_slice section;
    crawl_slice name;  /* as in the head */
    crawl_slice field; /* name of the value in its section or, for a member, in an object of its group */
    bool is_member;
    role role;
} table_rule;

struct crawl_fields {
    crawl_rules *rules;
    table_rule *all; /* rules with a role in the table, in their order */
    size_t count;
    crawl_lines *lines;
    bool is_csv;
    pthread_mutex_t lock;
    uint64_t pages;   /* pages with values */
    uint64_t missing; /* pages that lack a required value */
    crawl_buf named;  /* the first of these, one per line */
};

/* ---- tables ---- */

/* Returns the section's group whose objects are rows, which is its first. NULL: no group. */
static const table_rule *row_group(const crawl_fields *fields, crawl_slice section)
{
    for (size_t i = 0; i < fields->count; i++)
        if (fields->all[i].role == ROLE_ROWS && crawl_slice_equal(fields->all[i].section, section))
            return &fields->all[i];
    return NULL;
}

/* Returns the role of a rule. Members of the group whose objects are rows have columns; members of other groups are in
 * their group's cell. Call for the rules in their order, in which a group precedes its members. */
static role role_of(const crawl_fields *fields, const crawl_rule *rule)
{
    crawl_slice rest = rule->name;
    const table_rule *group = row_group(fields, rule->section);
    if (rule->is_member)
        return group && crawl_slice_equal(group->name, cw_cut(&rest, '.')) ? ROLE_COLUMN : ROLE_NONE;
    return rule->is_group && !group ? ROLE_ROWS : ROLE_COLUMN;
}

static void fields_place(crawl_fields *fields, const crawl_rule *rule)
{
    table_rule *placed = &fields->all[fields->count];
    *placed = (table_rule){rule->section, rule->name, rule->name, rule->is_member, role_of(fields, rule)};
    if (rule->is_member)
        cw_cut(&placed->field, '.');
    fields->count += placed->role != ROLE_NONE;
}

static crawl_err place_all(crawl_fields *fields)
{
    crawl_rule rule;
    size_t count = 0;
    while (crawl_rules_at(fields->rules, count, &rule))
        count++;
    fields->all = calloc(count + 1, sizeof *fields->all);
    for (size_t i = 0; fields->all && crawl_rules_at(fields->rules, i, &rule); i++)
        fields_place(fields, &rule);
    return fields->all ? CRAWL_OK : CRAWL_ENOMEM;
}

/* Makes the first line of the table, without its end. */
static crawl_err make_head(const crawl_fields *fields, crawl_buf *out)
{
    cw_writer line = {.out = out};
    cw_put_text(&line, "url,section");
    for (size_t i = 0; i < fields->count; i++) {
        const table_rule *rule = &fields->all[i];
        if (rule->role == ROLE_COLUMN)
            cw_put_format(&line, ",%.*s.%.*s", (int)rule->section.size, rule->section.data, (int)rule->name.size,
                          rule->name.data);
    }
    return line.err;
}

/* Writes a text, with spaces for line ends and tabs, so that each row is one line: the missing line end shows that a
 * kill cut off a row. */
static void fields_put_line(cw_writer *line, crawl_slice text)
{
    crawl_buf flat = {0};
    cw_writer out = {.out = &flat};
    cw_put(&out, text);
    for (size_t i = 0; i < flat.size; i++)
        if (flat.data[i] == '\n' || flat.data[i] == '\r' || flat.data[i] == '\t')
            flat.data[i] = ' ';
    cw_escape_csv(line, crawl_buf_slice(&flat));
    line->err = line->err ? line->err : out.err;
    crawl_buf_free(&flat);
}

/* Writes a text as it is, a number without quotes, a list or a group as JSON, and nothing for null. */
static void fields_put_cell(cw_writer *line, const json_t *value)
{
    if (json_is_string(value)) {
        fields_put_line(line, crawl_slice_of(json_string_value(value), json_string_length(value)));
    } else if (value && !json_is_null(value)) {
        char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        if (text && json_is_number(value))
            cw_put_text(line, text);
        else if (text)
            cw_escape_csv(line, crawl_slice_from(text));
        free(text);
    }
}

/* The rows of a section. Their common cells are made once. */
typedef struct section_rows {
    const crawl_fields *fields;
    const char *name;
    crawl_buf same; /* URL and section, then for each rule its comma and, unless it is a member, its cell */
    size_t *ends;   /* where each rule's text in it ends */
} section_rows;

static bool is_column_of(const table_rule *rule, const section_rows *rows)
{
    return rule->role == ROLE_COLUMN && cw_is(rule->section, rows->name);
}

/* Makes the common cells of the section's rows. */
static crawl_err make_same(section_rows *rows, crawl_slice url, const json_t *section)
{
    const crawl_fields *fields = rows->fields;
    cw_writer same = {.out = &rows->same};
    rows->ends = calloc(fields->count + 1, sizeof *rows->ends);
    if (!rows->ends)
        return CRAWL_ENOMEM;
    cw_escape_csv(&same, url);
    cw_put_format(&same, ",%s", rows->name);
    for (size_t i = 0; i < fields->count; i++) {
        const table_rule *rule = &fields->all[i];
        cw_put_text(&same, rule->role == ROLE_COLUMN ? "," : "");
        if (is_column_of(rule, rows) && !rule->is_member)
            fields_put_cell(&same, json_object_getn(section, rule->field.data, rule->field.size));
        rows->ends[i] = rows->same.size;
    }
    return same.err;
}

/* Writes a row. object: of the section's group, with the values of members; NULL: none. */
static crawl_err write_row(const section_rows *rows, const json_t *object)
{
    const crawl_fields *fields = rows->fields;
    cw_writer line = {.out = crawl_lines_begin(fields->lines)};
    size_t from = 0;
    for (size_t i = 0; i < fields->count; i++) {
        const table_rule *rule = &fields->all[i];
        if (!is_column_of(rule, rows) || !rule->is_member)
            continue;
        cw_put(&line, crawl_slice_of(rows->same.data + from, rows->ends[i] - from));
        fields_put_cell(&line, json_object_getn(object, rule->field.data, rule->field.size));
        from = rows->ends[i];
    }
    cw_put(&line, crawl_slice_of(rows->same.data + from, rows->same.size - from));
    return crawl_lines_end(fields->lines, line.err);
}

/* Returns the objects of the section's group of rows. NULL: no group. */
static const json_t *objects_of(const crawl_fields *fields, const char *name, const json_t *section)
{
    const table_rule *group = row_group(fields, crawl_slice_from(name));
    return group ? json_object_getn(section, group->field.data, group->field.size) : NULL;
}

static crawl_err write_section(const crawl_fields *fields, crawl_slice url, const char *name, const json_t *section)
{
    section_rows rows = {.fields = fields, .name = name};
    const json_t *objects = objects_of(fields, name, section);
    size_t count = json_array_size(objects);
    crawl_err err = make_same(&rows, url, section);
    if (!err && !count)
        err = write_row(&rows, NULL);
    for (size_t i = 0; i < count && !err; i++)
        err = write_row(&rows, json_array_get(objects, i));
    free(rows.ends);
    crawl_buf_free(&rows.same);
    return err;
}

static crawl_err fields_write_table(crawl_fields *fields, const crawl_record *record)
{
    json_t *all = cw_json_read(record->fields, NULL);
    crawl_err err = all ? CRAWL_OK : CRAWL_ENOMEM;
    for (void *at = all ? json_object_iter(all) : NULL; at && !err; at = json_object_iter_next(all, at))
        err = write_section(fields, record->url, json_object_iter_key(at), json_object_iter_value(at));
    json_decref(all);
    return err;
}

static crawl_err fields_write_line(crawl_fields *fields, const crawl_record *record)
{
    cw_writer line = {.out = crawl_lines_begin(fields->lines)};
    cw_json_text(&line, "{\"url\":", record->url);
    cw_put_text(&line, ",\"fields\":");
    cw_put(&line, record->fields);
    cw_put_char(&line, '}');
    return crawl_lines_end(fields->lines, line.err);
}

/* ---- a crawl ---- */

static crawl_err begin_table(const crawl_fields *fields, crawl_error *error)
{
    crawl_buf head = {0};
    crawl_err err = make_head(fields, &head);
    err = err ? cw_error(error, err) : cw_output_lines_head(fields->lines, &head, error);
    crawl_buf_free(&head);
    return err;
}

crawl_err crawl_fields_create(const crawl_config *config, crawl_lines *lines, crawl_fields **out, crawl_error *error)
{
    crawl_rules *rules;
    *out = NULL;
    crawl_err err = crawl_config_rules(config, &rules, error);
    if (err || (!rules && !lines))
        return err;
    if (!rules)
        return crawl_error_set(error, CRAWL_EINVAL,
                               "there are no rules: the configuration has no section "
                               "[extract NAME]");
    crawl_fields *fields = calloc(1, sizeof *fields);
    if (!fields) {
        crawl_rules_free(rules);
        return cw_error(error, CRAWL_ENOMEM);
    }
    *fields = (crawl_fields){.rules = rules, .lines = lines};
    fields->is_csv = lines && crawl_output_is_csv(config->fields);
    pthread_mutex_init(&fields->lock, NULL);
    *out = fields;
    if (place_all(fields))
        return cw_error(error, CRAWL_ENOMEM);
    return fields->is_csv ? begin_table(fields, error) : CRAWL_OK;
}

void crawl_fields_free(crawl_fields *fields)
{
    if (!fields)
        return;
    crawl_rules_free(fields->rules);
    free(fields->all);
    crawl_buf_free(&fields->named);
    pthread_mutex_destroy(&fields->lock);
    free(fields);
}

static crawl_err fields_count(crawl_fields *fields, const crawl_record *record)
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

crawl_err crawl_fields_write(crawl_fields *fields, const crawl_record *record)
{
    crawl_record own;
    record = cw_sized(&own, sizeof own, record);
    if (!record)
        return CRAWL_EINVAL;
    if (!fields || (!record->fields.size && !record->missing.size))
        return CRAWL_OK;
    crawl_err err = fields_count(fields, record);
    if (err || !fields->lines || !record->fields.size)
        return err;
    return fields->is_csv ? fields_write_table(fields, record) : fields_write_line(fields, record);
}

crawl_err crawl_fields_summary(crawl_fields *fields, crawl_buf *out)
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

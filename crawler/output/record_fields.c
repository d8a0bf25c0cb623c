#include "crawler/output/record_fields.h"

#include "base/bytes.h"
#include "base/date.h"
#include "base/json/json_write.h"
#include "base/text/escape.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdio.h>

enum value_kind {
    VALUE_ABSENT,
    VALUE_TEXT,
    VALUE_JSON, /* in text, verbatim */
    VALUE_INT,
    VALUE_REAL,
    VALUE_BOOL, /* in number */
};

struct cw_output_value {
    enum value_kind kind; /* ABSENT when get is called */
    crawl_slice text;
    int64_t number;
    double real;
    char own[64]; /* storage for text */
};

/* ---- computed values ---- */

static void value_set_text(cw_output_value *value, crawl_slice text)
{
    value->kind = VALUE_TEXT;
    value->text = text;
}

static void value_set_words(cw_output_value *value, const char *words)
{
    value->kind = words && *words ? VALUE_TEXT : VALUE_ABSENT;
    value->text = crawl_slice_from(words);
}

static void value_set_digest(cw_output_value *value, const crawl_fingerprint *digest)
{
    memcpy(value->own, "sha1:", sizeof "sha1:");
    crawl_fingerprint_base32(digest, value->own + strlen("sha1:"));
    value_set_words(value, value->own);
}

static void get_fingerprint(const cw_output_source *of, cw_output_value *value)
{
    crawl_fingerprint_hex(&of->record->fingerprint, value->own);
    value_set_words(value, value->own);
}

static void get_date(const cw_output_source *of, cw_output_value *value)
{
    cw_date date = cw_date_of(of->record->fetched_at_ms);
    memcpy(value->own, date.text, sizeof value->own);
    value_set_text(value, crawl_slice_from(value->own));
}

static void get_elapsed(const cw_output_source *of, cw_output_value *value)
{
    value->kind = VALUE_REAL;
    value->real = of->record->elapsed_ms;
}

static void get_digest(const cw_output_source *of, cw_output_value *value)
{
    if (of->record->has_digest)
        value_set_digest(value, &of->record->digest);
}

static void get_change(const cw_output_source *of, cw_output_value *value)
{
    value->kind = of->record->change == CRAWL_CHANGE_UNKNOWN ? VALUE_ABSENT : VALUE_BOOL;
    value->number = of->record->change == CRAWL_CHANGE_YES;
}

static void get_distance(const cw_output_source *of, cw_output_value *value)
{
    value->kind = of->record->near_duplicate_of.size ? VALUE_INT : VALUE_ABSENT;
    value->number = of->record->distance;
}

static void get_simhash(const cw_output_source *of, cw_output_value *value)
{
    if (!of->record->has_simhash)
        return;
    snprintf(value->own, sizeof value->own, "%016llx", (unsigned long long)of->record->simhash);
    value_set_words(value, value->own);
}

static void get_signed(const cw_output_source *of, cw_output_value *value)
{
    value->kind = of->record->signed_by ? VALUE_BOOL : VALUE_ABSENT;
    value->number = true;
}

static void get_rendered(const cw_output_source *of, cw_output_value *value)
{
    value_set_words(value, of->record->render ? of->record->render->outcome : NULL);
}

static void get_body(const cw_output_source *of, cw_output_value *value)
{
    value_set_words(value, of->body);
}

static void get_robots(const cw_output_source *of, cw_output_value *value)
{
    bool noindex = of->record->robots & CRAWL_ROBOTS_NOINDEX;
    bool nofollow = of->record->robots & CRAWL_ROBOTS_NOFOLLOW;
    value_set_words(value, noindex && nofollow ? "noindex nofollow" : noindex ? "noindex" : nofollow ? "nofollow" : "");
}

/* Makes the list of uses with a statement, "train=n search=y". */
static void get_may(const cw_output_source *of, cw_output_value *value)
{
    unsigned stated = of->record->refused | of->record->granted;
    size_t size = 0;
    for (unsigned use = 0; use < CRAWL_USE_COUNT; use++)
        if (stated >> use & 1)
            size += (size_t)snprintf(value->own + size, sizeof value->own - size, "%s%s=%s", size ? " " : "",
                                     crawl_use_name((crawl_use)use), of->record->refused >> use & 1 ? "n" : "y");
    value_set_text(value, crawl_slice_of(value->own, size));
    value->kind = stated ? VALUE_TEXT : VALUE_ABSENT;
}

/* ---- lists and objects, as JSON; false: no value ---- */

static bool put_robots(const cw_output_source *of, cw_writer *json)
{
    bool noindex = of->record->robots & CRAWL_ROBOTS_NOINDEX;
    bool nofollow = of->record->robots & CRAWL_ROBOTS_NOFOLLOW;
    cw_put_text(json, noindex ? "[\"noindex\"" : "[");
    cw_put_text(json, noindex && nofollow ? "," : "");
    cw_put_text(json, nofollow ? "\"nofollow\"]" : "]");
    return true;
}

static bool put_render(const cw_output_source *of, cw_writer *json)
{
    const crawl_record_render *render = of->record->render;
    cw_output_value digest;
    if (!render)
        return false;
    cw_json_words(json, "{\"why\":", render->why);
    if (*render->lack)
        cw_json_words(json, ",\"lack\":", render->lack);
    cw_json_int(json, ",\"parts\":", render->parts);
    cw_json_int(json, ",\"asked\":", render->asked);
    cw_json_int(json, ",\"cached\":", render->cached);
    cw_json_int(json, ",\"elapsed_ms\":", render->elapsed_ms);
    cw_json_int(json, ",\"waited_ms\":", render->waited_ms);
    if (render->has_digest) {
        value_set_digest(&digest, &render->digest);
        cw_json_text(json, ",\"digest\":", digest.text);
    }
    if (render->picture_file)
        cw_json_words(json, ",\"screenshot\":", render->picture_file);
    cw_put_char(json, '}');
    return true;
}

static bool put_ids(const cw_output_source *of, cw_writer *json)
{
    crawl_slice rest = of->record->ids;
    const char *before = "[";
    if (!of->record->has_ids)
        return false;
    if (!rest.size)
        cw_put_text(json, before);
    while (rest.size) {
        cw_json_text(json, before, cw_cut(&rest, '\0'));
        before = ",";
    }
    cw_put_char(json, ']');
    return true;
}

static bool put_may(const cw_output_source *of, cw_writer *json)
{
    const crawl_record *record = of->record;
    bool stated = record->refused | record->granted;
    if (stated && !json->err)
        json->err = crawl_may_json(record->refused, record->granted, json->out);
    return stated;
}

/* ---- the table ---- */

#define AT(member) .offset = offsetof(crawl_record, member)

const cw_output_field cw_output_fields[] = {
    {"url", CW_OUTPUT_OF_TEXT, AT(url)},
    {"canonical", CW_OUTPUT_OF_SLICE, AT(canonical)},
    {"fingerprint", .get = get_fingerprint},
    {"method", CW_OUTPUT_OF_TEXT, AT(method)},
    {"status", CW_OUTPUT_OF_INT, AT(status)},
    {"depth", CW_OUTPUT_OF_U32, AT(depth)},
    {"external", CW_OUTPUT_OF_FLAG, true, AT(external)},
    {"requisite", CW_OUTPUT_OF_FLAG, true, AT(requisite)},
    {"guessed", CW_OUTPUT_OF_FLAG, true, AT(guessed)},
    {"parent", CW_OUTPUT_OF_SLICE, AT(parent)},
    {"fetched_at", .get = get_date},
    {"elapsed_ms", .get = get_elapsed},
    {"ip", CW_OUTPUT_OF_WORDS, AT(ip)},
    {"content_type", CW_OUTPUT_OF_SLICE, AT(content_type)},
    {"content_type_header", CW_OUTPUT_OF_SLICE, AT(content_type_header)},
    {"charset", CW_OUTPUT_OF_WORDS, AT(charset)},
    {"bytes", CW_OUTPUT_OF_U64, AT(bytes)},
    {"digest", .get = get_digest},
    {"title", CW_OUTPUT_OF_SLICE, AT(title)},
    {"links", CW_OUTPUT_OF_SIZE, AT(links)},
    {"new", CW_OUTPUT_OF_SIZE, AT(fresh)},
    {"redirect", CW_OUTPUT_OF_SLICE, AT(redirect)},
    {"error", CW_OUTPUT_OF_WORDS, AT(error)},
    {"detail", CW_OUTPUT_OF_WORDS, AT(error_text)},
    {"attempt", CW_OUTPUT_OF_U32, AT(attempt)},
    {"robots", .get = get_robots, .put = put_robots},
    {"visit", CW_OUTPUT_OF_U32, AT(visit)},
    {"changed", .get = get_change},
    {"verdict", CW_OUTPUT_OF_WORDS, true, AT(verdict)},
    {"wall", CW_OUTPUT_OF_WORDS, true, AT(wall)},
    {"links_cut", CW_OUTPUT_OF_FLAG, true, AT(links_cut)},
    {"signed", .may_lack = true, .get = get_signed},
    {"signed_by", CW_OUTPUT_OF_WORDS, true, AT(signed_by)},
    {"rendered", .may_lack = true, .get = get_rendered},
    {"render", .may_lack = true, .put = put_render},
    {"preprocessed", CW_OUTPUT_OF_WORDS, true, AT(preprocessed)},
    {"duplicate_of", CW_OUTPUT_OF_SLICE, true, AT(duplicate_of)},
    {"near_duplicate_of", CW_OUTPUT_OF_SLICE, true, AT(near_duplicate_of)},
    {"distance", .may_lack = true, .get = get_distance},
    {"simhash", .may_lack = true, .get = get_simhash},
    {"ids", .may_lack = true, .put = put_ids},
    {"ids_cut", CW_OUTPUT_OF_FLAG, true, AT(ids_cut)},
    {"fields", CW_OUTPUT_OF_JSON, true, AT(fields)},
    {"missing", CW_OUTPUT_OF_JSON, true, AT(missing)},
    {"body", .may_lack = true, .get = get_body},
    {"data", CW_OUTPUT_OF_JSON, true, AT(data)},
    {"text", CW_OUTPUT_OF_SLICE, true, AT(text)},
    {"text_cut", CW_OUTPUT_OF_FLAG, true, AT(text_cut)},
    {"preferences", CW_OUTPUT_OF_JSON, true, AT(preferences)},
    {"may", .may_lack = true, .get = get_may, .put = put_may},
    {"withheld", CW_OUTPUT_OF_WORDS, true, AT(withheld)},
    {"withheld_by", CW_OUTPUT_OF_WORDS, true, AT(withheld_by)},
};

const size_t cw_output_field_count = sizeof cw_output_fields / sizeof *cw_output_fields;

static_assert(sizeof cw_output_fields / sizeof *cw_output_fields <= CW_OUTPUT_FIELDS_MAX, "");

const cw_output_field *cw_output_field_find(crawl_slice name)
{
    for (size_t i = 0; i < cw_output_field_count; i++)
        if (cw_is(name, cw_output_fields[i].name))
            return &cw_output_fields[i];
    return NULL;
}

static void value_set_member(cw_output_value *value, cw_output_type type, const void *member)
{
    switch (type) {
    case CW_OUTPUT_OF_MADE:
        break;
    case CW_OUTPUT_OF_TEXT:
        value_set_text(value, *(const crawl_slice *)member);
        break;
    case CW_OUTPUT_OF_SLICE:
    case CW_OUTPUT_OF_JSON:
        value->text = *(const crawl_slice *)member;
        value->kind = !value->text.size ? VALUE_ABSENT : type == CW_OUTPUT_OF_JSON ? VALUE_JSON : VALUE_TEXT;
        break;
    case CW_OUTPUT_OF_WORDS:
        value_set_words(value, *(const char *const *)member);
        break;
    case CW_OUTPUT_OF_FLAG:
        value->number = *(const bool *)member;
        value->kind = value->number ? VALUE_BOOL : VALUE_ABSENT;
        break;
    default:
        value->kind = VALUE_INT;
        value->number = type == CW_OUTPUT_OF_INT   ? *(const int *)member
                        : type == CW_OUTPUT_OF_U32 ? (int64_t) * (const uint32_t *)member
                        : type == CW_OUTPUT_OF_U64 ? (int64_t) * (const uint64_t *)member
                                                   : (int64_t) * (const size_t *)member;
    }
}

static void field_get(const cw_output_field *field, const cw_output_source *of, cw_output_value *value)
{
    value->kind = VALUE_ABSENT;
    if (field->get)
        field->get(of, value);
    else
        value_set_member(value, field->type, (const char *)of->record + field->offset);
}

/* ---- as JSON and as CSV ---- */

/* Returns false if there is no value. */
static bool field_put_value(const cw_output_value *value, cw_writer *line)
{
    switch (value->kind) {
    case VALUE_TEXT:
        cw_json_put_text(line, value->text);
        return true;
    case VALUE_JSON:
        cw_put(line, value->text);
        return true;
    case VALUE_INT:
        cw_json_put_int(line, value->number);
        return true;
    case VALUE_REAL:
        cw_json_put_real(line, value->real);
        return true;
    case VALUE_BOOL:
        cw_put_text(line, value->number ? "true" : "false");
        return true;
    default:
        return false;
    }
}

void cw_output_field_json(const cw_output_field *field, const cw_output_source *of, cw_writer *line)
{
    cw_output_value value;
    size_t before = cw_writer_size(line);
    cw_put_text(line, ",\"");
    cw_put_text(line, field->name);
    cw_put_text(line, "\":");
    if (!field->put)
        field_get(field, of, &value);
    bool has = field->put ? field->put(of, line) : field_put_value(&value, line);
    if (!has && field->may_lack)
        cw_writer_cut(line, before);
    else if (!has)
        cw_put_text(line, "null");
}

static void put_repaired(cw_writer *row, crawl_slice text)
{
    crawl_buf whole = {0};
    row->err = row->err ? row->err : cw_utf8_repair_bytes(text, &whole);
    cw_escape_csv(row, crawl_buf_slice(&whole));
    crawl_buf_free(&whole);
}

void cw_output_put_cell(cw_writer *row, crawl_slice text)
{
    if (cw_utf8_valid_prefix(text) < text.size)
        put_repaired(row, text);
    else
        cw_escape_csv(row, text);
}

static void put_json_cell(const cw_output_field *field, const cw_output_source *of, cw_writer *row)
{
    crawl_buf json = {0};
    cw_writer made = {.out = &json};
    (void)field->put(of, &made);
    row->err = row->err ? row->err : made.err;
    cw_output_put_cell(row, crawl_buf_slice(&json));
    crawl_buf_free(&json);
}

void cw_output_field_csv(const cw_output_field *field, const cw_output_source *of, cw_writer *row)
{
    cw_output_value value;
    if (field->put && !field->get) {
        put_json_cell(field, of, row);
        return;
    }
    field_get(field, of, &value);
    if (value.kind == VALUE_TEXT || value.kind == VALUE_JSON)
        cw_output_put_cell(row, value.text);
    else
        (void)field_put_value(&value, row);
}

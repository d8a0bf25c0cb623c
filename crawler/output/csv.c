/* See csv.h. */
#include "crawler/output/csv.h"

#include "base/bytes.h"
#include "base/json.h"
#include "base/escape_forms.h"

#include <jansson.h>

/* In the order of the fields in a line of JSON; those that may be absent there come last. */
static const char *const of_records[] = {
    "url",      "canonical",  "fingerprint", "method", "status",       "depth",
    "parent",   "fetched_at", "elapsed_ms",  "ip",     "content_type", "charset",
    "bytes",    "digest",     "title",       "links",  "new",          "redirect",
    "error",    "detail",     "attempt",     "robots", "visit",        "changed",
    "external", "requisite",  "links_cut",   "body",   "duplicate_of", "near_duplicate_of",
    "distance", "simhash",    NULL,
};

static const char *const of_edges[] = {"from", "to",    "tag",     "attr",      "rel", "nofollow",
                                       "text", "depth", "verdict", "requisite", NULL};

const char *const *const cw_output_csv_records = of_records;
const char *const *const cw_output_csv_edges = of_edges;

bool cw_output_is_csv(const char *path)
{
    return cw_ends_with(crawl_slice_from(path), ".csv");
}

static void put_words(cw_writer *row, const json_t *words)
{
    size_t i;
    const json_t *word;
    json_array_foreach(words, i, word)
    {
        cw_put_text(row, i ? " " : "");
        cw_escape_csv(row, crawl_slice_of(json_string_value(word), json_string_length(word)));
    }
}

static void put_value(cw_writer *row, const json_t *value)
{
    switch (value ? json_typeof(value) : JSON_NULL) {
    case JSON_STRING:
        cw_escape_csv(row, crawl_slice_of(json_string_value(value), json_string_length(value)));
        break;
    case JSON_INTEGER:
        cw_json_put_int(row, json_integer_value(value));
        break;
    case JSON_REAL:
        cw_json_put_real(row, json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        cw_put_text(row, json_is_true(value) ? "true" : "false");
        break;
    case JSON_ARRAY:
        put_words(row, value);
        break;
    default:
        break;
    }
}

void cw_output_put_csv_head(cw_writer *row, const char *const *columns)
{
    for (size_t i = 0; columns[i]; i++) {
        cw_put_text(row, i ? "," : "");
        cw_put_text(row, columns[i]);
    }
    cw_put_char(row, '\r');
}

void cw_output_put_csv(cw_writer *row, crawl_slice json, const char *const *columns)
{
    json_t *object = json_loadb(json.data, json.size, 0, NULL);
    if (!object && !row->err)
        row->err = CRAWL_ENOMEM; /* the line is one of ours */
    for (size_t i = 0; columns[i]; i++) {
        cw_put_text(row, i ? "," : "");
        put_value(row, json_object_get(object, columns[i]));
    }
    cw_put_char(row, '\r');
    json_decref(object);
}

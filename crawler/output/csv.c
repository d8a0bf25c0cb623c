/* Records and edges as CSV rows. Each cell has the value of the field of that name in the JSON line of record.c. */
#include "crawler/output/output.h"

#include "base/bytes.h"
#include "base/json/json_write.h"
#include "base/sized.h"

#include <crawl/output.h>
#include <crawl/sys/redis.h>

/* Default columns, unless output.columns names others. New ones go last, so that programs which count columns keep
 * working. */
static const char *const of_records[] = {
    "url",          "canonical",    "fingerprint",
    "method",       "status",       "depth",
    "parent",       "fetched_at",   "elapsed_ms",
    "ip",           "content_type", "charset",
    "bytes",        "digest",       "title",
    "links",        "new",          "redirect",
    "error",        "detail",       "attempt",
    "robots",       "visit",        "changed",
    "external",     "requisite",    "links_cut",
    "body",         "duplicate_of", "near_duplicate_of",
    "distance",     "simhash",      "content_type_header",
    "verdict",      "wall",         "may",
    "withheld",     "guessed",      "rendered",
    "preprocessed", NULL,
};

static const char *const of_edges[] = {"from", "to",    "tag",     "attr",      "rel", "nofollow",
                                       "text", "depth", "verdict", "requisite", NULL};

const char *const *crawl_record_columns(void)
{
    return of_records;
}

const char *const *crawl_edge_columns(void)
{
    return of_edges;
}

/* Returns true if a name ends so, whatever its case. */
static bool csv_ends(const char *name, const char *end)
{
    size_t size = strlen(name), tail = strlen(end);
    return size >= tail && cw_equal_nocase(crawl_slice_from(name + size - tail), crawl_slice_from(end));
}

bool crawl_output_is_sink(const char *place)
{
    return place && (crawl_redis_is_url(place) || strncmp(place, "exec:", strlen("exec:")) == 0 ||
                     csv_ends(place, ".sqlite") || csv_ends(place, ".sqlite3") || csv_ends(place, ".db"));
}

bool crawl_output_is_csv(const char *path)
{
    return !crawl_output_is_sink(path) && csv_ends(path, ".csv");
}

void cw_output_put_csv_head(cw_writer *row, const char *const *columns)
{
    for (size_t i = 0; columns[i]; i++) {
        cw_put_text(row, i ? "," : "");
        cw_put_text(row, columns[i]);
    }
    cw_put_char(row, '\r');
}

/* ---- records ---- */

static crawl_err csv_no_field(crawl_slice name, crawl_error *error)
{
    crawl_buf all = {0};
    for (size_t i = 0; i < cw_output_field_count; i++)
        (void)crawl_buf_printf(&all, "%s%s", i ? " " : "", cw_output_fields[i].name);
    crawl_err err = crawl_error_set(error, CRAWL_EINVAL, "records have no field \"%.*s\"; they have %s", (int)name.size,
                                    name.data, all.data ? all.data : "others");
    crawl_buf_free(&all);
    return err;
}

crawl_err cw_output_columns_choose(cw_output_columns *columns, const char *names, crawl_error *error)
{
    crawl_slice rest = crawl_slice_from(names);
    columns->count = 0;
    for (crawl_slice name; (name = cw_take_word(&rest, true)).size;) {
        const cw_output_field *field = cw_output_field_find(name);
        if (!field)
            return csv_no_field(name, error);
        for (size_t i = 0; i < columns->count; i++)
            if (columns->fields[i] == field)
                return crawl_error_set(error, CRAWL_EINVAL, "%s is named twice", field->name);
        columns->fields[columns->count] = field;
        columns->names[columns->count++] = field->name;
    }
    columns->names[columns->count] = NULL;
    return columns->count ? CRAWL_OK : crawl_error_set(error, CRAWL_EINVAL, "no field is named");
}

void cw_output_columns_default(cw_output_columns *columns)
{
    for (columns->count = 0; of_records[columns->count]; columns->count++) {
        columns->names[columns->count] = of_records[columns->count];
        columns->fields[columns->count] = cw_output_field_find(crawl_slice_from(of_records[columns->count]));
    }
    columns->names[columns->count] = NULL;
}

crawl_err cw_output_record_csv(const cw_output_columns *columns, const crawl_record *record, const char *body,
                               crawl_buf *out)
{
    cw_writer row = {.out = out};
    const cw_output_source source = {.record = record, .body = body};
    for (size_t i = 0; i < columns->count; i++) {
        cw_put_text(&row, i ? "," : "");
        cw_output_field_csv(columns->fields[i], &source, &row);
    }
    cw_put_char(&row, '\r');
    return row.err;
}

crawl_err crawl_record_csv(const crawl_record *record, const char *body, crawl_buf *out)
{
    crawl_record own;
    cw_output_columns columns;
    record = cw_sized(&own, sizeof own, record);
    if (!record)
        return CRAWL_EINVAL;
    cw_output_columns_default(&columns);
    return cw_output_record_csv(&columns, record, body, out);
}

/* ---- edges ---- */

/* These functions write a comma and a cell. */
static void text_cell(cw_writer *row, crawl_slice text)
{
    cw_put_char(row, ',');
    cw_output_put_cell(row, text);
}

static void words_cell(cw_writer *row, const char *words)
{
    text_cell(row, crawl_slice_from(words));
}

crawl_err crawl_edge_csv(const crawl_edge *edge, crawl_buf *out)
{
    crawl_edge own;
    edge = cw_sized(&own, sizeof own, edge);
    if (!edge)
        return CRAWL_EINVAL;
    const crawl_link redirect = {.tag = "redirect", .attr = "location"};
    const crawl_link *link = edge->link ? edge->link : &redirect;
    cw_writer row = {.out = out};
    cw_output_put_cell(&row, edge->from);
    text_cell(&row, edge->to);
    words_cell(&row, link->tag);
    words_cell(&row, link->attr);
    text_cell(&row, link->rel);
    cw_put_text(&row, link->nofollow ? ",true" : ",false");
    text_cell(&row, link->text);
    cw_put_char(&row, ',');
    cw_json_put_int(&row, edge->depth);
    words_cell(&row, crawl_edge_verdict_name(edge->verdict));
    cw_put_text(&row, edge->requisite ? ",true" : ",");
    cw_put_char(&row, '\r');
    return row.err;
}

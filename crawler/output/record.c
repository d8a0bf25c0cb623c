/* Records and edges as JSON lines (docs/records.md has their fields, record_fields.c those of records). A page may have
 * a hundred thousand edges, and there are as many records as requests, so both are written as text, field by field,
 * without building a tree. */
#include "base/bytes.h"
#include "base/json/json_write.h"
#include "base/sized.h"
#include "base/writer.h"

#include "crawler/output/output.h"
#include "crawler/output/record_fields.h"

/* ---- records ---- */

crawl_err cw_output_preferences_json(const crawl_record *record, crawl_buf *out)
{
    static const char *const names[] = {"preferences", "may", "withheld", "withheld_by"};
    const cw_output_source source = {.record = record};
    cw_writer line = {.out = out};
    cw_json_text(&line, "{\"url\":", record->url);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cw_output_field_json(cw_output_field_find(crawl_slice_from(names[i])), &source, &line);
    cw_put_char(&line, '}');
    return line.err;
}

static void record_put_record(cw_writer *line, const cw_output_source *source, crawl_slice members)
{
    size_t begin = cw_writer_size(line);
    for (size_t i = 0; i < cw_output_field_count; i++)
        cw_output_field_json(&cw_output_fields[i], source, line);
    if (!line->err)
        line->out->data[begin] = '{'; /* in place of the first comma */
    cw_put_text(line, members.size ? "," : "");
    cw_put(line, members);
    cw_put_char(line, '}');
}

crawl_err crawl_record_json(const crawl_record *record, const char *body, crawl_slice members, crawl_buf *out)
{
    crawl_record own;
    record = cw_sized(&own, sizeof own, record);
    if (!record)
        return CRAWL_EINVAL;
    cw_writer line = {.out = out};
    record_put_record(&line, &(cw_output_source){.record = record, .body = body}, members);
    return line.err;
}

/* ---- headers of the answer ---- */

static size_t record_find_header(const crawl_record *record, crawl_slice name, size_t from)
{
    while (from < record->header_count && !cw_equal_nocase(record->headers[from].name, name))
        from++;
    return from;
}

/* Writes the lower-case name of a header and its values, the first of which is at i. */
static void record_put_values(cw_writer *out, const crawl_record *record, crawl_slice name, size_t i)
{
    cw_put_char(out, '"');
    for (size_t at = 0; at < name.size; at++)
        cw_put_char(out, (char)cw_lower((unsigned char)name.data[at]));
    cw_put_text(out, "\":[");
    for (bool is_first = true; i < record->header_count; i = record_find_header(record, name, i + 1)) {
        cw_put_text(out, is_first ? "" : ",");
        cw_json_put_text(out, record->headers[i].value);
        is_first = false;
    }
    cw_put_char(out, ']');
}

crawl_err crawl_record_headers(const crawl_record *record, const char *names, crawl_buf *members)
{
    crawl_record own;
    record = cw_sized(&own, sizeof own, record);
    if (!record)
        return CRAWL_EINVAL;
    cw_writer out = {.out = members};
    const char *before = members->size ? ",\"headers\":{" : "\"headers\":{";
    bool tells_absence = record->status && record->status != 304; /* RFC 9110, 15.4.5 */
    bool has_any = false;
    crawl_slice all = crawl_slice_from(names);
    crawl_slice rest = all;
    for (crawl_slice name; (name = cw_take_word(&rest, true)).size;) {
        size_t first = record_find_header(record, name, 0);
        bool is_told = tells_absence || first < record->header_count;
        if (!is_told || cw_has_word(crawl_slice_of(all.data, (size_t)(name.data - all.data)), name, true))
            continue;
        cw_put_text(&out, has_any ? "," : before);
        record_put_values(&out, record, name, first);
        has_any = true;
    }
    cw_put_text(&out, has_any ? "}" : "");
    return out.err;
}

/* ---- edges ---- */

/* Writes a word of our own, which needs no escaping. */
static void record_put_plain(cw_writer *line, const char *name, const char *word)
{
    cw_put_text(line, name);
    cw_put_text(line, word);
}

static void put_edge(cw_writer *line, const crawl_edge *edge)
{
    const crawl_link redirect = {.tag = "redirect", .attr = "location"};
    const crawl_link *link = edge->link ? edge->link : &redirect;
    cw_json_text(line, "{\"from\":", edge->from);
    cw_json_text(line, ",\"to\":", edge->to);
    record_put_plain(line, ",\"tag\":\"", link->tag);
    record_put_plain(line, "\",\"attr\":\"", link->attr);
    cw_json_text(line, "\",\"rel\":", link->rel);
    cw_json_bool(line, ",\"nofollow\":", link->nofollow);
    cw_json_text(line, ",\"text\":", link->text);
    cw_json_int(line, ",\"depth\":", edge->depth);
    if (edge->requisite)
        cw_put_text(line, ",\"requisite\":true");
    record_put_plain(line, ",\"verdict\":\"", crawl_edge_verdict_name(edge->verdict));
    cw_put_text(line, "\"}");
}

crawl_err crawl_edge_json(const crawl_edge *edge, crawl_buf *out)
{
    crawl_edge own;
    edge = cw_sized(&own, sizeof own, edge);
    if (!edge)
        return CRAWL_EINVAL;
    cw_writer line = {.out = out};
    put_edge(&line, edge);
    return line.err;
}

crawl_err crawl_json_text(crawl_slice text, crawl_buf *out)
{
    cw_writer writer = {.out = out};
    cw_json_put_text(&writer, text);
    return writer.err;
}

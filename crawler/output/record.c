/* Records and edges as lines of JSON (docs/records.md has their fields; csv.c has the same as cells). A page may have a
 * hundred thousand edges, and there are as many records as requests; so both are written as text, field after field,
 * and no tree is built. */
#include "base/bytes.h"
#include "base/date.h"
#include "base/json/json_write.h"
#include "base/sized.h"
#include "base/writer.h"

#include "crawler/output/output.h"

/* ---- records ---- */

static void record_put_request(cw_writer *line, const crawl_record *record)
{
    char fingerprint[2 * CRAWL_FINGERPRINT_SIZE + 1];
    crawl_fingerprint_hex(&record->fingerprint, fingerprint);
    cw_json_text(line, "{\"url\":", record->url);
    cw_json_text_or_null(line, ",\"canonical\":", record->canonical);
    cw_json_words(line, ",\"fingerprint\":", fingerprint);
    cw_json_text(line, ",\"method\":", record->method);
    cw_json_int(line, ",\"status\":", record->status);
    cw_json_int(line, ",\"depth\":", record->depth);
    if (record->external)
        cw_put_text(line, ",\"external\":true");
    if (record->requisite)
        cw_put_text(line, ",\"requisite\":true");
    if (record->guessed)
        cw_put_text(line, ",\"guessed\":true");
    cw_json_text_or_null(line, ",\"parent\":", record->parent);
    cw_json_text(line, ",\"fetched_at\":", crawl_slice_from(cw_date_of(record->fetched_at_ms).text));
    cw_put_text(line, ",\"elapsed_ms\":");
    cw_json_put_real(line, record->elapsed_ms);
}

/* digest NULL: there is none. */
static void record_put_digest(cw_writer *line, const crawl_fingerprint *digest)
{
    char text[] = "sha1:01234567890123456789012345678901";
    if (digest)
        crawl_fingerprint_base32(digest, text + strlen("sha1:"));
    cw_json_words(line, ",\"digest\":", digest ? text : NULL);
}

static void record_put_robots(cw_writer *line, unsigned flags)
{
    bool noindex = flags & CRAWL_ROBOTS_NOINDEX;
    bool nofollow = flags & CRAWL_ROBOTS_NOFOLLOW;
    cw_put_text(line, ",\"robots\":[");
    cw_put_text(line, noindex ? "\"noindex\"" : "");
    cw_put_text(line, noindex && nofollow ? "," : "");
    cw_put_text(line, nofollow ? "\"nofollow\"]" : "]");
}

static void put_change(cw_writer *line, crawl_change change)
{
    if (change == CRAWL_CHANGE_UNKNOWN)
        cw_put_text(line, ",\"changed\":null");
    else
        cw_json_bool(line, ",\"changed\":", change == CRAWL_CHANGE_YES);
}

static void record_put_answer(cw_writer *line, const crawl_record *record)
{
    cw_json_words(line, ",\"ip\":", record->ip);
    cw_json_text_or_null(line, ",\"content_type\":", record->content_type);
    cw_json_text_or_null(line, ",\"content_type_header\":", record->content_type_header);
    cw_json_words(line, ",\"charset\":", record->charset);
    cw_json_int(line, ",\"bytes\":", (int64_t)record->bytes);
    record_put_digest(line, record->has_digest ? &record->digest : NULL);
    cw_json_text_or_null(line, ",\"title\":", record->title);
    cw_json_int(line, ",\"links\":", (int64_t)record->links);
    cw_json_int(line, ",\"new\":", (int64_t)record->fresh);
    cw_json_text_or_null(line, ",\"redirect\":", record->redirect);
    cw_json_words(line, ",\"error\":", record->error);
    cw_json_words(line, ",\"detail\":", record->error_text);
    cw_json_int(line, ",\"attempt\":", record->attempt);
    record_put_robots(line, record->robots);
    cw_json_int(line, ",\"visit\":", record->visit);
    put_change(line, record->change);
    if (record->verdict)
        cw_json_words(line, ",\"verdict\":", record->verdict);
    if (record->wall)
        cw_json_words(line, ",\"wall\":", record->wall);
}

static void record_put_render(cw_writer *line, const crawl_record *record)
{
    const crawl_record_render *render = record->render;
    cw_json_words(line, ",\"rendered\":", render->outcome);
    cw_json_words(line, ",\"render\":{\"why\":", render->why);
    if (*render->lack)
        cw_json_words(line, ",\"lack\":", render->lack);
    cw_json_int(line, ",\"parts\":", render->parts);
    cw_json_int(line, ",\"asked\":", render->asked);
    cw_json_int(line, ",\"cached\":", render->cached);
    cw_json_int(line, ",\"elapsed_ms\":", render->elapsed_ms);
    cw_json_int(line, ",\"waited_ms\":", render->waited_ms);
    if (render->has_digest)
        record_put_digest(line, &render->digest);
    if (render->picture_file)
        cw_json_words(line, ",\"screenshot\":", render->picture_file);
    cw_put_char(line, '}');
}

/* Writes the fields about other pages that this one is like; a field that would say nothing is left out. */
static void record_put_likeness(cw_writer *line, const crawl_record *record)
{
    char simhash[17];
    if (record->duplicate_of.size)
        cw_json_text(line, ",\"duplicate_of\":", record->duplicate_of);
    if (record->near_duplicate_of.size) {
        cw_json_text(line, ",\"near_duplicate_of\":", record->near_duplicate_of);
        cw_json_int(line, ",\"distance\":", record->distance);
    }
    if (!record->has_simhash)
        return;
    snprintf(simhash, sizeof simhash, "%016llx", (unsigned long long)record->simhash);
    cw_json_words(line, ",\"simhash\":", simhash);
}

static void record_put_fields(cw_writer *line, const crawl_record *record)
{
    cw_put_text(line, record->fields.size ? ",\"fields\":" : "");
    cw_put(line, record->fields);
    cw_put_text(line, record->missing.size ? ",\"missing\":" : "");
    cw_put(line, record->missing);
}

static void put_ids(cw_writer *line, const crawl_record *record)
{
    crawl_slice rest = record->ids;
    const char *before = ",\"ids\":[";
    if (!rest.size)
        cw_put_text(line, before);
    while (rest.size) {
        cw_json_text(line, before, cw_cut(&rest, '\0'));
        before = ",";
    }
    cw_put_text(line, record->ids_cut ? "],\"ids_cut\":true" : "]");
}

/* Writes what was said of the use of the page, and what followed from it. */
static void record_put_preferences(cw_writer *line, const crawl_record *record)
{
    if (!record->preferences.size)
        return;
    cw_put_text(line, ",\"preferences\":");
    cw_put(line, record->preferences);
    if (record->refused | record->granted) {
        cw_put_text(line, ",\"may\":");
        line->err = line->err ? line->err : crawl_may_json(record->refused, record->granted, line->out);
    }
    if (record->withheld) {
        cw_json_words(line, ",\"withheld\":", record->withheld);
        cw_json_words(line, ",\"withheld_by\":", record->withheld_by);
    }
}

crawl_err cw_output_preferences_json(const crawl_record *record, crawl_buf *out)
{
    cw_writer line = {.out = out};
    cw_json_text(&line, "{\"url\":", record->url);
    record_put_preferences(&line, record);
    cw_put_char(&line, '}');
    return line.err;
}

static void record_put_record(cw_writer *line, const crawl_record *record, const char *body, crawl_slice members)
{
    record_put_request(line, record);
    record_put_answer(line, record);
    if (record->links_cut)
        cw_put_text(line, ",\"links_cut\":true");
    if (record->signed_by)
        cw_json_words(line, ",\"signed\":true,\"signed_by\":", record->signed_by);
    if (record->render)
        record_put_render(line, record);
    if (record->preprocessed)
        cw_json_words(line, ",\"preprocessed\":", record->preprocessed);
    record_put_likeness(line, record);
    if (record->has_ids)
        put_ids(line, record);
    record_put_fields(line, record);
    if (body)
        cw_json_words(line, ",\"body\":", body);
    cw_put_text(line, record->data.size ? ",\"data\":" : "");
    cw_put(line, record->data);
    if (record->text.size)
        cw_json_text(line, ",\"text\":", record->text);
    if (record->text_cut)
        cw_put_text(line, ",\"text_cut\":true");
    record_put_preferences(line, record);
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
    record_put_record(&line, record, body, members);
    return line.err;
}

/* ---- headers of the answer ---- */

/* Writes `before`, the name of a header in lower case, and its values. False: the answer does not have the header. */
static bool put_values(cw_writer *out, const crawl_record *record, crawl_slice name, const char *before)
{
    bool is_first = true;
    for (size_t i = 0; i < record->header_count; i++) {
        if (!cw_equal_nocase(record->headers[i].name, name))
            continue;
        cw_put_text(out, is_first ? before : ",");
        if (is_first) {
            cw_put_char(out, '"');
            for (size_t at = 0; at < name.size; at++)
                cw_put_char(out, (char)cw_lower((unsigned char)name.data[at]));
            cw_put_text(out, "\":[");
        }
        cw_json_put_text(out, record->headers[i].value);
        is_first = false;
    }
    cw_put_text(out, is_first ? "" : "]");
    return !is_first;
}

crawl_err cw_output_answer_headers(const crawl_record *record, const char *names, crawl_buf *members)
{
    cw_writer out = {.out = members};
    const char *before = members->size ? ",\"headers\":{" : "\"headers\":{";
    bool has_any = false;
    crawl_slice all = crawl_slice_from(names);
    crawl_slice rest = all;
    for (crawl_slice name; (name = cw_take_word(&rest, true)).size;)
        if (!cw_has_word(crawl_slice_of(all.data, (size_t)(name.data - all.data)), name, true))
            has_any |= put_values(&out, record, name, has_any ? "," : before);
    cw_put_text(&out, has_any ? "}" : "");
    return out.err;
}

/* ---- edges ---- */

/* Writes a word of our own, in which nothing need be escaped. */
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

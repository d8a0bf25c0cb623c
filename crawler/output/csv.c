/* Records and edges as rows of CSV. Each cell has the value of the field of that name in the line of JSON of
 * record.c; a change of one file needs the same change in the other. */
#include "crawler/output/csv.h"

#include "base/bytes.h"
#include "base/date.h"
#include "base/json/json_write.h"
#include "base/sized.h"
#include "base/text/escape_forms.h"
#include "base/utf8.h"

#include <crawl/output.h>
#include <crawl/redis.h>

/* The columns have the order of the fields in a line of JSON; fields that may be absent there come last. */
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

bool crawl_output_is_sink(const char *place)
{
    return place && (crawl_redis_is_url(place) || strncmp(place, "exec:", strlen("exec:")) == 0);
}

bool crawl_output_is_csv(const char *path)
{
    return !crawl_output_is_sink(path) && cw_ends_with(crawl_slice_from(path), ".csv");
}

void cw_output_put_csv_head(cw_writer *row, const char *const *columns)
{
    for (size_t i = 0; columns[i]; i++) {
        cw_put_text(row, i ? "," : "");
        cw_put_text(row, columns[i]);
    }
    cw_put_char(row, '\r');
}

/* ---- cells ---- */

static void put_repaired(cw_writer *row, crawl_slice text)
{
    crawl_buf whole = {0};
    row->err = row->err ? row->err : cw_utf8_repair_bytes(text, &whole);
    cw_escape_csv(row, crawl_buf_slice(&whole));
    crawl_buf_free(&whole);
}

static void csv_put_text(cw_writer *row, crawl_slice text)
{
    if (cw_utf8_valid_prefix(text) < text.size)
        put_repaired(row, text);
    else
        cw_escape_csv(row, text);
}

/* Each of these functions writes a comma and a cell. */
static void text_cell(cw_writer *row, crawl_slice text)
{
    cw_put_char(row, ',');
    csv_put_text(row, text);
}

static void words_cell(cw_writer *row, const char *words)
{
    text_cell(row, crawl_slice_from(words));
}

static void int_cell(cw_writer *row, int64_t number)
{
    cw_put_char(row, ',');
    cw_json_put_int(row, number);
}

static void true_cell(cw_writer *row, bool is_true)
{
    cw_put_text(row, is_true ? ",true" : ",");
}

/* ---- records ---- */

static void csv_put_request(cw_writer *row, const crawl_record *record)
{
    char fingerprint[2 * CRAWL_FINGERPRINT_SIZE + 1];
    crawl_fingerprint_hex(&record->fingerprint, fingerprint);
    csv_put_text(row, record->url);
    text_cell(row, record->canonical);
    words_cell(row, fingerprint);
    text_cell(row, record->method);
    int_cell(row, record->status);
    int_cell(row, record->depth);
    text_cell(row, record->parent);
    words_cell(row, cw_date_of(record->fetched_at_ms).text);
    cw_put_char(row, ',');
    cw_json_put_real(row, record->elapsed_ms);
}

static void csv_put_digest(cw_writer *row, const crawl_record *record)
{
    char text[] = "sha1:01234567890123456789012345678901";
    if (record->has_digest)
        crawl_fingerprint_base32(&record->digest, text + strlen("sha1:"));
    words_cell(row, record->has_digest ? text : "");
}

static void csv_put_answer(cw_writer *row, const crawl_record *record)
{
    words_cell(row, record->ip);
    text_cell(row, record->content_type);
    words_cell(row, record->charset);
    int_cell(row, (int64_t)record->bytes);
    csv_put_digest(row, record);
    text_cell(row, record->title);
    int_cell(row, (int64_t)record->links);
    int_cell(row, (int64_t)record->fresh);
    text_cell(row, record->redirect);
    words_cell(row, record->error);
    words_cell(row, record->error_text);
    int_cell(row, record->attempt);
}

static void csv_put_page(cw_writer *row, const crawl_record *record)
{
    static const char *const changes[] = {
        [CRAWL_CHANGE_UNKNOWN] = "",
        [CRAWL_CHANGE_NO] = "false",
        [CRAWL_CHANGE_YES] = "true",
    };
    bool noindex = record->robots & CRAWL_ROBOTS_NOINDEX;
    bool nofollow = record->robots & CRAWL_ROBOTS_NOFOLLOW;
    words_cell(row, noindex && nofollow ? "noindex nofollow" : noindex ? "noindex" : nofollow ? "nofollow" : "");
    int_cell(row, record->visit);
    words_cell(row, changes[record->change]);
    true_cell(row, record->external);
    true_cell(row, record->requisite);
    true_cell(row, record->links_cut);
}

static void csv_put_likeness(cw_writer *row, const crawl_record *record)
{
    char simhash[17] = "";
    text_cell(row, record->duplicate_of);
    text_cell(row, record->near_duplicate_of);
    if (record->near_duplicate_of.size)
        int_cell(row, record->distance);
    else
        words_cell(row, "");
    if (record->has_simhash)
        snprintf(simhash, sizeof simhash, "%016llx", (unsigned long long)record->simhash);
    words_cell(row, simhash);
    text_cell(row, record->content_type_header);
    words_cell(row, record->verdict);
    words_cell(row, record->wall);
}

/* The uses of which something is stated, "train=n search=y". */
static void may_cell(cw_writer *row, const crawl_record *record)
{
    const char *before = ",";
    unsigned stated = record->refused | record->granted;
    for (unsigned use = 0; use < CRAWL_USE_COUNT; use++) {
        if (!(stated >> use & 1))
            continue;
        cw_put_text(row, before);
        cw_put_text(row, crawl_use_name((crawl_use)use));
        cw_put_text(row, record->refused >> use & 1 ? "=n" : "=y");
        before = " ";
    }
    cw_put_text(row, stated ? "" : before);
}

crawl_err crawl_record_csv(const crawl_record *record, const char *body, crawl_buf *out)
{
    crawl_record own;
    record = cw_sized(&own, sizeof own, record);
    if (!record)
        return CRAWL_EINVAL;
    cw_writer row = {.out = out};
    csv_put_request(&row, record);
    csv_put_answer(&row, record);
    csv_put_page(&row, record);
    words_cell(&row, body);
    csv_put_likeness(&row, record);
    may_cell(&row, record);
    words_cell(&row, record->withheld);
    true_cell(&row, record->guessed);
    words_cell(&row, record->render ? record->render->outcome : NULL);
    words_cell(&row, record->preprocessed);
    cw_put_char(&row, '\r');
    return row.err;
}

/* ---- edges ---- */

crawl_err crawl_edge_csv(const crawl_edge *edge, crawl_buf *out)
{
    crawl_edge own;
    edge = cw_sized(&own, sizeof own, edge);
    if (!edge)
        return CRAWL_EINVAL;
    const crawl_link redirect = {.tag = "redirect", .attr = "location"};
    const crawl_link *link = edge->link ? edge->link : &redirect;
    cw_writer row = {.out = out};
    csv_put_text(&row, edge->from);
    text_cell(&row, edge->to);
    words_cell(&row, link->tag);
    words_cell(&row, link->attr);
    text_cell(&row, link->rel);
    cw_put_text(&row, link->nofollow ? ",true" : ",false");
    text_cell(&row, link->text);
    int_cell(&row, edge->depth);
    words_cell(&row, crawl_edge_verdict_name(edge->verdict));
    true_cell(&row, edge->requisite);
    cw_put_char(&row, '\r');
    return row.err;
}

/* Records and edges equal, byte for byte, jansson's output for the same values, in the order of docs/records.md. */
#include <crawl/output.h>

#include "base/date.h"
#include "tools/common/io.h"

#include <criterion/criterion.h>
#include <jansson.h>

/* Hostile strings: all bytes alone, and between plain ones at the ends of blocks of eight. */
#define HOSTILE_COUNT (256 * 3 + 4000)
enum { HOSTILE_MAX = 64 };

typedef struct hostile {
    char bytes[HOSTILE_MAX];
    size_t size;
} hostile;

/* Returns bytes of every kind, mostly those that begin or continue a character, end it too early, or are escaped. */
static char byte_at(uint64_t *seed)
{
    static const char likely[] = "\"\\/\b\f\n\r\t\x7f\xc3\xa9\xe2\x82\xac\xed\xa0\x80\xf0\x9f\x98\x80\xf4\x90\xc0\xfe";
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    unsigned draw = (unsigned)(*seed >> 33);
    unsigned kind = draw % 4;
    draw /= 4;
    return kind == 0 ? (char)(draw & 0xff) : kind == 1 ? likely[draw % (sizeof likely - 1)] : (char)('a' + draw % 26);
}

static hostile hostile_of(size_t index)
{
    hostile text = {.size = index < 256 ? 1 : index < 512 ? 17 : index < 768 ? 8 : index % HOSTILE_MAX};
    uint64_t seed = index * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < text.size; i++)
        text.bytes[i] = index < 768 ? 'a' : byte_at(&seed);
    if (index < 768)
        text.bytes[text.size / 2] = (char)(index % 256);
    return text;
}

static crawl_slice slice_of(const hostile *text)
{
    return crawl_slice_of(text->bytes, text->size);
}

static void set(json_t *object, const char *name, json_t *value)
{
    cr_assert_eq(json_object_set_new(object, name, value), 0, "%s", name);
}

static json_t *text_or_null(crawl_slice text)
{
    return text.size ? cw_tool_json_text(text) : json_null();
}

static json_t *words_or_null(const char *words)
{
    return text_or_null(crawl_slice_from(words));
}

static json_t *digest_of(const crawl_record *record)
{
    char text[5 + 33] = "sha1:";
    if (!record->has_digest)
        return json_null();
    crawl_fingerprint_base32(&record->digest, text + 5);
    return json_string(text);
}

static json_t *robots_of(unsigned flags)
{
    json_t *list = json_array();
    if (flags & CRAWL_ROBOTS_NOINDEX)
        json_array_append_new(list, json_string("noindex"));
    if (flags & CRAWL_ROBOTS_NOFOLLOW)
        json_array_append_new(list, json_string("nofollow"));
    return list;
}

static void set_rest(json_t *object, const crawl_record *record, const char *body)
{
    char simhash[17];
    snprintf(simhash, sizeof simhash, "%016llx", (unsigned long long)record->simhash);
    if (record->links_cut)
        set(object, "links_cut", json_true());
    if (record->duplicate_of.size)
        set(object, "duplicate_of", cw_tool_json_text(record->duplicate_of));
    if (record->near_duplicate_of.size) {
        set(object, "near_duplicate_of", cw_tool_json_text(record->near_duplicate_of));
        set(object, "distance", json_integer((json_int_t)record->distance));
    }
    if (record->has_simhash)
        set(object, "simhash", json_string(simhash));
    if (body)
        set(object, "body", json_string(body));
    if (record->text.size)
        set(object, "text", cw_tool_json_text(record->text));
    if (record->text_cut)
        set(object, "text_cut", json_true());
    if (record->preferences.size)
        set(object, "preferences", json_loadb(record->preferences.data, record->preferences.size, 0, NULL));
    if (record->refused || record->granted)
        set(object, "may",
            json_pack("{s:s?,s:s?,s:s?}", "train", record->refused & 1 ? "n" : NULL, "input",
                      record->granted & 2 ? "y" : NULL, "search", NULL));
    if (record->withheld) {
        set(object, "withheld", json_string(record->withheld));
        set(object, "withheld_by", json_string(record->withheld_by));
    }
}

static json_t *tree_of(const crawl_record *record, const char *body)
{
    char fingerprint[41];
    crawl_change change = record->change;
    crawl_fingerprint_hex(&record->fingerprint, fingerprint);
    json_t *object = json_object();
    set(object, "url", cw_tool_json_text(record->url));
    set(object, "canonical", text_or_null(record->canonical));
    set(object, "fingerprint", json_string(fingerprint));
    set(object, "method", cw_tool_json_text(record->method));
    set(object, "status", json_integer(record->status));
    set(object, "depth", json_integer(record->depth));
    if (record->external)
        set(object, "external", json_true());
    set(object, "parent", text_or_null(record->parent));
    set(object, "fetched_at", json_string(cw_date_of(record->fetched_at_ms).text));
    set(object, "elapsed_ms", json_real(record->elapsed_ms));
    set(object, "ip", words_or_null(record->ip));
    set(object, "content_type", text_or_null(record->content_type));
    set(object, "content_type_header", text_or_null(record->content_type_header));
    set(object, "charset", words_or_null(record->charset));
    set(object, "bytes", json_integer((json_int_t)record->bytes));
    set(object, "digest", digest_of(record));
    set(object, "title", text_or_null(record->title));
    set(object, "links", json_integer((json_int_t)record->links));
    set(object, "new", json_integer((json_int_t)record->fresh));
    set(object, "redirect", text_or_null(record->redirect));
    set(object, "error", words_or_null(record->error));
    set(object, "detail", words_or_null(record->error_text));
    set(object, "attempt", json_integer(record->attempt));
    set(object, "robots", robots_of(record->robots));
    set(object, "visit", json_integer(record->visit));
    set(object, "changed", change == CRAWL_CHANGE_UNKNOWN ? json_null() : json_boolean(change == CRAWL_CHANGE_YES));
    set_rest(object, record, body);
    return object;
}

/* Takes ownership of tree. */
static void expect(const crawl_buf *line, json_t *tree)
{
    char *wanted = json_dumps(tree, JSON_COMPACT | JSON_REAL_PRECISION(9));
    cr_assert_not_null(wanted);
    cr_expect_str_eq(line->data, wanted);
    free(wanted);
    json_decref(tree);
}

static void expect_record(const crawl_record *record, const char *body)
{
    crawl_buf text = {0};
    cr_assert_eq(crawl_record_json(record, body, (crawl_slice){0}, &text), CRAWL_OK);
    expect(&text, tree_of(record, body));
    crawl_buf_free(&text);
}

static crawl_record usual(void)
{
    crawl_record record = {
        .size = sizeof record,
        .url = crawl_slice_from("https://example.com/a?b=c"),
        .canonical = crawl_slice_from("https://example.com/a?b=c"),
        .fingerprint = {{0x00, 0x9f, 0xff}},
        .method = crawl_slice_from("GET"),
        .status = 200,
        .depth = 2,
        .parent = crawl_slice_from("https://example.com/"),
        .fetched_at_ms = 1769860800007,
        .elapsed_ms = 12.345,
        .ip = "127.0.0.1",
        .content_type = crawl_slice_from("text/html"),
        .content_type_header = crawl_slice_from("text/html; charset=\"utf-8\""),
        .charset = "UTF-8",
        .bytes = 36864,
        .has_digest = true,
        .digest = {{0xde, 0xad, 0xbe, 0xef}},
        .title = crawl_slice_from("Tom & Jerry: \xe2\x82\xac 5"),
        .links = 144,
        .fresh = 10,
        .error_text = "",
        .attempt = 1,
        .visit = 1,
    };
    return record;
}

Test(record, of_a_page)
{
    crawl_record record = usual();
    expect_record(&record, NULL);
    expect_record(&record, "de/adbeef");
}

Test(record, of_a_failure_and_of_a_refusal)
{
    crawl_record record = {
        .size = sizeof record,
        .url = crawl_slice_from("http://example.com/"),
        .method = crawl_slice_from("POST"),
        .ip = "",
        .error = "dns",
        .error_text = "Could not resolve host: \"example.com\"",
        .attempt = UINT32_MAX,
    };
    expect_record(&record, NULL);
    record.ip = NULL;
    record.error_text = NULL;
    record.fetched_at_ms = INT64_MAX; /* beyond the calendar */
    expect_record(&record, NULL);
}

Test(record, with_every_field_that_may_be_absent)
{
    crawl_record record = usual();
    record.has_digest = false;
    record.links_cut = true;
    record.text = crawl_slice_from("Two\nlines\n");
    record.text_cut = true;
    record.preferences = crawl_slice_from("[{\"source\":\"robots\",\"label\":\"train-ai\"}]");
    record.refused = 1 << CRAWL_USE_TRAIN;
    record.granted = 1 << CRAWL_USE_INPUT;
    record.withheld = "train";
    record.withheld_by = "robots";
    record.external = true;
    record.redirect = crawl_slice_from("https://example.com/b");
    record.duplicate_of = crawl_slice_from("https://example.com/c");
    record.near_duplicate_of = crawl_slice_from("https://example.com/d");
    record.distance = 3;
    record.has_simhash = true;
    record.simhash = 0x0123456789abcdef;
    record.bytes = INT64_MAX;
    for (unsigned flags = 0; flags < 4; flags++) {
        record.robots = (flags & 1 ? CRAWL_ROBOTS_NOINDEX : 0) | (flags & 2 ? CRAWL_ROBOTS_NOFOLLOW : 0);
        record.change = (crawl_change)(flags % 3);
        expect_record(&record, flags & 1 ? "01/23" : NULL);
    }
}

Test(record, times_have_as_many_digits_as_jansson_gives_them)
{
    const double times[] = {0,           1,           0.001,      0.0001,     0.00001,          0.1,
                            1.5,         999.999,     999999.999, 123456.789, 1234567.5,        123456789,
                            99999999.95, 999999999.5, 1234567890, 1e15,       9007199254740991, 1e22,
                            1e100,       5e-324,      -1.25};
    crawl_record record = usual();
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        record.elapsed_ms = times[i];
        expect_record(&record, NULL);
    }
    for (unsigned us = 0; us < 20000; us += 37) {
        record.elapsed_ms = us / 1000.0;
        expect_record(&record, NULL);
    }
}

Test(record, strings_of_strangers)
{
    for (size_t i = 0; i < HOSTILE_COUNT; i++) {
        hostile text = hostile_of(i);
        hostile other = hostile_of(i + 1);
        crawl_record record = usual();
        record.title = slice_of(&text);
        record.content_type = record.content_type_header = slice_of(&other);
        if (i % 16 == 0)
            record.url = record.canonical = record.redirect = record.parent = record.method = slice_of(&text);
        expect_record(&record, NULL);
    }
}

static void expect_edge(const crawl_edge *edge)
{
    crawl_buf text = {0};
    cr_assert_eq(crawl_edge_json(edge, &text), CRAWL_OK);
    json_t *object = json_object();
    set(object, "from", cw_tool_json_text(edge->from));
    set(object, "to", cw_tool_json_text(edge->to));
    set(object, "tag", json_string(edge->link ? edge->link->tag : "redirect"));
    set(object, "attr", json_string(edge->link ? edge->link->attr : "location"));
    set(object, "rel", edge->link ? cw_tool_json_text(edge->link->rel) : json_string(""));
    set(object, "nofollow", json_boolean(edge->link && edge->link->nofollow));
    set(object, "text", edge->link ? cw_tool_json_text(edge->link->text) : json_string(""));
    set(object, "depth", json_integer(edge->depth));
    set(object, "verdict", json_string(crawl_edge_verdict_name(edge->verdict)));
    expect(&text, object);
    crawl_buf_free(&text);
}

Test(record, edges)
{
    crawl_edge edge = {
        .size = sizeof edge, .from = crawl_slice_from("http://a/"), .to = crawl_slice_from("http://a/b"), .depth = 1};
    expect_edge(&edge);
    for (size_t i = 0; i < HOSTILE_COUNT; i++) {
        hostile text = hostile_of(i);
        hostile other = hostile_of(i + 1);
        const crawl_link link = {
            .tag = "a", .attr = "href", .rel = slice_of(&other), .text = slice_of(&text), .nofollow = i % 2};
        edge.link = &link;
        edge.to = i % 16 == 0 ? slice_of(&text) : edge.from;
        edge.depth = (uint32_t)i;
        edge.verdict = (crawl_edge_verdict)(i % CRAWL_EDGE_COUNT);
        expect_edge(&edge);
    }
}

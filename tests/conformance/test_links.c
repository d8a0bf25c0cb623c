/* Tests links, bases and refreshes of pages with the data in links/. Its rows come from several crawlers; those that
 * need elements or filters that this project lacks are skipped and counted. */
#include "tests/support/jsonl.h"

#include "base/bytes.h"

#include <crawl/links.h>

#include <criterion/criterion.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>

/* Rows expected to differ, and why. If one agrees after all, that is a failure too. */
static const struct {
    const char *id;
    const char *reason;
} differences[] = {
    {"links-019", "leaves out a link to .jpg: a filter of that extractor by file name, not extraction"},
    {"links-046", "drops a link whose canonical form was there before: that is the frontier's to do"},
    {"refresh-07", "the page ends inside the tag: the HTML standard (13.2.5.32 and on, EOF) drops it"},
};

static const char *difference(const char *id)
{
    for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++)
        if (strcmp(differences[i].id, id) == 0)
            return differences[i].reason;
    return NULL;
}

typedef struct tally {
    unsigned passed;
    unsigned differing; /* expected by the table */
    unsigned failed;
    unsigned skipped;
} tally;

static void count_row(tally *t, const char *id, bool same)
{
    const char *reason = difference(id);
    if (same && reason)
        printf("%s passes, but is in the table: %s\n", id, reason);
    if (same == (reason != NULL))
        t->failed++;
    else if (same)
        t->passed++;
    else
        t->differing++;
}

static void report(const char *name, const tally *t)
{
    unsigned applicable = t->passed + t->differing + t->failed;
    printf("%s: %u of %u rows, %u differ as documented, %u skipped\n", name, t->passed, applicable, t->differing,
           t->skipped);
    cr_expect_eq(t->failed, 0, "%s: %u rows", name, t->failed);
    cr_expect_geq(t->passed * 100, applicable * 90, "%s: %u of %u rows", name, t->passed, applicable);
    cr_expect_gt(t->passed, 0);
}

/* --- pages --- */

static crawl_page *page;
static crawl_url *page_url;
static crawl_url *link_url;
static crawl_url *expected_url;
static crawl_buf encoded;

static void open_page(void)
{
    page = crawl_page_create();
    page_url = crawl_url_create();
    link_url = crawl_url_create();
    expected_url = crawl_url_create();
    cr_assert(page && page_url && link_url && expected_url);
}

static void open_scan(void)
{
    open_page();
    crawl_page_set_extractor(page, CRAWL_EXTRACTOR_SCAN);
}

static void open_libxml2(void)
{
    open_page();
    crawl_page_set_extractor(page, CRAWL_EXTRACTOR_LIBXML2);
}

static void close_page(void)
{
    crawl_page_free(page);
    crawl_url_free(page_url);
    crawl_url_free(link_url);
    crawl_url_free(expected_url);
    crawl_buf_free(&encoded);
}

TestSuite(scan, .init = open_scan, .fini = close_page);
TestSuite(libxml2, .init = open_libxml2, .fini = close_page);

/* Defines a test for each extractor. */
#define EACH(name)                 \
    static void each_##name(void); \
    Test(scan, name)               \
    {                              \
        each_##name();             \
    }                              \
    Test(libxml2, name)            \
    {                              \
        each_##name();             \
    }                              \
    static void each_##name(void)

/* Encodes a row's text in the encoding that the row declares, as a server would send it. */
static crawl_slice encode(crawl_slice text, const char *charset)
{
    iconv_t converter = iconv_open(charset, "UTF-8");
    cr_assert_neq(converter, (iconv_t)-1, "%s", charset);
    crawl_buf_clear(&encoded);
    cr_assert_eq(crawl_buf_reserve(&encoded, 2 * text.size + 16), CRAWL_OK);
    char *from = (char *)text.data;
    char *to = encoded.data;
    size_t left = text.size;
    size_t room = encoded.capacity;
    cr_assert_neq(iconv(converter, &from, &left, &to, &room), (size_t)-1);
    iconv_close(converter);
    return crawl_slice_of(encoded.data, (size_t)(to - encoded.data));
}

/* Python knows names that are not WHATWG labels. */
static const char *charset_of(const json_t *row)
{
    const char *name = jsonl_text(row, "encoding");
    if (!name)
        return NULL;
    const char *charset = strcmp(name, "latin-1") == 0 ? "windows-1252" : crawl_charset_name(crawl_slice_from(name));
    cr_assert(charset, "%s", name);
    return charset;
}

static void parse_row(jsonl *file, const json_t *row)
{
    const char *charset = charset_of(row);
    crawl_slice html = jsonl_bytes(file, row, "html");
    if (jsonl_text(row, "html") && charset && strcmp(charset, "utf-8") != 0)
        html = encode(html, charset);
    const char *url = jsonl_text(row, "url");
    bool known = url && *url && crawl_url_parse(page_url, crawl_slice_from(url), NULL, NULL) == CRAWL_OK;
    cr_assert_eq(crawl_page_parse(page, html, known ? page_url : NULL, charset), CRAWL_OK);
}

static bool resolve(crawl_slice href)
{
    return crawl_url_parse(link_url, href, crawl_page_base(page), crawl_page_charset(page)) == CRAWL_OK;
}

/* Returns true if link_url is the URL of text. */
static bool is_expected(const char *text)
{
    return crawl_url_parse(expected_url, crawl_slice_from(text), NULL, NULL) == CRAWL_OK &&
           crawl_slice_equal(crawl_url_href(link_url), crawl_url_href(expected_url));
}

/* --- rows that apply --- */

static const struct {
    const char *element;
    unsigned kind;
    const char *start; /* start of its tags */
} ours[] = {
    {"a@href", CRAWL_LINK_A, "<a "},
    {"area@href", CRAWL_LINK_AREA, "<area"},
    {"link@href", CRAWL_LINK_LINK, "<link"},
    {"frame@src", CRAWL_LINK_FRAME, "<frame"},
    {"iframe@src", CRAWL_LINK_IFRAME, "<iframe"},
    {"img@src", CRAWL_LINK_IMG, "<img"},
    {"img@srcset", CRAWL_LINK_IMG, "<img"},
    {"source@src", CRAWL_LINK_SOURCE, "<source"},
    {"source@srcset", CRAWL_LINK_SOURCE, "<source"},
    {"script@src", CRAWL_LINK_SCRIPT, "<script"},
    {"form@action(get)", CRAWL_LINK_FORM, "<form"},
    {"", CRAWL_LINK_VIDEO, "<video"},
    {"", CRAWL_LINK_AUDIO, "<audio"},
    {"", CRAWL_LINK_TRACK, "<track"},
    {"", CRAWL_LINK_EMBED, "<embed"},
    {"", CRAWL_LINK_OBJECT, "<object"},
    {"", CRAWL_LINK_INPUT, "<input"},
    {"", CRAWL_LINK_BODY, "<body background"},
    {"", CRAWL_LINK_REFRESH, "http-equiv=\"refresh\""},
};

enum { OURS = sizeof ours / sizeof ours[0] };

static bool has_text(crawl_slice html, const char *text)
{
    return memmem(html.data, html.size, text, strlen(text)) != NULL;
}

/* Returns true if the page has a tag of element, which is not among ours. */
static bool needs(crawl_slice html, const char *element, size_t size)
{
    char start[64];
    size_t name = strcspn(element, "@,");
    snprintf(start, sizeof start, "<%.*s", (int)(name < size ? name : size), element);
    return has_text(html, start);
}

/* Returns the bit of an element of the list. 0: not among ours. */
static unsigned kind_of(const char *element, size_t size)
{
    for (unsigned i = 0; i < OURS; i++)
        if (strlen(ours[i].element) == size && memcmp(ours[i].element, element, size) == 0)
            return ours[i].kind;
    return 0;
}

/* Returns the kinds of links that count in a row. 0: none, or the page has elements that count and are not ours. */
static unsigned listed_kinds(const char *elements, crawl_slice html)
{
    unsigned kinds = 0;
    for (const char *at = elements; *at;) {
        size_t size = strcspn(at, ",");
        unsigned kind = kind_of(at, size);
        if (!kind && needs(html, at, size))
            return 0;
        kinds |= kind;
        at += size + (at[size] == ',');
    }
    return kinds;
}

static unsigned shown_kinds(crawl_slice html)
{
    unsigned kinds = 0;
    for (unsigned i = 0; i < OURS; i++)
        if (has_text(html, ours[i].start))
            kinds |= ours[i].kind;
    return kinds;
}

/* Returns true if all options are supported or are repeated in `elements`; the others are filters of other
 * extractors. */
static bool knows_options(const json_t *options)
{
    static const char *const known[] = {"unique", "obey_rel_nofollow", "obey_meta_robots", "tags", "attrs"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)options, key, value)
    {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            found = found || strcmp(key, known[i]) == 0;
        if (!found)
            return false;
    }
    return true;
}

/* Returns true for rows about encodings whose filter leaves out nothing: it names an element that contains all
 * links. */
static bool filter_is_idle(const char *id)
{
    static const char *const idle[] = {"links-006", "links-033", "links-035"};
    for (size_t i = 0; i < sizeof idle / sizeof idle[0]; i++)
        if (strcmp(idle[i], id) == 0)
            return true;
    return false;
}

static unsigned row_kinds(jsonl *file, const json_t *row)
{
    bool filtered = !knows_options(json_object_get(row, "options")) && !filter_is_idle(jsonl_text(row, "id"));
    if (filtered || json_is_true(json_object_get(row, "extended")))
        return 0;
    crawl_slice html = jsonl_bytes(file, row, "html");
    const char *elements = jsonl_text(row, "elements");
    return strcmp(elements, "the element shown") == 0 ? shown_kinds(html) : listed_kinds(elements, html);
}

static bool has_option(const json_t *row, const char *name)
{
    return json_is_true(json_object_get(json_object_get(row, "options"), name));
}

/* --- links of a row --- */

static bool has_text_in(const json_t *array, const json_t *text)
{
    for (size_t i = 0; i < json_array_size(array); i++)
        if (json_equal(json_array_get(array, i), text))
            return true;
    return false;
}

/* Scrapy gives each URL once unless told otherwise. */
static bool wants_unique(const json_t *row)
{
    bool repeated = json_is_false(json_object_get(json_object_get(row, "options"), "unique"));
    return strcmp(jsonl_text(row, "source"), "scrapy") == 0 && !repeated;
}

static bool link_counts(const json_t *row, const crawl_link *link, unsigned kinds)
{
    bool meta = has_option(row, "obey_meta_robots") && (crawl_page_robots(page) & CRAWL_ROBOTS_NOFOLLOW);
    bool rel = has_option(row, "obey_rel_nofollow") && link->nofollow;
    return (link->kind & kinds) && !meta && !rel;
}

/* Returns the links that count in the row, absolute, as a JSON array. nofollow: only links marked nofollow. */
static json_t *found_links(const json_t *row, unsigned kinds, bool nofollow)
{
    bool unique = wants_unique(row);
    json_t *found = json_array();
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    for (size_t i = 0; i < count; i++) {
        if ((nofollow && !links[i].nofollow) || !link_counts(row, &links[i], kinds) || !resolve(links[i].href))
            continue;
        crawl_slice href = crawl_url_href(link_url);
        json_t *text = json_stringn(href.data, href.size);
        if (!unique || !has_text_in(found, text))
            json_array_append(found, text);
        json_decref(text);
    }
    return found;
}

/* Returns the URLs of expect as the URL standard writes them. */
static json_t *wanted_links(const json_t *expect)
{
    json_t *wanted = json_array();
    for (size_t i = 0; i < json_array_size(expect); i++) {
        const char *text = json_string_value(json_array_get(expect, i));
        cr_assert_eq(crawl_url_parse(expected_url, crawl_slice_from(text), NULL, NULL), CRAWL_OK, "%s", text);
        crawl_slice href = crawl_url_href(expected_url);
        json_array_append_new(wanted, json_stringn(href.data, href.size));
    }
    return wanted;
}

static bool contains(const json_t *all, const json_t *some)
{
    for (size_t i = 0; i < json_array_size(some); i++)
        if (!has_text_in(all, json_array_get(some, i)))
            return false;
    return true;
}

static bool compare(const char *id, const char *mode, json_t *found, json_t *wanted)
{
    bool same = contains(found, wanted);
    if (strcmp(mode, "exact-order") == 0)
        same = json_equal(found, wanted);
    else if (strcmp(mode, "exact-set") == 0)
        same = same && contains(wanted, found);
    if (!same && !difference(id)) {
        char *got = json_dumps(found, 0);
        char *expected = json_dumps(wanted, 0);
        printf("%s: got %s, expected %s\n", id, got, expected);
        free(got);
        free(expected);
    }
    json_decref(found);
    json_decref(wanted);
    return same;
}

static bool check_page(jsonl *file, const json_t *row, unsigned kinds)
{
    const char *id = jsonl_text(row, "id");
    parse_row(file, row);
    bool same = compare(id, jsonl_text(row, "mode"), found_links(row, kinds, false),
                        wanted_links(json_object_get(row, "expect")));
    const json_t *nofollow = json_object_get(row, "nofollow");
    if (same && nofollow)
        same = compare(id, "exact-set", found_links(row, kinds, true), wanted_links(nofollow));
    return same;
}

EACH(pages)
{
    jsonl *file = jsonl_open("links/pages.jsonl");
    tally t = {0};
    for (const json_t *row; (row = jsonl_next(file));) {
        unsigned kinds = row_kinds(file, row);
        if (kinds)
            count_row(&t, jsonl_text(row, "id"), check_page(file, row, kinds));
        else
            t.skipped++;
    }
    report("links/pages", &t);
}

/* --- base --- */

static bool check_base(const json_t *row)
{
    const char *expected = jsonl_text(row, "expected");
    const crawl_url *base = crawl_page_base(page);
    bool same = base ? *expected && crawl_url_copy(link_url, base) == CRAWL_OK && is_expected(expected) : !*expected;
    if (!same) {
        crawl_slice got = base ? crawl_url_href(base) : crawl_slice_from("none");
        printf("%s: got %.*s, expected %s\n", jsonl_text(row, "id"), (int)got.size, got.data, expected);
    }
    return same;
}

EACH(base_url)
{
    jsonl *file = jsonl_open("links/base-url.jsonl");
    tally t = {0};
    for (const json_t *row; (row = jsonl_next(file));) {
        parse_row(file, row);
        count_row(&t, jsonl_text(row, "id"), check_base(row));
    }
    report("links/base-url", &t);
}

/* --- refresh --- */

static bool check_refresh(const json_t *row)
{
    const char *expected = jsonl_text(row, "expected");
    double delay = 0;
    crawl_slice href = {0};
    bool there = crawl_page_refresh(page, &delay, &href);
    bool same = !there && !expected;
    if (there && expected)
        same = resolve(href) && is_expected(expected) && delay == json_number_value(json_object_get(row, "delay"));
    if (!same && !difference(jsonl_text(row, "id")))
        printf("%s: got %g %.*s, expected %s\n", jsonl_text(row, "id"), delay, (int)href.size,
               href.data ? href.data : "", expected ? expected : "none");
    return same;
}

/* Some rows ignore refreshes in <noscript>, which this project sees. They contain none, so all rows apply. */
EACH(meta_refresh)
{
    jsonl *file = jsonl_open("links/meta-refresh.jsonl");
    tally t = {0};
    for (const json_t *row; (row = jsonl_next(file));) {
        parse_row(file, row);
        count_row(&t, jsonl_text(row, "id"), check_refresh(row));
    }
    report("links/meta-refresh", &t);
}

/* Tests canonical forms: which URLs are the same page, IPv4 addresses and dot segments as in web archives, and that the
 * canonical form of a canonical form is itself. */
#include "tests/support/jsonl.h"

#include "parse/url/ip.h"

#include <crawl/url.h>

#include <criterion/criterion.h>
#include <stdio.h>

/* False: input has no canonical form. */
static bool canonical(crawl_slice input, crawl_buf *out)
{
    crawl_url *url = crawl_url_create();
    cr_assert(url);
    crawl_buf_clear(out);
    bool is = !crawl_url_parse(url, input, NULL, NULL) && !crawl_url_canonical(url, out);
    crawl_url_free(url);
    return is;
}

Test(canonical, pairs)
{
    jsonl *file = jsonl_open("canon/pairs.jsonl");
    crawl_buf a = {0};
    crawl_buf b = {0};
    for (const json_t *row; (row = jsonl_next(file));) {
        bool are = canonical(jsonl_bytes(file, row, "a"), &a) && canonical(jsonl_bytes(file, row, "b"), &b);
        bool same = json_is_true(json_object_get(row, "same"));
        if (!are || crawl_slice_equal(crawl_buf_slice(&a), crawl_buf_slice(&b)) != same)
            jsonl_fail(row, "canonical", crawl_buf_slice(&a));
    }
    jsonl_expect(45);
    crawl_buf_free(&a);
    crawl_buf_free(&b);
}

static crawl_canonical_options w3lib_options(const json_t *row)
{
    const json_t *options = json_object_get(row, "options");
    return (crawl_canonical_options){
        .size = sizeof(crawl_canonical_options),
        .profile = CRAWL_PROFILE_W3LIB,
        .charset = json_string_value(json_object_get(options, "encoding")),
        .keep_fragment = json_is_true(json_object_get(options, "keep_fragments")),
        .drop_blank = json_is_false(json_object_get(options, "keep_blank_values")),
    };
}

Test(canonical, profile_w3lib)
{
    jsonl *file = jsonl_open("canon/w3lib.jsonl");
    crawl_buf got = {0};
    for (const json_t *row; (row = jsonl_next(file));) {
        crawl_canonical_options options = w3lib_options(row);
        crawl_buf_clear(&got);
        if (crawl_text_canonical(jsonl_bytes(file, row, "url"), &options, &got) ||
            !crawl_slice_equal(crawl_buf_slice(&got), jsonl_bytes(file, row, "expected")))
            jsonl_fail(row, "canonical", crawl_buf_slice(&got));
    }
    jsonl_expect(51);
    crawl_buf_free(&got);
}

/* Rows of w3lib where the default profile differs, each with the rule that makes it differ. */
static const struct {
    const char *id;
    const char *rule;
} not_default[] = {
    {"w3lib-014", "a label that is not ASCII is mapped, though an empty one stands beside it"},
    {"w3lib-015", "labels may be longer than 63 bytes"},
    {"w3lib-021", "latin1 is windows-1252, which has the euro sign"},
    {"w3lib-022", "what the charset lacks is a character reference"},
    {"w3lib-025", "parameters without a value are kept"},
    {"w3lib-027", "parameters without a value are kept"},
    {"w3lib-038", "escapes of reserved characters are kept"},
    {"w3lib-045", "no fragment"},
    {"w3lib-048", "no fragment"},
    {"w3lib-052", "no fragment"},
    {"w3lib-054", "no fragment"},
    {"w3lib-055", "a relative reference is no URL"},
    {"w3lib-056", "a relative reference is no URL"},
    {"w3lib-072", "http and https only"},
};

static bool differs_by_default(const char *id)
{
    for (size_t i = 0; i < sizeof not_default / sizeof *not_default; i++)
        if (strcmp(id, not_default[i].id) == 0)
            return true;
    return false;
}

Test(canonical, default_profile_where_it_agrees_with_w3lib)
{
    jsonl *file = jsonl_open("canon/w3lib.jsonl");
    crawl_buf got = {0};
    unsigned agreeing = 0;
    for (const json_t *row; (row = jsonl_next(file));) {
        const crawl_canonical_options options = {.size = sizeof options, .charset = w3lib_options(row).charset};
        crawl_buf_clear(&got);
        crawl_err err = crawl_text_canonical(jsonl_bytes(file, row, "url"), &options, &got);
        bool same = !err && crawl_slice_equal(crawl_buf_slice(&got), jsonl_bytes(file, row, "expected"));
        agreeing += same;
        if (same == differs_by_default(jsonl_text(row, "id")))
            jsonl_fail(row, "canonical", crawl_buf_slice(&got));
    }
    cr_expect_eq(jsonl_failures(), 0);
    cr_expect_eq(agreeing, 37);
    crawl_buf_free(&got);
}

static bool parses_as_ipv4(crawl_url *url, crawl_slice host, crawl_slice expected)
{
    crawl_buf text = {0};
    cr_assert_eq(crawl_buf_printf(&text, "http://%.*s/", (int)host.size, host.data), CRAWL_OK);
    crawl_err err = crawl_url_parse(url, crawl_buf_slice(&text), NULL, NULL);
    crawl_buf_free(&text);
    if (expected.data)
        return !err && crawl_slice_equal(crawl_url_hostname(url), expected);
    /* No address: the host is refused, or is a domain. */
    return err || !cw_url_ends_in_number(crawl_url_hostname(url));
}

Test(canonical, ipv4_forms)
{
    jsonl *file = jsonl_open("canon/ipv4-forms.jsonl");
    crawl_url *url = crawl_url_create();
    for (const json_t *row; (row = jsonl_next(file));)
        if (!parses_as_ipv4(url, jsonl_bytes(file, row, "host"), jsonl_bytes(file, row, "ipv4")))
            jsonl_fail(row, "canonical", crawl_url_hostname(url));
    jsonl_expect(47);
    crawl_url_free(url);
}

Test(canonical, dot_segments)
{
    jsonl *file = jsonl_open("canon/path-dots.jsonl");
    crawl_url *url = crawl_url_create();
    crawl_buf text = {0};
    for (const json_t *row; (row = jsonl_next(file));) {
        crawl_slice path = jsonl_bytes(file, row, "path");
        crawl_buf_clear(&text);
        cr_assert_eq(crawl_buf_printf(&text, "http://h%.*s", (int)path.size, path.data), CRAWL_OK);
        crawl_err err = crawl_url_parse(url, crawl_buf_slice(&text), NULL, NULL);
        if (err || !crawl_slice_equal(crawl_url_path(url), jsonl_bytes(file, row, "expected")))
            jsonl_fail(row, "canonical", crawl_url_path(url));
    }
    jsonl_expect(244);
    crawl_buf_free(&text);
    crawl_url_free(url);
}

/* Tries every URL in the data files. */
Test(canonical, is_idempotent)
{
    static const struct {
        const char *file;
        const char *field;
    } sources[] = {
        {"url/http-cases.jsonl", "input"}, {"url/http-cases.jsonl", "href"},
        {"canon/pairs.jsonl", "a"},        {"canon/pairs.jsonl", "b"},
        {"canon/w3lib.jsonl", "url"},      {"canon/safebrowsing.jsonl", "url"},
        {"canon/surt-keys.jsonl", "url"},  {"canon/ia-canonicalizer.jsonl", "input"},
    };
    crawl_buf once = {0};
    crawl_buf twice = {0};
    unsigned urls = 0;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        if (jsonl_is_own() && !jsonl_is_here(sources[i].file))
            continue;
        jsonl *file = jsonl_open(sources[i].file);
        for (const json_t *row; (row = jsonl_next(file));) {
            crawl_slice input = jsonl_bytes(file, row, sources[i].field);
            if (!input.data || !canonical(input, &once))
                continue;
            urls++;
            if (!canonical(crawl_buf_slice(&once), &twice) ||
                !crawl_slice_equal(crawl_buf_slice(&once), crawl_buf_slice(&twice)))
                jsonl_fail(row, "canonical", crawl_buf_slice(&twice));
        }
    }
    cr_expect_eq(jsonl_failures(), 0, "in %u URLs", urls);
    cr_expect_geq(urls, jsonl_is_own() ? 150 : 400);
    crawl_buf_free(&once);
    crawl_buf_free(&twice);
}

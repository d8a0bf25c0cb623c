/* Tests the keys of web archives and the rules that make them, each row with the function that its source tests. */
#include "tests/support/jsonl.h"

#include "parse/canonical/canonical.h"

#include <crawl/url.h>

#include <criterion/criterion.h>
#include <stdio.h>

static crawl_err key(crawl_slice text, crawl_buf *out)
{
    const crawl_canonical_options options = {.size = sizeof options, .profile = CRAWL_PROFILE_SURT};
    return crawl_text_canonical(text, &options, out);
}

Test(surt, keys)
{
    jsonl *file = jsonl_open("canon/surt-keys.jsonl");
    crawl_buf got = {0};
    for (const json_t *row; (row = jsonl_next(file));) {
        crawl_buf_clear(&got);
        if (key(jsonl_bytes(file, row, "url"), &got) ||
            !crawl_slice_equal(crawl_buf_slice(&got), jsonl_bytes(file, row, "expected")))
            jsonl_fail(row, "surt", crawl_buf_slice(&got));
    }
    jsonl_expect(19);
    crawl_buf_free(&got);
}

typedef crawl_err (*function)(crawl_slice input, crawl_buf *out);

typedef struct function_row {
    const char *name;
    function call;
} function_row;

static function find(const function_row *functions, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].call;
    cr_assert_fail("unknown function %s", name);
    return NULL;
}

static bool is_among(const char *id, const char *const *ids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(id, ids[i]) == 0)
            return true;
    return false;
}

/* Rows in differing are expected to differ. If one agrees, that is a failure too, so the list stays exact. Returns the
 * number of rows whose function is left out. */
static size_t check_functions(const char *name, const function_row *functions, size_t count,
                              const char *const *differing, size_t differing_count, unsigned expected_rows)
{
    jsonl *file = jsonl_open(name);
    crawl_buf got = {0};
    size_t left_out = 0;
    for (const json_t *row; (row = jsonl_next(file));) {
        function call = find(functions, count, jsonl_text(row, "function"));
        if (!call) {
            left_out++;
            continue;
        }
        crawl_buf_clear(&got);
        crawl_err err = call(jsonl_bytes(file, row, "input"), &got);
        bool same = !err && crawl_slice_equal(crawl_buf_slice(&got), jsonl_bytes(file, row, "expected"));
        if (same == is_among(jsonl_text(row, "id"), differing, differing_count))
            jsonl_fail(row, "surt", crawl_buf_slice(&got));
    }
    jsonl_expect(expected_rows);
    crawl_buf_free(&got);
    return left_out;
}

/* The parts are written with the scheme before them, which keys of archives do not have. */
static crawl_err surt_without_comma(crawl_slice input, crawl_buf *out)
{
    cw_canonical_parts url = {0};
    crawl_err err = cw_canonical_split(input, &url);
    if (!err)
        err = crawl_buf_append_text(out, "http://(");
    if (!err)
        err = cw_canonical_write_surt(&url, out);
    cw_canonical_parts_free(&url);
    return err;
}

/* Keys of archives have no scheme, no user and no comma at the end of a host, and labels of an address in reverse: the
 * forms that differ from this are not written. */
Test(surt, forms)
{
    static const function_row functions[] = {
        {"ssurtHost", NULL},         {"reverseHost", cw_canonical_reverse_host},       {"ssurt", NULL}, {"surt", NULL},
        {"surtWithoutScheme", NULL}, {"surtWithoutTrailingComma", surt_without_comma},
    };
    size_t left_out =
        check_functions("canon/ssurt.jsonl", functions, sizeof functions / sizeof *functions, NULL, 0, 37);
    cr_expect_eq(left_out, jsonl_is_own() ? 0 : 27);
}

typedef crawl_err (*rules)(cw_canonical_parts *url);

static crawl_err by_rules(crawl_slice input, rules first, rules second, crawl_buf *out)
{
    cw_canonical_parts url = {0};
    crawl_err err = cw_canonical_read(input, &url);
    if (!err)
        err = first(&url);
    if (!err && second)
        err = second(&url);
    if (!err)
        err = cw_canonical_write(&url, out);
    cw_canonical_parts_free(&url);
    return err;
}

static crawl_err google(crawl_slice input, crawl_buf *out)
{
    return by_rules(input, cw_canonical_google, NULL, out);
}

static crawl_err ia(crawl_slice input, crawl_buf *out)
{
    return by_rules(input, cw_canonical_ia, NULL, out);
}

static crawl_err default_ia(crawl_slice input, crawl_buf *out)
{
    return by_rules(input, cw_canonical_google, cw_canonical_ia, out);
}

static crawl_err unescape_repeatedly(crawl_slice input, crawl_buf *out)
{
    crawl_err err = crawl_buf_append(out, input.data, input.size);
    cw_canonical_unescape_repeatedly(out);
    return err;
}

static crawl_err sort_query(crawl_slice input, crawl_buf *out)
{
    crawl_err err = crawl_buf_append(out, input.data, input.size);
    return err ? err : cw_canonical_sort_query(out);
}

static crawl_err massage_host(crawl_slice input, crawl_buf *out)
{
    crawl_err err = crawl_buf_append(out, input.data, input.size);
    cw_canonical_massage_host(out);
    return err;
}

static crawl_err strip_path_session(crawl_slice input, crawl_buf *out)
{
    crawl_err err = crawl_buf_append(out, input.data, input.size);
    cw_canonical_strip_path_session(out);
    return err;
}

Test(surt, rules_of_archives)
{
    static const function_row functions[] = {
        {"Canonicalizer.DefaultIA", default_ia},
        {"Canonicalizer.IA", ia},
        {"google", google},
        {"googleSupplementalFromSurt", google},
        {"unescapeRepeatedly", unescape_repeatedly},
        {"alphaRorderQuery", sort_query},
        {"massageHost", massage_host},
        {"stripPathSessionId", strip_path_session},
        {"defaultIASurt", key},
    };
    /* The two archives' programs have different keys for a record about a DNS name. This project follows surt-keys. */
    static const char *const differing[] = {"ia-084", "ia-085"};
    cr_expect_eq(check_functions("canon/ia-canonicalizer.jsonl", functions, sizeof functions / sizeof *functions,
                                 differing, 2, 66),
                 0);
}

/* Tests the URL standard's own cases (web-platform-tests): every part of every URL, and queries in the document's
 * encoding. */
#include "tests/support/jsonl.h"

#include <crawl/url.h>

#include <criterion/criterion.h>
#include <stdio.h>

typedef struct fixture {
    crawl_url *url;
    crawl_url *base;
    crawl_buf text;
} fixture;

static fixture start(void)
{
    fixture f = {.url = crawl_url_create(), .base = crawl_url_create()};
    cr_assert(f.url && f.base);
    return f;
}

static void finish(fixture *f)
{
    crawl_url_free(f->url);
    crawl_url_free(f->base);
    crawl_buf_free(&f->text);
}

static crawl_slice joined(fixture *f, const char *before, crawl_slice part, const char *after)
{
    crawl_buf_clear(&f->text);
    cr_assert_eq(crawl_buf_append_text(&f->text, before), CRAWL_OK);
    cr_assert_eq(crawl_buf_append(&f->text, part.data, part.size), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&f->text, after), CRAWL_OK);
    return crawl_buf_slice(&f->text);
}

/* The functions below return the parts as in the standard's API, with their delimiters. */
static crawl_slice protocol(fixture *f)
{
    return joined(f, "", crawl_url_scheme(f->url), ":");
}

static crawl_slice username(fixture *f)
{
    return crawl_url_username(f->url);
}

static crawl_slice password(fixture *f)
{
    return crawl_url_password(f->url);
}

static crawl_slice hostname(fixture *f)
{
    return crawl_url_hostname(f->url);
}

static crawl_slice port(fixture *f)
{
    return crawl_url_port(f->url);
}

static crawl_slice host(fixture *f)
{
    crawl_slice digits = crawl_url_port(f->url);
    joined(f, "", crawl_url_hostname(f->url), digits.size ? ":" : "");
    cr_assert_eq(crawl_buf_append(&f->text, digits.data, digits.size), CRAWL_OK);
    return crawl_buf_slice(&f->text);
}

static crawl_slice pathname(fixture *f)
{
    return crawl_url_path(f->url);
}

static crawl_slice search(fixture *f)
{
    crawl_slice query = crawl_url_query(f->url);
    return joined(f, query.size ? "?" : "", query, "");
}

static crawl_slice hash(fixture *f)
{
    crawl_slice fragment = crawl_url_fragment(f->url);
    return joined(f, fragment.size ? "#" : "", fragment, "");
}

static crawl_slice href(fixture *f)
{
    return crawl_url_href(f->url);
}

static crawl_slice origin(fixture *f)
{
    crawl_buf_clear(&f->text);
    if (crawl_url_origin(f->url, &f->text))
        return crawl_slice_from("null");
    return crawl_buf_slice(&f->text);
}

static const struct {
    const char *name;
    crawl_slice (*get)(fixture *f);
} parts[] = {
    {"href", href},         {"protocol", protocol}, {"username", username}, {"password", password}, {"host", host},
    {"hostname", hostname}, {"port", port},         {"pathname", pathname}, {"search", search},     {"hash", hash},
};

static void check_parts(fixture *f, jsonl *file, const json_t *row)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        crawl_slice expected = jsonl_bytes(file, row, parts[i].name);
        if (!expected.data && jsonl_is_own()) /* the project's own rows have only the parts they are about */
            continue;
        cr_assert(expected.data, "row without %s", parts[i].name);
        crawl_slice got = parts[i].get(f);
        if (!crawl_slice_equal(got, expected))
            jsonl_fail(row, parts[i].name, got);
    }
}

/* crawl_url_origin covers only http and https. */
static void check_origin(fixture *f, jsonl *file, const json_t *row)
{
    crawl_slice expected = jsonl_bytes(file, row, "origin");
    bool http = crawl_url_is_http(f->url);
    if (expected.data && http && !crawl_slice_equal(origin(f), expected))
        jsonl_fail(row, "origin", origin(f));
    crawl_buf scratch = {0};
    crawl_slice cut;
    crawl_err err = crawl_href_origin(crawl_url_request(f->url), &scratch, &cut);
    if (http ? err || !crawl_slice_equal(cut, origin(f)) : err != CRAWL_EINVAL)
        jsonl_fail(row, "origin of href", err ? crawl_slice_from(crawl_strerror(err)) : cut);
    crawl_buf_free(&scratch);
}

/* Parsing the serialization gives the same URL. */
static void check_again(fixture *f, const json_t *row)
{
    cr_assert_eq(crawl_url_copy(f->base, f->url), CRAWL_OK);
    if (crawl_url_parse(f->url, crawl_url_href(f->base), NULL, NULL) ||
        !crawl_slice_equal(href(f), crawl_url_href(f->base)))
        jsonl_fail(row, "parsed again", href(f));
}

/* A failure marked relativeTo fails only without a base: web-platform-tests use the mark for references that
 * resolve. */
static const crawl_url *base_of(fixture *f, jsonl *file, const json_t *row)
{
    crawl_slice base = jsonl_bytes(file, row, "base");
    if (!base.data)
        return NULL;
    cr_assert_eq(crawl_url_parse(f->base, base, NULL, NULL), CRAWL_OK);
    return f->base;
}

static void check_case(fixture *f, jsonl *file, const json_t *row)
{
    const char *kind = jsonl_text(row, "kind");
    crawl_slice input = jsonl_bytes(file, row, "input");
    crawl_err err = crawl_url_parse(f->url, input, base_of(f, file, row), NULL);
    if (strcmp(kind, "failure") == 0) {
        if (err != CRAWL_EPARSE)
            jsonl_fail(row, "no failure", href(f));
        return;
    }
    if (err) {
        jsonl_fail(row, "failure", crawl_slice_from(crawl_strerror(err)));
        return;
    }
    if (crawl_url_is_http(f->url) != (strcmp(kind, "http") == 0))
        jsonl_fail(row, "is_http", crawl_url_scheme(f->url));
    check_parts(f, file, row);
    check_origin(f, file, row);
    check_again(f, row);
}

Test(url, standard_cases)
{
    jsonl *file = jsonl_open("url/http-cases.jsonl");
    fixture f = start();
    for (const json_t *row; (row = jsonl_next(file));)
        check_case(&f, file, row);
    jsonl_expect(343);
    finish(&f);
}

static void check_encoding(fixture *f, jsonl *file, const json_t *row)
{
    crawl_slice input = jsonl_bytes(file, row, "input");
    joined(f, "https://h/?", input, "#");
    cr_assert_eq(crawl_buf_append(&f->text, input.data, input.size), CRAWL_OK);
    cr_assert_eq(crawl_url_parse(f->url, crawl_buf_slice(&f->text), NULL, jsonl_text(row, "document_encoding")),
                 CRAWL_OK);
    if (!crawl_slice_equal(crawl_url_query(f->url), jsonl_bytes(file, row, "query")))
        jsonl_fail(row, "query", crawl_url_query(f->url));
    if (!crawl_slice_equal(crawl_url_fragment(f->url), jsonl_bytes(file, row, "fragment")))
        jsonl_fail(row, "fragment", crawl_url_fragment(f->url));
}

Test(url, query_in_the_encoding_of_the_document)
{
    jsonl *file = jsonl_open("url/query-encoding.jsonl");
    fixture f = start();
    for (const json_t *row; (row = jsonl_next(file));)
        check_encoding(&f, file, row);
    jsonl_expect(16);
    finish(&f);
}

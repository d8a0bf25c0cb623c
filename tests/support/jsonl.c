/* See jsonl.h. */
#include "tests/support/jsonl.h"

#include "base/bytes.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIELDS = 8 };

struct jsonl {
    FILE *file;
    char *line;
    size_t capacity;
    json_t *row;
    crawl_buf decoded[FIELDS]; /* of x_hex fields, used in turn */
    unsigned used;
};

/* The cases of the outside suites, so that a skipped test can print their number. */
static const struct {
    const char *name;
    unsigned cases;
} outside[] = {
    {"bloom/classic.jsonl", 34},
    {"bloom/exact-small.jsonl", 5},
    {"bloom/sizing.jsonl", 6},
    {"canon/ia-canonicalizer.jsonl", 66},
    {"canon/ipv4-forms.jsonl", 47},
    {"canon/pairs.jsonl", 45},
    {"canon/path-dots.jsonl", 244},
    {"canon/safebrowsing-ipv4.jsonl", 11},
    {"canon/safebrowsing.jsonl", 52},
    {"canon/ssurt.jsonl", 37},
    {"canon/surt-keys.jsonl", 19},
    {"canon/w3lib.jsonl", 51},
    {"charset/content-type.jsonl", 17},
    {"charset/declared.jsonl", 6},
    {"fingerprint/scrapy-generated.jsonl", 168},
    {"fingerprint/scrapy-known.jsonl", 10},
    {"links/base-url.jsonl", 12},
    {"links/meta-refresh.jsonl", 16},
    {"links/pages.jsonl", 121},
    {"robots/agent-tokens.jsonl", 9},
    {"robots/google-lines.jsonl", 10},
    {"robots/google.jsonl", 145},
    {"robots/pattern-escape.jsonl", 4},
    {"robots/rfc9309-status.jsonl", 19},
    {"robots/rfc9309.jsonl", 45},
    {"robots/url-to-path.jsonl", 19},
    {"sitemaps/cases.jsonl", 6},
    {"url/http-cases.jsonl", 343},
    {"url/query-encoding.jsonl", 16},
};

static unsigned cases_of(const char *name)
{
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        if (strcmp(name, outside[i].name) == 0)
            return outside[i].cases;
    fprintf(stderr, "%s is not in the table of outside suites\n", name);
    abort();
}

/* Counters of this test, which is its own process. */
static unsigned rows_read;
static unsigned failures;

bool jsonl_is_own(void)
{
    return getenv("CRAWL_OWN_ROWS") != NULL;
}

const char *jsonl_folder(void)
{
    const char *folder = getenv(jsonl_is_own() ? "CRAWL_OWN_ROWS" : "CRAWL_CONFORMANCE");
    return folder ? folder : "";
}

bool jsonl_has_rows(unsigned rows, unsigned expected)
{
    return jsonl_is_own() ? rows > 0 : rows == expected;
}

static bool is_here(const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s", jsonl_folder(), name);
    return access(jsonl_is_own() ? path : jsonl_folder(), R_OK) == 0;
}

bool jsonl_is_here(const char *name)
{
    char path[PATH_MAX];
    return is_here(name, path);
}

jsonl *jsonl_open(const char *name)
{
    char path[PATH_MAX];
    if (!is_here(name, path))
        cr_skip_test("%u %scases of %s are not here", cases_of(name), jsonl_is_own() ? "outside " : "", name);
    jsonl *file = calloc(1, sizeof *file);
    if (file)
        file->file = fopen(path, "r");
    if (!file || !file->file) {
        perror(path);
        abort();
    }
    return file;
}

void jsonl_fail(const json_t *row, const char *what, crawl_slice got)
{
    char *text = json_dumps(row, JSON_COMPACT);
    fprintf(stderr, "%s: got \"%.*s\" for %.600s\n", what, (int)got.size, got.data ? got.data : "", text);
    free(text);
    failures++;
}

unsigned jsonl_failures(void)
{
    return failures;
}

void jsonl_expect_rows(unsigned rows, unsigned expected)
{
    cr_expect_eq(failures, 0, "%u failures in %u rows", failures, rows);
    cr_expect(jsonl_has_rows(rows, expected), "%u rows", rows);
}

void jsonl_expect(unsigned rows)
{
    jsonl_expect_rows(rows_read, rows);
}

static void close_file(jsonl *file)
{
    fclose(file->file);
    free(file->line);
    for (unsigned i = 0; i < FIELDS; i++)
        crawl_buf_free(&file->decoded[i]);
    free(file);
}

const json_t *jsonl_next(jsonl *file)
{
    json_decref(file->row);
    file->row = NULL;
    file->used = 0;
    ssize_t size = getline(&file->line, &file->capacity, file->file);
    if (size < 0) {
        close_file(file);
        return NULL;
    }
    rows_read++;
    json_error_t error;
    file->row = json_loadb(file->line, (size_t)size, JSON_ALLOW_NUL, &error);
    if (!file->row) {
        fprintf(stderr, "conformance row: %s\n", error.text);
        abort();
    }
    return file->row;
}

crawl_slice jsonl_bytes(jsonl *file, const json_t *row, const char *field)
{
    json_t *value = json_object_get(row, field);
    if (json_is_string(value))
        return crawl_slice_of(json_string_value(value), json_string_length(value));
    char name[64];
    snprintf(name, sizeof name, "%s_hex", field);
    const char *digits = jsonl_text(row, name);
    if (!digits)
        return (crawl_slice){0};
    crawl_buf *buf = &file->decoded[file->used++ % FIELDS];
    crawl_buf_clear(buf);
    if (cw_hex_decode(crawl_slice_from(digits), buf) || crawl_buf_reserve(buf, 1))
        abort();
    return crawl_buf_slice(buf);
}

const char *jsonl_text(const json_t *row, const char *field)
{
    return json_string_value(json_object_get(row, field));
}

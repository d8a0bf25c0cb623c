/* Tests charsets of Content-Type values and pages with the data in charset/. Its names are Python's; each is a WHATWG
 * label too. */
#include "parse/charset/charset.h"
#include "tests/support/jsonl.h"

#include <crawl/links.h>

#include <criterion/criterion.h>
#include <stdio.h>

static const char *expected_name(const json_t *row)
{
    const char *python = jsonl_text(row, "charset");
    if (!python)
        return NULL;
    const char *name = crawl_charset_name(crawl_slice_from(python));
    cr_assert(name, "%s is no label", python);
    return name;
}

static bool agrees(const json_t *row, const char *got)
{
    const char *expected = expected_name(row);
    bool same = got && expected ? strcmp(got, expected) == 0 : got == expected;
    if (!same)
        printf("%s: got %s, expected %s\n", jsonl_text(row, "id"), got ? got : "none", expected ? expected : "none");
    return same;
}

Test(charset, content_type)
{
    jsonl *file = jsonl_open("charset/content-type.jsonl");
    unsigned rows = 0;
    unsigned failed = 0;
    for (const json_t *row; (row = jsonl_next(file)); rows++)
        failed += !agrees(row, crawl_charset_of_content_type(jsonl_bytes(file, row, "content_type")));
    printf("charset/content-type: %u of %u rows\n", rows - failed, rows);
    cr_expect_eq(failed, 0);
    cr_expect_gt(rows, 0);
}

/* Tests only the declaration, without the default for pages that have none. */
Test(charset, declared)
{
    jsonl *file = jsonl_open("charset/declared.jsonl");
    unsigned rows = 0;
    unsigned failed = 0;
    for (const json_t *row; (row = jsonl_next(file)); rows++)
        failed += !agrees(row, cw_charset_prescan(jsonl_bytes(file, row, "html")));
    printf("charset/declared: %u of %u rows\n", rows - failed, rows);
    cr_expect_eq(failed, 0);
    cr_expect_gt(rows, 0);
}

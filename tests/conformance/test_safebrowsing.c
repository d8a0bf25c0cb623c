/* Tests the canonical URLs of Google Safe Browsing: which of them the default profile and the URL standard share, and
 * the rules of web archives, which begin with them. */
#include "tests/support/jsonl.h"

#include "parse/canonical/canonical.h"
#include "parse/url/ip.h"

#include <crawl/url.h>

#include <criterion/criterion.h>
#include <stdio.h>

typedef struct difference {
    const char *id;
    const char *rule; /* that makes it differ */
} difference;

static bool is_among(const char *id, const difference *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(id, list[i].id) == 0)
            return true;
    return false;
}

#define IS_AMONG(id, list) is_among(id, list, sizeof(list) / sizeof *(list))

static const char once[] = "escapes are decoded once, and those of \"%\" kept";
static const char host[] = "no host by the standard: an escaped or forbidden character";
static const char query[] = "the query is part of the page";
static const char slashes[] = "slashes before the host are skipped";

/* Rows where the default profile differs. A row without an expected URL means that the URL is refused. */
static const difference by_default[] = {
    {"gsb-02", host},
    {"gsb-03", once},
    {"gsb-04", once},
    {"gsb-05", once},
    {"gsb-06", once},
    {"gsb-07", once},
    {"gsb-12", "dots at the end of a host are kept"},
    {"gsb-15", query},
    {"gsb-16", query},
    {"gsb-19", query},
    {"gsb-20", host},
    {"gsb-22", "a port makes another site"},
    {"gsb-24", host},
    {"gsb-25", host},
    {"gsb-26", "a URL has a scheme"},
    {"gsb-28", "http and https only"},
    {"gsb-29", host},
    {"gsb-31", query},
    {"gsb-34", "a URL has a scheme"},
    {"gsb-35", host},
    {"gsb-46", slashes},
    {"gsb-48", slashes},
    {"gsb-49", slashes},
    {"gsb-50", slashes},
};

/* Rows where the rules of archives differ. These refuse nothing, so rows without an expected URL do not apply. */
static const difference by_archives[] = {
    {"gsb-29", "digits of escapes are upper case, as in the archives' own tests"},
    {"gsb-34", "the scheme is looked for before escapes are decoded"},
};

static bool is_default(crawl_slice input, crawl_slice expected, crawl_buf *out)
{
    const crawl_canonical_options options = {.size = sizeof options};
    crawl_err err = crawl_text_canonical(input, &options, out);
    return expected.data ? !err && crawl_slice_equal(crawl_buf_slice(out), expected) : err != CRAWL_OK;
}

static bool is_archives(crawl_slice input, crawl_slice expected, crawl_buf *out)
{
    cw_canonical_parts url = {0};
    cr_assert_eq(cw_canonical_read(input, &url), CRAWL_OK);
    cr_assert_eq(cw_canonical_google(&url), CRAWL_OK);
    url.has[CW_CANONICAL_PORT] = url.has[CW_CANONICAL_QUERY] = false;
    cr_assert_eq(cw_canonical_write(&url, out), CRAWL_OK);
    cw_canonical_parts_free(&url);
    return crawl_slice_equal(crawl_buf_slice(out), expected);
}

Test(safebrowsing, canonical_urls)
{
    jsonl *file = jsonl_open("canon/safebrowsing.jsonl");
    crawl_buf got = {0};
    for (const json_t *row; (row = jsonl_next(file));) {
        const char *id = jsonl_text(row, "id");
        crawl_slice input = jsonl_bytes(file, row, "url");
        crawl_slice expected = jsonl_bytes(file, row, "expected");
        crawl_buf_clear(&got);
        if (is_default(input, expected, &got) == IS_AMONG(id, by_default))
            jsonl_fail(row, "default profile", crawl_buf_slice(&got));
        crawl_buf_clear(&got);
        if (expected.data && is_archives(input, expected, &got) == IS_AMONG(id, by_archives))
            jsonl_fail(row, "rules of archives", crawl_buf_slice(&got));
    }
    jsonl_expect(52);
    crawl_buf_free(&got);
}

Test(safebrowsing, ipv4)
{
    static const difference differing[] = {
        {"gsb-ip-03", "only the last number may be above 255"},
        {"gsb-ip-09", "nothing may stand behind an address"},
    };
    jsonl *file = jsonl_open("canon/safebrowsing-ipv4.jsonl");
    for (const json_t *row; (row = jsonl_next(file));) {
        crawl_slice input = jsonl_bytes(file, row, "host");
        crawl_slice expected = jsonl_bytes(file, row, "ipv4");
        char text[CW_URL_IPV4_MAX_TEXT + 1] = "";
        uint32_t address;
        bool is = cw_url_ends_in_number(input) && cw_url_ipv4_parse(input, &address) == CRAWL_OK;
        size_t size = is ? cw_url_ipv4_write(address, text) : 0;
        bool same = is ? crawl_slice_equal(crawl_slice_of(text, size), expected) : expected.data == NULL;
        if (same == IS_AMONG(jsonl_text(row, "id"), differing))
            jsonl_fail(row, "ipv4", crawl_slice_from(text));
    }
    jsonl_expect(11);
}

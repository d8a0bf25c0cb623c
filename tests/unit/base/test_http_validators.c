#include "base/text/http_validators.h"

#include <criterion/criterion.h>

static crawl_slice text(const char *value)
{
    return crawl_slice_from(value);
}

Test(http_validators, tags)
{
    static const struct {
        const char *value;
        bool taken;
    } tags[] = {{"\"\"", true}, {"\"a b\"", false}, {"\"ab\"", true},   {"W/\"ab\"", true},  {"w/\"ab\"", true},
                {"ab", true},   {"a,b", false},     {"a b", false},     {"\"a\"b\"", false}, {"W/", false},
                {"\"", false},  {"", false},        {"\"\xe4\"", true}, {"*", false}};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        cr_expect_eq(cw_http_etag(text(tags[i].value)).size != 0, tags[i].taken, "%s", tags[i].value);
    char longest[CW_HTTP_MAX_ETAG + 1];
    memset(longest, 'x', sizeof longest);
    longest[0] = longest[CW_HTTP_MAX_ETAG - 1] = '"';
    cr_expect_eq(cw_http_etag(crawl_slice_of(longest, CW_HTTP_MAX_ETAG)).size, CW_HTTP_MAX_ETAG);
    longest[CW_HTTP_MAX_ETAG - 1] = 'x', longest[CW_HTTP_MAX_ETAG] = '"';
    cr_expect_eq(cw_http_etag(crawl_slice_of(longest, CW_HTTP_MAX_ETAG + 1)).size, 0);
}

Test(http_validators, tags_of_one_content)
{
    static const struct {
        const char *a, *b;
        bool same;
    } rows[] = {
        {"\"1\"", "\"1\"", true},    {"W/\"1\"", "\"1\"", true},          {"\"1\"", "\"2\"", false},
        {"1", "\"1\"", true},        {"\"5-2a-gzip\"", "\"5-2a\"", true}, {"\"5-2a--gzip\"", "\"5-2a;br\"", true},
        {"\"gzip\"", "\"\"", false}, {"\"a-gzip\"", "\"b-gzip\"", false}, {"\"abr\"", "\"a\"", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(cw_http_etag_is_same(text(rows[i].a), text(rows[i].b)), rows[i].same, "%s %s", rows[i].a,
                     rows[i].b);
}

Test(http_validators, dates)
{
    enum { MINUTE = 60000 };
    int64_t date = 0;
    cr_expect_neq(cw_http_last_modified(text("Thu, 01 Jan 1970 00:01:00 GMT"), MINUTE, &date).size, 0);
    cr_expect_eq(date, MINUTE);
    cr_expect_neq(cw_http_last_modified(text("Thu, 01 Jan 1970 00:02:00 +0000"), MINUTE, &date).size, 0);
    cr_expect_eq(date, 2 * MINUTE);
    cr_expect_eq(cw_http_last_modified(text("yesterday"), MINUTE, &date).size, 0);
    cr_expect_eq(date, 2 * MINUTE);
    cr_expect_eq(cw_http_last_modified(crawl_slice_of("Thu, 01 Jan 1970 00:01:00 GMT\0x", 31), MINUTE, &date).size, 0);
}

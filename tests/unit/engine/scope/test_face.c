/* Similarities and differences of two responses of one page. */
#include "crawler/engine/scope/face.h"

#include <criterion/criterion.h>

#define ANSWERED_MS ((int64_t)1795946445 * 1000) /* 2026-11-29 10:00:45 UTC */

static bool same_of(const char *param, const char *one, const char *other)
{
    crawl_buf a = {0};
    crawl_buf b = {0};
    cr_assert_eq(cw_scope_face(crawl_slice_from(one), crawl_slice_from(param), ANSWERED_MS, &a), CRAWL_OK);
    cr_assert_eq(cw_scope_face(crawl_slice_from(other), crawl_slice_from(param), ANSWERED_MS, &b), CRAWL_OK);
    bool same = crawl_slice_equal(crawl_buf_slice(&a), crawl_buf_slice(&b));
    crawl_buf_free(&a);
    crawl_buf_free(&b);
    return same;
}

static bool same(const char *one, const char *other)
{
    return same_of("h", one, other);
}

Test(face, the_parameter_in_urls)
{
    cr_expect(same("<a href='/log?h=a&amp;id=1'>", "<a href='/log?id=1'>"));
    cr_expect(same("<a href='/log?id=1&h=a#x'>", "<a href='/log?id=1#x'>"));
    cr_expect(same("<a href=/log?h=a>log", "<a href=/log>log"));
    cr_expect(same("<a href=\"?h=\">", "<a href=\"?h=b\">"));
    cr_expect(!same("<a href='/log?id=1'>", "<a href='/log?id=2'>"));
    cr_expect(!same("<a href='/log?oh=1'>", "<a href='/log?oh=2'>"));
    cr_expect(!same("<a href='/log?hh=1'>", "<a href='/log?hh=2'>"));
    cr_expect(!same("<a href='/a?h=1'>", "<a href='/b?h=1'>"));
    cr_expect(!same("fish & h=1", "fish & h=2"));
}

Test(face, fields_of_forms)
{
    cr_expect(same("<input type=hidden name=h value=a><option selected>a", "<OPTION>a"));
    cr_expect(same("<select name=h><option value=1>x", "<select><option>x"));
    cr_expect(!same("<option>a", "<option>b"));
    cr_expect(!same("<img alt=a>", "<img alt=b>"));
    cr_expect(same("<input", "<input name=h"));
}

Test(face, the_time_of_the_answer)
{
    cr_expect(same("made at 2026-11-29 10:00:44 +0000", "made at 2026-11-29 10:00:45 +0000"));
    cr_expect(same("Sun Nov 29 15:30:40 2026", "Sun Nov 29 15:30:45 2026"));
    cr_expect(same("Sun Nov 29 15:00:40 2026", "Sun Nov 29 15:00:45 2026"));
    cr_expect(same("2026-11-30T00:00:40Z", "2026-11-30T00:00:45Z"));
    cr_expect(!same("2026-11-29 10:00:12", "2026-11-29 10:00:13"));
    cr_expect(!same("2024-11-29 10:00:44", "2024-11-29 10:00:45"));
    cr_expect(!same("2026-11-12 10:00:44", "2026-11-12 10:00:45"));
    cr_expect(!same("10:00:44", "10:00:45"));
    cr_expect(!same("2026-11-29 110:00:44", "2026-11-29 110:00:45"));
    cr_expect(!same("29 2026 10:00:4", "29 2026 10:00:5"));
}

Test(face, all_else)
{
    cr_expect(!same("price 10", "price 11"));
    cr_expect(!same("a", "ab"));
    cr_expect(same("", ""));
    cr_expect(same("?", "&"));
    cr_expect(!same("&amp", "&lt"));
}

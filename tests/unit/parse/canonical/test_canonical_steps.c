/* The steps of canonicalization, reported one by one. */
#include "tests/unit/parse/url_help.h"

typedef struct told {
    crawl_buf text; /* "what -> text\n" */
    unsigned steps;
    unsigned stop_at; /* 0: never */
} told;

static crawl_err tell(void *user, const char *what, crawl_slice text)
{
    told *t = user;
    if (++t->steps == t->stop_at)
        return CRAWL_EIO;
    return crawl_buf_printf(&t->text, "%s -> %.*s\n", what, (int)text.size, text.data);
}

static void check(const char *input, const char *base, const crawl_canonical_options *options, const char *expected)
{
    told t = {0};
    crawl_url *url = base ? parsed(base) : NULL;
    cr_expect_eq(crawl_canonical_steps(crawl_slice_from(input), url, options, tell, &t), CRAWL_OK);
    cr_expect_str_eq(t.text.data ? t.text.data : "", expected, "got %s", t.text.data);
    crawl_url_free(url);
    crawl_buf_free(&t.text);
}

Test(canonical_steps, only_what_changed)
{
    check("http://h/", NULL, NULL, "");
    check("http://h/?b=&a=", NULL, NULL, "query sorted -> http://h/?a=&b=\n");
    check("b#f", "http://h/a", NULL, "resolved by the URL standard -> http://h/b#f\nfragment dropped -> http://h/b\n");
}

Test(canonical_steps, all_of_them)
{
    crawl_drop_params *drop;
    cr_assert_eq(crawl_drop_params_create(SLICE("utm_* @sessions"), &drop, NULL), CRAWL_OK);
    const crawl_canonical_options options = {.size = sizeof options, .drop = drop};
    check("HTTP://H:80/%7e;jsessionid=1?utm_a=1&&c&b=%2b#f", NULL, &options,
          "parsed by the URL standard -> http://h/%7e;jsessionid=1?utm_a=1&&c&b=%2b#f\n"
          "fragment dropped -> http://h/%7e;jsessionid=1?utm_a=1&&c&b=%2b\n"
          "escapes of the path unified -> http://h/~;jsessionid=1?utm_a=1&&c&b=%2b\n"
          "escapes of the query unified, empty pairs dropped -> http://h/~;jsessionid=1?utm_a=1&c=&b=%2B\n"
          "parameters and session ids dropped -> http://h/~?c=&b=%2B\n"
          "query sorted -> http://h/~?b=%2B&c=\n");
    crawl_drop_params_free(drop);
}

Test(canonical_steps, other_profiles_are_one_step)
{
    const crawl_canonical_options w3lib = {.size = sizeof w3lib, .profile = CRAWL_PROFILE_W3LIB};
    const crawl_canonical_options surt = {.size = sizeof surt, .profile = CRAWL_PROFILE_SURT};
    check("http://h/a%2cb", NULL, &w3lib, "canonical form of w3lib -> http://h/a,b\n");
    check("http://www.h/a", NULL, &surt, "key of archives -> h)/a\n");
}

Test(canonical_steps, errors)
{
    told t = {.stop_at = 2};
    cr_expect_eq(crawl_canonical_steps(SLICE("HTTP://h/?b&a#f"), NULL, NULL, tell, &t), CRAWL_EIO);
    cr_expect_eq(t.steps, 2);
    cr_expect_eq(crawl_canonical_steps(SLICE("a"), NULL, NULL, tell, &t), CRAWL_EPARSE);
    cr_expect_eq(crawl_canonical_steps(SLICE("mailto:a"), NULL, NULL, tell, &t), CRAWL_EINVAL);
    crawl_buf_free(&t.text);
}

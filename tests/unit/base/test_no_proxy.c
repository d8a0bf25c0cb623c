#include "base/net.h"

#include <criterion/criterion.h>

static bool names(const char *list, const char *host)
{
    return cw_no_proxy_names(list, crawl_slice_from(host));
}

Test(no_proxy, names_and_those_below)
{
    const char *list = "example.com, .a.test *.b.test,10.0.0.1 [::1],,c.test.";
    const char *in[] = {"example.com", "www.EXAMPLE.com", "example.com.", "a.test", "x.a.test",
                        "x.b.test",    "10.0.0.1",        "[::1]",        "c.test"};
    const char *out[] = {"badexample.com", "example.com.test", "com", "10.0.0.11", "110.0.0.1", "[::2]", "", "test"};
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        cr_expect(names(list, in[i]), "%s", in[i]);
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        cr_expect_not(names(list, out[i]), "%s", out[i]);
    cr_expect(names("*", "anything"));
    cr_expect(names("::1", "[::1]"));
    cr_expect_not(names(NULL, "a"));
    cr_expect_not(names("", "a"));
}

/* Hosts that may be asked at private addresses, and ports: by seeds and by settings. */
#include "config/config_values.h"
#include "crawler/engine/host/guard.h"

#include <criterion/criterion.h>

static cw_host_guard *guard;
static crawl_url *url;

static void open_guard(const char *internal_hosts, const char *private_ports, bool allow_private)
{
    crawl_config config = {.internal_hosts = (char *)internal_hosts,
                           .private_ports = (char *)private_ports,
                           .allow_private = allow_private,
                           .trust_seeds = true};
    crawl_error error = {0};
    cr_assert_eq(cw_host_guard_create(&config, &guard, &error), CRAWL_OK, "%s", error.message);
    url = crawl_url_create();
}

static void close_guard(void)
{
    cw_host_guard_free(guard);
    crawl_url_free(url);
}

TestSuite(guard, .fini = close_guard);

static crawl_url *at(const char *text)
{
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from(text), NULL, NULL), CRAWL_OK, "%s", text);
    return url;
}

static void seed(const char *text)
{
    cr_assert_eq(cw_host_guard_name(guard, at(text)), CRAWL_OK);
}

#define ADMITTED(text) \
    cr_expect(cw_host_guard_admits(guard, at(text)), "%s: %s", text, cw_host_guard_words(guard, at(text)))
#define REFUSED(text) \
    cr_expect_not(cw_host_guard_admits(guard, at(text)), "%s: %s", text, cw_host_guard_words(guard, at(text)))

Test(guard, a_seed_opens_its_address_or_local_name_at_its_port)
{
    open_guard(NULL, NULL, false);
    static const char *const seeds[] = {"http://127.0.0.1:8080/", "http://[::1]/", "https://localhost/",
                                        "http://A.localhost.:81/x", "http://169.254.169.254/"};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        REFUSED(seeds[i]);
        seed(seeds[i]);
        ADMITTED(seeds[i]);
    }
    ADMITTED("http://2130706433:8080/y");
    REFUSED("http://127.0.0.1/");
    REFUSED("http://127.0.0.2:8080/");
    REFUSED("http://[::1]:8080/");
    REFUSED("http://localhost/");
    REFUSED("http://b.localhost:81/");
    REFUSED("http://notlocalhost/");
}

Test(guard, a_name_of_a_seed_opens_nothing)
{
    open_guard(NULL, "8080", false);
    seed("http://shop.example/");
    REFUSED("http://shop.example/");
    REFUSED("http://shop.example:8080/");
    cr_expect(cw_host_guard_names(guard, at("http://shop.example:8080/")));
    cr_expect_not(cw_host_guard_names(guard, at("http://example/")));
}

Test(guard, internal_names)
{
    open_guard("intranet *.corp.example,b\xc3\xbc"
               "cher.example. 10.0.0.1",
               NULL, false);
    ADMITTED("http://intranet/");
    ADMITTED("https://intranet./");
    ADMITTED("http://a.corp.example/");
    ADMITTED("http://b.a.corp.example/");
    ADMITTED("http://xn--bcher-kva.example/");
    ADMITTED("http://10.0.0.1/");
    REFUSED("http://corp.example/");
    REFUSED("http://acorp.example/");
    REFUSED("http://a.intranet/");
    REFUSED("http://intranet:8080/");
    seed("http://intranet:8080/");
    ADMITTED("http://intranet:8080/");
    REFUSED("http://a.corp.example:8080/");
}

Test(guard, private_ports_widen_what_is_open_and_open_no_host)
{
    open_guard("intranet", "8080-8081", false);
    seed("http://10.0.0.1/");
    ADMITTED("http://10.0.0.1:8080/");
    ADMITTED("http://intranet:8081/");
    REFUSED("http://10.0.0.1:8082/");
    REFUSED("http://10.0.0.2:8080/");
}

Test(guard, all_may_be_allowed_but_for_ports_that_browsers_block)
{
    open_guard(NULL, "25", true);
    ADMITTED("http://any.example:81/");
    ADMITTED("http://10.0.0.1/");
    cr_expect_not(cw_host_guard_opens(guard, at("http://10.0.0.1:25/")));
    seed("http://10.0.0.1:25/");
    seed("http://mail.example:25/");
    cr_expect(cw_host_guard_opens(guard, at("http://10.0.0.1:25/x")));
    cr_expect(cw_host_guard_opens(guard, at("http://mail.example:25/x")));
    cr_expect_not(cw_host_guard_opens(guard, at("http://other.example:25/")));
    cr_expect_not(cw_host_guard_opens(guard, at("https://mail.example:110/")));
    cr_expect(cw_host_guard_opens(guard, at("http://other.example/")));
}

Test(guard, seeds_of_strangers_open_nothing)
{
    crawl_config config = {.private_ports = (char *)"8080", .internal_hosts = (char *)"intranet"};
    crawl_error error = {0};
    cr_assert_eq(cw_host_guard_create(&config, &guard, &error), CRAWL_OK, "%s", error.message);
    url = crawl_url_create();
    static const char *const seeds[] = {"http://127.0.0.1/", "http://127.0.0.1:8080/", "http://[::1]/",
                                        "http://localhost/"};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        seed(seeds[i]);
        REFUSED(seeds[i]);
    }
    seed("http://mail.example:25/");
    cr_expect_not(cw_host_guard_opens(guard, at("http://mail.example:25/")));
    ADMITTED("http://intranet/");
    ADMITTED("http://intranet:8080/");
    seed("http://intranet:81/");
    REFUSED("http://intranet:81/");
}

Test(guard, settings_that_are_none)
{
    static const char *const hosts[] = {"*", "a/b", "a:80", "u@a", "*.", "a*b", "*.*.a", "a?b", "a#b", "ex<ample"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        crawl_config config = {.internal_hosts = (char *)hosts[i]};
        crawl_error error = {0};
        cr_expect_eq(cw_host_guard_create(&config, &guard, &error), CRAWL_EINVAL, "%s", hosts[i]);
        cr_expect(strstr(error.message, "politeness.internal_hosts"), "%s", error.message);
    }
    crawl_config config = {.private_ports = (char *)"80-79"};
    cr_expect_eq(cw_host_guard_create(&config, &guard, NULL), CRAWL_EINVAL);
}

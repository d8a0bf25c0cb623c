/* [host NAME] sections, headers and proxies: read, refused, printed without their secrets. */
#include "config/config.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static crawl_config config;
static crawl_error error;

static void init(void)
{
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    error = (crawl_error){0};
}

static void fini(void)
{
    cw_config_clear(&config);
}

TestSuite(hosts, .init = init, .fini = fini);

static crawl_err parse(const char *text)
{
    return cw_config_parse(&config, "c", crawl_slice_from(text), &error);
}

static char *printed(void)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(crawl_config_print(&config, out), CRAWL_OK);
    fclose(out);
    return text;
}

Test(hosts, every_key_is_read)
{
    cr_assert_eq(
        parse(
            "[host Example.COM:8080]\nheader = X-A: 1\nheader = X-B: 2\n  X-C: 3\nuser = u\npassword = p\npassword_file = f\n"
            "bearer = b\nbearer_file = bf\nproxy = direct\nclient_cert = c\nclient_key = k\nca_file = ca\ndelay = 0ms\n"
            "per_host = 7\nmax_pages = 1k\nshare = 25\nsign = asked\nform = string\n[host https://*.example.com]\ndelay = 3s\n[host [::1]:80] ; six\n"),
        CRAWL_OK, "%s", error.message);
    cr_assert_eq(config.host_count, 3);
    const crawl_host_config *host = &config.hosts[0];
    cr_expect_str_eq(host->name, "example.com:8080");
    cr_assert_eq(host->headers.count, 3);
    cr_expect_str_eq(host->headers.items[2], "X-C: 3");
    cr_expect_str_eq(host->user, "u");
    cr_expect_str_eq(host->password, "p");
    cr_expect_str_eq(host->bearer_file, "bf");
    cr_expect_str_eq(host->proxy, "direct");
    cr_expect_str_eq(host->ca_file, "ca");
    cr_expect_eq(host->delay_ms, 0);
    cr_expect_eq(host->per_host, 7);
    cr_expect_eq(host->max_pages, 1000);
    cr_expect(host->share == 25);
    cr_expect(host->sign == CRAWL_SIGN_ASKED && host->form == CRAWL_SIGNING_STRING);
    cr_expect(!config.hosts[1].sign && !config.hosts[1].form);
    cr_expect_str_eq(config.hosts[1].name, "https://*.example.com");
    cr_expect_eq(config.hosts[1].delay_ms, 3000);
    cr_expect_str_eq(config.hosts[2].name, "[::1]:80");
    cr_expect_eq(config.hosts[2].delay_ms, -1);
}

Test(hosts, of_the_key_its_path_alone_is_printed_and_what_is_unset_is_not)
{
    cr_assert_eq(
        parse("[identity]\nkey_file = k.pem\nagent = https://bot.example/\nsign = always\n[host a]\nsign = never\n"
              "[host b]\nform = string\n"),
        CRAWL_OK, "%s", error.message);
    cr_expect(config.identity_sign == CRAWL_SIGN_ALWAYS && config.identity_form == CRAWL_SIGNING_DICTIONARY);
    char *text = printed();
    cr_expect(strstr(text, "\nkey_file = k.pem\n") && strstr(text, "\nsign = always\n"), "%s", text);
    cr_expect(strstr(text, "[host a]\nsign = never\n\n[host b]\nform = string\n"), "%s", strstr(text, "[host a]"));
    free(text);
}

Test(hosts, a_later_header_takes_the_place_of_one_of_its_name)
{
    cr_assert_eq(parse("[fetch]\nheader = X-A: 1\nheader = X-B: 2\nheader = x-a: 3\n"), CRAWL_OK, "%s", error.message);
    cr_assert_eq(config.headers.count, 2);
    cr_expect_str_eq(config.headers.items[0], "x-a: 3");
}

Test(hosts, mistakes_have_their_place)
{
    const char *cases[][2] = {
        {"[host]\n", "c:1:1: a host section needs a name, as [host example.com]"},
        {"[host a]\nshar = 1\n", "c:2:1: unknown key \"host.shar\"; did you mean \"share\"?"},
        {"[hots a]\n", "c:1:1: unknown section [hots a]; did you mean [host NAME]?"},
        {"[host a]\n[host b]\n [host A]\n", "c:3:2: duplicate section [host A], first in line 1"},
        {"[host a]\nuser=1\nuser=2\n", "c:3:1: \"host.user\" is already set in line 2"},
        {"[host a]\ndelay = 1x\n", "c:2:9: host.delay = 1x: expected a duration from 0ms to 1d, as 250ms or 5s"},
        {"[host [::1]\n", "c:1:1: [host [::1]: an IPv6 address needs its closing ]"},
        {"[host a:0]\n", "c:1:1: [host a:0]: expected a port from 1 to 65535 after the host name"},
        {"[host a/b]\n",
         "c:1:1: [host a/b]: expected a host name, as example.com or *.example.com, optionally with http:// before it and a "
         "port after it"},
        {"[host *]\n", NULL},
        {"[host a*.b]\n", NULL},
        {"[host user@a]\n", NULL},
        {"[group]\n", "c:1:1: a group of hosts needs a name, as [group shop]"},
        {"[group a.b]\n",
         "c:1:1: [group a.b]: a group of hosts needs a name of letters, digits, - and _, as [group shop]"},
        {"[group 1]\n", NULL},
        {"[grop a]\n", "c:1:1: unknown section [grop a]; did you mean [group NAME]?"},
        {"[group a]\n[host a]\n[group A]\n", "c:3:1: duplicate section [group A], first in line 1"},
        {"[host a] x\n", "c:1:10: unexpected text after the section's name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(parse(cases[i][0]), CRAWL_EPARSE, "%s", cases[i][0]);
        if (cases[i][1])
            cr_expect_str_eq(error.message, cases[i][1]);
        cr_expect_eq(config.host_count, 0);
    }
}

Test(hosts, secrets_do_not_stand_in_messages)
{
    const char *cases[] = {"[host a]\npassword = \"SECRET\\x01\"\n", "[host a]\nheader = Host: SECRET\n",
                           "[fetch]\nproxy = ftp://u:SECRET@a\n", "[fetch]\nheader = Authorization: SECRET\n",
                           "[fetch]\nheader = Cookie: SECRET\n"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(parse(cases[i]), CRAWL_EPARSE, "%s", cases[i]);
        cr_expect_null(strstr(error.message, "SECRET"), "%s", error.message);
    }
}

Test(hosts, proxies)
{
    const char *good[] = {"http://127.0.0.1:3128", "https://a:1", "socks5://u:p@a:65535",
                          "socks5h://[::1]:80",    "HTTP://a:1/", ""};
    const char *bad[] = {"a:1",          "http://a",     "http://:1", "http://a:0",  "http://a:65536",
                         "http://a:1/b", "http://a:1//", "ftp://a:1", "http://u@:1", "http://a b:1",
                         "socks4://a:1", "http://",      "direct",    "http"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        cr_expect_eq(crawl_config_set(&config, "fetch.proxy", good[i], &error), CRAWL_OK, "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_eq(crawl_config_set(&config, "fetch.proxy", bad[i], &error), CRAWL_EPARSE, "%s", bad[i]);
    cr_expect_eq(crawl_config_set(&config, "host a.proxy", "direct", &error), CRAWL_OK);
    cr_expect_eq(crawl_config_set(&config, "fetch.proxy", "http://a", &error), CRAWL_EPARSE);
    cr_expect_not_null(strstr(error.message, "fetch.proxy = http://a: expected a proxy with its port"), "%s",
                       error.message);
}

Test(hosts, a_key_of_a_host_is_set_by_its_full_name)
{
    cr_assert_eq(crawl_config_set(&config, "host www.example.com.delay", "2s", &error), CRAWL_OK, "%s", error.message);
    cr_assert_eq(crawl_config_set(&config, "host WWW.example.com.share", "3", &error), CRAWL_OK);
    cr_assert_eq(config.host_count, 1);
    cr_expect_str_eq(config.hosts[0].name, "www.example.com");
    cr_expect_eq(config.hosts[0].delay_ms, 2000);
    cr_expect_eq(crawl_config_set(&config, "host b.delay", "x", &error), CRAWL_EPARSE);
    cr_expect_eq(config.host_count, 1);
    cr_expect_eq(crawl_config_set(&config, "host.delay", "1s", &error), CRAWL_EPARSE);
    cr_expect_str_eq(error.message, "unknown key \"host.delay\"; did you mean \"host NAME.delay\"?");
    cr_expect_eq(crawl_config_set(&config, "host b.name", "x", &error), CRAWL_EPARSE);
}

Test(hosts, groups)
{
    cr_assert_eq(parse("[group Shop]\nhosts = *.shop.example, a.example\ndelay = 2s\n[host shop]\nper_host = 3\n"),
                 CRAWL_OK, "%s", error.message);
    cr_assert_eq(crawl_config_set(&config, "group shop.per_host", "5", &error), CRAWL_OK, "%s", error.message);
    cr_assert_eq(config.host_count, 2);
    cr_expect(config.hosts[0].is_group);
    cr_expect_str_eq(config.hosts[0].hosts, "*.shop.example, a.example");
    cr_expect_eq(config.hosts[0].per_host, 5);
    cr_expect_not(config.hosts[1].is_group);
    cr_expect_eq(config.hosts[1].per_host, 3);
    char *text = printed();
    cr_expect_not_null(strstr(text, "\n[group shop]\nhosts = *.shop.example, a.example\ndelay = 2s\nper_host = 5\n"),
                       "%s", strstr(text, "\n[group shop]"));
    fini();
    init();
    cr_assert_eq(parse(text), CRAWL_OK, "%s", error.message);
    char *again = printed();
    cr_expect_str_eq(again, text);
    free(again);
    free(text);
}

Test(hosts, printed_without_secrets_and_loaded_again)
{
    cr_assert_eq(
        parse(
            "[fetch]\nproxy = http://u:HIDDEN@a:1\nheader = X-Api-Key: HIDDEN\nheader = Accept-Language: de\n"
            "[host a]\nuser = me\npassword = HIDDEN\nbearer_file = f\nheader = Cookie: HIDDEN\nheader = X-A: 1\ndelay = 0ms\n"),
        CRAWL_OK, "%s", error.message);
    char *text = printed();
    cr_expect_null(strstr(text, "HIDDEN"));
    cr_expect_not_null(strstr(text, "\nwithheld = header X-Api-Key, proxy\n"), "%s", strstr(text, "\nwithheld"));
    cr_expect_not_null(
        strstr(
            text,
            "\n[host a]\nheader = X-A: 1\nuser = me\nbearer_file = f\ndelay = 0\nwithheld = header Cookie, password\n"),
        "%s", strstr(text, "\n[host a]"));
    fini();
    init();
    cr_assert_eq(parse(text), CRAWL_OK, "%s", error.message);
    char *again = printed();
    cr_expect_str_eq(again, text);
    free(again);
    free(text);
    cr_expect_eq(crawl_config_complete(&config, &error), CRAWL_EINVAL);
    cr_expect_not_null(strstr(error.message, "[fetch] lacks a secret, which is never kept: header X-Api-Key, proxy; "),
                       "%s", error.message);
    cr_assert_eq(parse("[fetch]\nproxy = http://a:1\nheader = x-api-key: b\n"), CRAWL_OK);
    cr_expect_eq(crawl_config_complete(&config, &error), CRAWL_EINVAL);
    cr_expect_not_null(strstr(error.message, "[host a] lacks a secret, which is never kept: header Cookie, password; "),
                       "%s", error.message);
    cr_assert_eq(parse("[host a]\npassword_file = f\n"), CRAWL_OK);
    cr_expect_eq(crawl_config_complete(&config, &error), CRAWL_EINVAL);
    cr_expect_not_null(strstr(error.message, "header Cookie; "), "%s", error.message);
    text = printed();
    cr_expect_not_null(strstr(text, "\nwithheld = header Cookie\n"), "%s", strstr(text, "\n[host a]"));
    free(text);
    cr_assert_eq(parse("[host a]\nwithheld =\n"), CRAWL_OK);
    cr_expect_eq(crawl_config_complete(&config, &error), CRAWL_OK, "%s", error.message);
}

Test(hosts, the_comments_name_every_key)
{
    char *text = printed();
    size_t count;
    const cw_config_key *keys = cw_config_schema_host(&count);
    for (size_t i = 0; i < count; i++)
        cr_expect_not_null(strstr(text, keys[i].help), "%s", keys[i].name);
    free(text);
}

/* Public addresses: the bounds of each row of the registries, from both sides. */
#include "fetch/address.h"

#include <crawl/fetch.h>

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>

static bool by_socket(const char *text)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        return cw_fetch_address_is_public((struct sockaddr *)&v4);
    cr_assert_eq(inet_pton(AF_INET6, text, &v6.sin6_addr), 1, "%s", text);
    return cw_fetch_address_is_public((struct sockaddr *)&v6);
}

static void all(const char *const *texts, bool expected)
{
    for (; *texts; texts++) {
        cr_expect_eq(by_socket(*texts), expected, "%s", *texts);
        cr_expect_eq(crawl_address_is_public(*texts), expected, "%s", *texts);
    }
}

Test(address, of_the_internet)
{
    static const char *const texts[] = {"1.0.0.0",
                                        "1.1.1.1",
                                        "9.255.255.255",
                                        "11.0.0.0",
                                        "100.63.255.255",
                                        "100.128.0.0",
                                        "126.255.255.255",
                                        "128.0.0.0",
                                        "169.253.255.255",
                                        "169.255.0.0",
                                        "172.15.255.255",
                                        "172.32.0.0",
                                        "191.255.255.255",
                                        "192.0.1.0",
                                        "192.0.3.0",
                                        "192.88.98.255",
                                        "192.88.100.0",
                                        "192.167.255.255",
                                        "192.169.0.0",
                                        "198.17.255.255",
                                        "198.20.0.0",
                                        "198.51.99.255",
                                        "198.51.101.0",
                                        "203.0.112.255",
                                        "203.0.114.0",
                                        "223.255.255.255",
                                        "2000::1",
                                        "2001:200::1",
                                        "2001:4860:4860::8888",
                                        "2606:4700::1111",
                                        "3ffe::1",
                                        "3fff:1000::",
                                        "::ffff:8.8.8.8",
                                        "64:ff9b::808:808",
                                        "2002:808:808::1",
                                        NULL};
    all(texts, true);
}

Test(address, of_machines_and_networks)
{
    static const char *const texts[] = {"0.0.0.0",
                                        "0.255.255.255",
                                        "10.0.0.0",
                                        "10.255.255.255",
                                        "100.64.0.0",
                                        "100.127.255.255",
                                        "127.0.0.1",
                                        "127.255.255.255",
                                        "169.254.0.0",
                                        "169.254.169.254",
                                        "169.254.255.255",
                                        "172.16.0.0",
                                        "172.31.255.255",
                                        "192.0.0.0",
                                        "192.0.0.255",
                                        "192.0.2.1",
                                        "192.88.99.1",
                                        "192.168.0.0",
                                        "192.168.255.255",
                                        "198.18.0.0",
                                        "198.19.255.255",
                                        "198.51.100.7",
                                        "203.0.113.9",
                                        "224.0.0.1",
                                        "239.255.255.255",
                                        "240.0.0.0",
                                        "255.255.255.255",
                                        "::",
                                        "::1",
                                        "::7f00:1",
                                        "::ffff:127.0.0.1",
                                        "::ffff:10.0.0.1",
                                        "::ffff:169.254.169.254",
                                        "64:ff9b::7f00:1",
                                        "64:ff9b:1::1",
                                        "100::1",
                                        "2001::1",
                                        "2001:db8::1",
                                        "2001:1ff:ffff::",
                                        "2002:7f00:1::1",
                                        "2002:a00:1::",
                                        "3fff::1",
                                        "3fff:fff::",
                                        "4000::1",
                                        "5f00::1",
                                        "fc00::1",
                                        "fd12::1",
                                        "fe80::1",
                                        "fec0::1",
                                        "ff02::1",
                                        "fd00:ec2::254",
                                        NULL};
    all(texts, false);
}

Test(address, of_a_link_or_a_metadata_service)
{
    static const char *const texts[] = {"169.254.0.0",
                                        "169.254.169.254",
                                        "169.254.255.255",
                                        "100.100.100.200",
                                        "192.0.0.192",
                                        "::ffff:169.254.169.254",
                                        "64:ff9b::a9fe:a9fe",
                                        "2002:a9fe:a9fe::1",
                                        "fe80::1",
                                        "febf::1",
                                        "fd00:ec2::254"};
    static const char *const others[] = {"10.0.0.1", "100.100.100.201", "192.0.0.191",   "127.0.0.1",
                                         "::1",      "fec0::1",         "fd00:ec2::253", "x"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_expect_eq(cw_fetch_address_text_kind(texts[i]), CW_ADDRESS_LINK_LOCAL, "%s", texts[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect_eq(cw_fetch_address_text_kind(others[i]), CW_ADDRESS_PRIVATE, "%s", others[i]);
}

Test(address, of_no_network)
{
    struct sockaddr other = {.sa_family = AF_UNIX};
    cr_assert_not(cw_fetch_address_is_public(&other));
    cr_assert_not(crawl_address_is_public(""));
    cr_assert_not(crawl_address_is_public("8.8.8.8.8"));
    cr_assert_not(crawl_address_is_public("example.com"));
}

Test(address, a_url_may_name_a_private_one)
{
    const char *private[] = {"http://127.0.0.1/",     "http://10.0.0.1:8080/x@y", "https://u:p@192.168.0.1",
                             "http://[::1]:80/",      "http://[fe80::1]/",        "http://localhost/",
                             "http://a.LOCALHOST:1/", "http://localhost./",       "http://169.254.169.254/latest"};
    const char *other[] = {"http://example.com/",
                           "http://8.8.8.8/",
                           "http://[2606:4700::1111]/",
                           "http://notlocalhost/",
                           "http://a/@127.0.0.1",
                           "http://127.0.0.1.example.com/",
                           ""};
    for (size_t i = 0; i < sizeof private / sizeof *private; i++)
        cr_expect(crawl_fetch_url_is_private(crawl_slice_from(private[i])), "%s", private[i]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        cr_expect_not(crawl_fetch_url_is_private(crawl_slice_from(other[i])), "%s", other[i]);
}

/* Two answers for one name, together. */
#include "fetch/names/names.h"

#include <criterion/criterion.h>
#include <event2/dns.h>
#include <stdio.h>
#include <sys/socket.h>

static cw_dns_reply reply_of(int code, int family, int count)
{
    static const unsigned char addresses[20 * 16] = {192, 0, 2, 1, 192, 0, 2, 2};
    cw_dns_reply reply = {0};
    if (code >= 0)
        cr_assert_eq(cw_dns_reply_set(&reply, code, family, addresses, count, 60), CRAWL_OK);
    return reply;
}

enum { NOTHING = -1, NONE = DNS_ERR_NONE, GONE = DNS_ERR_NOTEXIST, EMPTY = DNS_ERR_NODATA, CUT = DNS_ERR_TRUNCATED };
enum { FAILED = DNS_ERR_SERVERFAILED, REFUSED = DNS_ERR_REFUSED, TIMEOUT = DNS_ERR_TIMEOUT };

Test(reply, verdicts)
{
    static const struct {
        int v6, v4;
        cw_names_verdict verdict;
    } rows[] = {
        {NONE, NONE, CW_NAME_KNOWN},        {EMPTY, NONE, CW_NAME_KNOWN},
        {NONE, EMPTY, CW_NAME_KNOWN},       {NOTHING, NONE, CW_NAME_KNOWN},
        {FAILED, NONE, CW_NAME_KNOWN},      {GONE, NONE, CW_NAME_KNOWN},
        {CUT, NONE, CW_NAME_SYSTEM},        {NONE, CUT, CW_NAME_SYSTEM},
        {CUT, CUT, CW_NAME_SYSTEM},         {GONE, GONE, CW_NAME_ABSENT},
        {NOTHING, GONE, CW_NAME_ABSENT},    {GONE, FAILED, CW_NAME_ABSENT},
        {EMPTY, EMPTY, CW_NAME_EMPTY},      {EMPTY, FAILED, CW_NAME_FAILED},
        {EMPTY, NOTHING, CW_NAME_LATE},     {FAILED, NOTHING, CW_NAME_FAILED},
        {NOTHING, NOTHING, CW_NAME_LATE},   {REFUSED, REFUSED, CW_NAME_FAILED},
        {TIMEOUT, TIMEOUT, CW_NAME_FAILED}, {DNS_ERR_UNKNOWN, EMPTY, CW_NAME_FAILED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cw_dns_reply v6 = reply_of(rows[i].v6, AF_INET6, 1), v4 = reply_of(rows[i].v4, AF_INET, 1);
        cw_names_answer answer = {0};
        cw_dns_reply_combine(&v6, &v4, true, &answer);
        cr_expect_eq(answer.verdict, rows[i].verdict, "row %zu: %d", i, answer.verdict);
        cr_expect_eq(*cw_names_words(answer.verdict) == '\0', answer.verdict <= CW_NAME_SYSTEM);
        crawl_buf_free(&v6.addresses);
        crawl_buf_free(&v4.addresses);
        crawl_buf_free(&answer.addresses);
    }
}

Test(reply, addresses_of_both_in_order)
{
    cw_dns_reply v6 = reply_of(NONE, AF_INET6, 1), v4 = reply_of(NONE, AF_INET, 2);
    cw_names_answer answer = {0};
    v4.ttl_s = 7;
    cw_dns_reply_combine(&v6, &v4, true, &answer);
    cr_expect_str_eq(answer.addresses.data, "[c000:201:c000:202::],192.0.2.1,192.0.2.2");
    cr_expect_eq(answer.ttl_s, 7, "the shorter of the two");
    cw_dns_reply_combine(&v6, &v4, false, &answer);
    cr_expect_str_eq(answer.addresses.data, "192.0.2.1,192.0.2.2,[c000:201:c000:202::]");
    crawl_buf_free(&v6.addresses);
    crawl_buf_free(&v4.addresses);
    crawl_buf_free(&answer.addresses);
}

Test(reply, a_name_with_many_addresses_has_the_first_of_them)
{
    cw_dns_reply v6 = reply_of(EMPTY, AF_INET6, 0), v4 = reply_of(NONE, AF_INET, 20);
    cw_names_answer answer = {0};
    cw_dns_reply_combine(&v6, &v4, true, &answer);
    size_t commas = 0;
    for (size_t i = 0; i < answer.addresses.size; i++)
        commas += answer.addresses.data[i] == ',';
    cr_expect_eq(commas, 15);
    crawl_buf_free(&v4.addresses);
    crawl_buf_free(&answer.addresses);
}

Test(reply, a_time_below_zero_is_none)
{
    cw_dns_reply v4 = {0};
    unsigned char address[4] = {192, 0, 2, 1};
    cr_assert_eq(cw_dns_reply_set(&v4, NONE, AF_INET, address, 1, -1), CRAWL_OK);
    cr_expect_eq(v4.ttl_s, 0);
    crawl_buf_free(&v4.addresses);
}

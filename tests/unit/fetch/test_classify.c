/* libcurl's codes and our classes. test_errors.c tests the causes of the codes. */
#include "fetch/transfer.h"

#include <criterion/criterion.h>

Test(classify, classes)
{
    const struct {
        CURLcode code;
        crawl_fetch_error class;
    } rows[] = {
        {CURLE_OK, CRAWL_FETCH_OK},
        {CURLE_COULDNT_RESOLVE_HOST, CRAWL_FETCH_DNS},
        {CURLE_COULDNT_CONNECT, CRAWL_FETCH_CONNECT},
        {CURLE_SSL_CONNECT_ERROR, CRAWL_FETCH_TLS},
        {CURLE_PEER_FAILED_VERIFICATION, CRAWL_FETCH_TLS},
        {CURLE_OPERATION_TIMEDOUT, CRAWL_FETCH_TIMEOUT},
        {CURLE_RECV_ERROR, CRAWL_FETCH_RESET},
        {CURLE_SEND_ERROR, CRAWL_FETCH_RESET},
        {CURLE_GOT_NOTHING, CRAWL_FETCH_RESET},
        {CURLE_HTTP2_STREAM, CRAWL_FETCH_RESET},
        {CURLE_HTTP2, CRAWL_FETCH_RESET},
        {CURLE_OUT_OF_MEMORY, CRAWL_FETCH_LOCAL},
        {CURLE_INTERFACE_FAILED, CRAWL_FETCH_LOCAL},
        {CURL_LAST, CRAWL_FETCH_LOCAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(cw_fetch_classify(rows[i].code), rows[i].class, "code %d", rows[i].code);
}

Test(classify, names)
{
    static const char *const names[] = {"",         "dns",       "connect",   "tls",     "timeout", "reset",
                                        "protocol", "too-large", "cancelled", "private", "local"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_expect_str_eq(crawl_fetch_error_name((crawl_fetch_error)i), names[i]);
    cr_expect_str_eq(crawl_fetch_error_name((crawl_fetch_error)1000), "local");
}

/* Signatures of requests to S3: the examples of Amazon's documentation ("Authenticating Requests: Using the
 * Authorization Header"). */
#include "tools/upload/s3_sign.h"

#include <criterion/criterion.h>

static const char empty[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

static void expect_signature(const char *query, const char *token, const char *names, const char *signature)
{
    const cw_s3_keys keys = {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", token};
    const cw_s3_header headers[] = {{"content-md5", NULL},
                                    {"host", "examplebucket.s3.amazonaws.com"},
                                    {"x-amz-content-sha256", empty},
                                    {"x-amz-date", "20130524T000000Z"},
                                    {"x-amz-security-token", keys.token}};
    const cw_s3_signing signing = {.keys = &keys,
                                   .region = "us-east-1",
                                   .date = "20130524T000000Z",
                                   .method = "GET",
                                   .path = "/",
                                   .query = query,
                                   .headers = headers,
                                   .header_count = sizeof headers / sizeof *headers,
                                   .payload = empty};
    crawl_buf out = {0}, expected = {0};
    cr_assert_eq(cw_s3_authorize(&signing, &out), CRAWL_OK);
    cr_assert_eq(crawl_buf_printf(&expected,
                                  "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                                  "SignedHeaders=%s,Signature=%s",
                                  names, signature),
                 CRAWL_OK);
    cr_expect_str_eq(out.data, expected.data);
    crawl_buf_free(&out);
    crawl_buf_free(&expected);
}

Test(s3_sign, examples_of_amazon)
{
    const char names[] = "host;x-amz-content-sha256;x-amz-date";
    expect_signature("lifecycle=", NULL, names, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
    expect_signature("max-keys=2&prefix=J", NULL, names,
                     "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

static void expect_encoded(const char *text, bool is_query, const char *expected)
{
    crawl_buf out = {0};
    cr_assert_eq(cw_s3_encode(crawl_slice_from(text), is_query, &out), CRAWL_OK);
    cr_expect_str_eq(out.data ? out.data : "", expected);
    crawl_buf_free(&out);
}

Test(s3_sign, encoding)
{
    expect_encoded("a/B-9_.~ +%\xc3\xbc", false, "a/B-9_.~%20%2B%25%C3%BC");
    expect_encoded("a/b=c", true, "a%2Fb%3Dc");
    expect_encoded("", false, "");
}

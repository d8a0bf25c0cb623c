/* Expected values come from Python's hashlib.sha1 of the bytes given in comments. */
#include <crawl/fingerprint.h>
#include <criterion/criterion.h>
#include <stdlib.h>

static crawl_fingerprinter *fingerprinter;

static void set_up(void)
{
    fingerprinter = crawl_fingerprinter_create();
    cr_assert(fingerprinter);
}

static void tear_down(void)
{
    crawl_fingerprinter_free(fingerprinter);
}

TestSuite(fingerprint, .init = set_up, .fini = tear_down);

static void assert_request(const char *method, crawl_slice url, crawl_slice body, const char *expected)
{
    crawl_fingerprint hash;
    char hex[41];
    cr_assert_eq(crawl_fingerprint_request(fingerprinter, crawl_slice_from(method), url, body, &hash), CRAWL_OK);
    crawl_fingerprint_hex(&hash, hex);
    cr_assert_str_eq(hex, expected);
}

static crawl_slice repeated(const char *start, char c, size_t times)
{
    size_t size = strlen(start);
    char *text = malloc(size + times + 1);
    cr_assert(text);
    memcpy(text, start, size);
    memset(text + size, c, times);
    return crawl_slice_of(text, size + times);
}

Test(fingerprint, method_url_and_body)
{
    crawl_slice url = crawl_slice_from("http://example.com/");
    crawl_slice none = {0};
    /* "GEThttp://example.com/" */
    assert_request("GET", url, none, "628735d3a16b67b1dd5fbfbd10a15f2c28362bbd");
    assert_request("", url, none, "628735d3a16b67b1dd5fbfbd10a15f2c28362bbd");
    /* "POSThttp://example.com/\nq=1" */
    assert_request("POST", url, crawl_slice_from("q=1"), "50a50b6166652dd35f4237014ed3f6cea352117b");
    /* "GET" */
    assert_request("GET", none, none, "f030bbbd32966cde41037b98a8849c46b76e4bc1");
}

Test(fingerprint, long_url_and_body)
{
    crawl_slice url = repeated("http://example.com/", 'a', 3000);
    crawl_slice body = repeated("", 'b', 5000);
    /* "GEThttp://example.com/" and 3000 times "a" */
    assert_request("GET", url, (crawl_slice){0}, "9f80a34443c2899692efe4a6b31ad6d1540689ad");
    /* "POSThttp://example.com/\n" and 5000 times "b" */
    assert_request("POST", crawl_slice_from("http://example.com/"), body, "5f31e3ba0db683b797a5e47a83d5e2cd18e7be23");
    free((char *)url.data);
    free((char *)body.data);
}

/* Around every size at which the hashing method could change, the hash is that of the preimage in one piece. */
Test(fingerprint, every_length)
{
    for (size_t times = 0; times < 4200; times++) {
        crawl_slice url = repeated("", 'u', times);
        crawl_slice preimage = repeated("PUT", 'u', times + 2);
        memcpy((char *)preimage.data + preimage.size - 2, "\nb", 2);
        crawl_fingerprint request, bytes;
        cr_assert_eq(
            crawl_fingerprint_request(fingerprinter, crawl_slice_from("PUT"), url, crawl_slice_from("b"), &request),
            CRAWL_OK);
        cr_assert_eq(crawl_fingerprint_bytes(fingerprinter, preimage, &bytes), CRAWL_OK);
        cr_assert_arr_eq(request.bytes, bytes.bytes, CRAWL_FINGERPRINT_SIZE, "%zu", times);
        free((char *)url.data);
        free((char *)preimage.data);
    }
}

Test(fingerprint, bytes_as_hex_and_base32)
{
    crawl_fingerprint hash;
    char hex[41];
    char base32[33];
    cr_assert_eq(crawl_fingerprint_bytes(fingerprinter, crawl_slice_from("abc"), &hash), CRAWL_OK);
    crawl_fingerprint_hex(&hash, hex);
    crawl_fingerprint_base32(&hash, base32);
    cr_assert_str_eq(hex, "a9993e364706816aba3e25717850c26c9cd0d89d");
    cr_assert_str_eq(base32, "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5");
    cr_assert_eq(crawl_fingerprint_bytes(fingerprinter, (crawl_slice){0}, &hash), CRAWL_OK);
    crawl_fingerprint_base32(&hash, base32);
    cr_assert_str_eq(base32, "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
}

Test(fingerprint, free_of_nothing)
{
    crawl_fingerprinter_free(NULL);
}

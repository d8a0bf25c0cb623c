/* A crawler's key, its signatures of requests, and those that a server asks for. Python's package cryptography computed
 * the signatures C1 to C7, and openssl checked them: Ed25519 gives the same bytes each time. */
#include "fetch/identity/public_key.h"
#include "fetch/identity/signature.h"

#include "base/bytes.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define K1_X "A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg"
#define K1 "1IG2tMH7J2wbJZnOf8LJzQitKf7LMvoAElsuDMVM54Y"
#define K2 "AkXIZFzonb59ZmGwyKgi3H3BwMi6amevqdKQiLZhdtc"
#define AGENT "https://bot.example/.well-known/http-message-signatures-directory"
#define NONCE "AQgPFh0kKzI5QEdOVVxjanF4f4aNlJuiqbC3vsXM09rh6O/2/QQLEhkgJy41PENKUVhfZm10e4KJkJeepayzug=="
#define NOW ((int64_t)1795000000)

/* Returns the key of a seed of 32 consecutive bytes, as PKCS 8. */
static crawl_identity *key_from(uint8_t first)
{
    static const char head[] = "\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";
    char der[48];
    memcpy(der, head, 16);
    for (unsigned i = 0; i < 32; i++)
        der[16 + i] = (char)(first + i);
    crawl_buf pem = {0};
    crawl_identity *identity;
    cr_assert_eq(crawl_buf_append_text(&pem, "-----BEGIN PRIVATE KEY-----\n"), CRAWL_OK);
    cr_assert_eq(cw_base64_append(crawl_slice_of(der, sizeof der), &pem), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&pem, "\n-----END PRIVATE KEY-----\n"), CRAWL_OK);
    cr_assert_eq(crawl_identity_parse(crawl_buf_slice(&pem), &identity, NULL), CRAWL_OK);
    crawl_buf_free(&pem);
    return identity;
}

/* ---- keys ---- */

Test(identity_key, is_read_from_pem_and_jwk)
{
    static const struct {
        const char *text, *thumbprint;
    } rows[] = {
        {"-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n"
         "-----END PRIVATE KEY-----\n",
         "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"},
        {"{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"d\":\"n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU\",\"x\":"
         "\"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs\",\"kid\":\"test-key-ed25519\"}",
         "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"},
        {"{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" K1_X
         "\",\"d\":\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\"}",
         K1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_identity *identity;
        cr_assert_eq(crawl_identity_parse(crawl_slice_from(rows[i].text), &identity, NULL), CRAWL_OK, "%zu", i);
        cr_expect_str_eq(crawl_identity_thumbprint(identity), rows[i].thumbprint);
        cr_expect(crawl_identity_is_published(identity));
        crawl_identity_free(identity);
    }
}

Test(identity_key, is_refused_where_it_is_none)
{
    static const char *const rows[] = {
        "",
        "{}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" K1_X "\"}", /* no private half */
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" K1_X
        "\",\"d\":\"n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU\"}",
        "{\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"" K1_X "\",\"d\":\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\"}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" K1_X
        "\",\"d\":\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\"}",
        /* of X25519; its public half; encrypted */
        "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VuBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n"
        "-----END PRIVATE KEY-----\n",
        "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=\n"
        "-----END PUBLIC KEY-----\n",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
        "MIGjMF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBAkgG8GyJMmOHLNFmc6Vp2ZAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFl"
        "AwQBKgQQFwYDb/F1Jz8nPpC4Kx7AqgRAYw3Bny1lrkfTuH8+Vf+8QlN8bnwRzYHRzGZrSHbOWiJZ7bdBX29ZA4p+IyVCGPS3sLl0vR4W\n"
        "-----END ENCRYPTED PRIVATE KEY-----\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_identity *identity = NULL;
        crawl_error error = {0};
        cr_expect_eq(crawl_identity_parse(crawl_slice_from(rows[i]), &identity, &error), CRAWL_EPARSE, "%zu", i);
        cr_expect_null(identity);
        cr_expect(error.message[0]);
    }
}

Test(identity_key, of_a_file_is_for_its_owner_alone)
{
    static const struct {
        mode_t mode;
        crawl_err err;
    } rows[] = {{0600, CRAWL_OK},      {0400, CRAWL_OK}, {0640, CRAWL_REFUSED}, {0604, CRAWL_REFUSED},
                {0620, CRAWL_REFUSED}, {0700, CRAWL_OK}, {0610, CRAWL_REFUSED}};
    char path[] = "/tmp/test_identity_XXXXXX";
    int file = mkstemp(path);
    crawl_identity *identity, *again;
    crawl_buf text = {0};
    crawl_error error = {0};
    cr_assert(file >= 0);
    cr_assert_eq(crawl_identity_generate(&identity), CRAWL_OK);
    cr_assert_eq(crawl_identity_write(identity, &text), CRAWL_OK);
    cr_expect(!crawl_identity_is_published(identity));
    cr_assert_eq(write(file, text.data, text.size), (ssize_t)text.size);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(fchmod(file, rows[i].mode), 0);
        cr_expect_eq(crawl_identity_read(path, &again, &error), rows[i].err, "%o: %s", rows[i].mode, error.message);
        if (rows[i].err)
            continue;
        cr_expect_str_eq(crawl_identity_thumbprint(again), crawl_identity_thumbprint(identity));
        crawl_identity_free(again);
    }
    close(file);
    unlink(path);
    cr_expect_eq(crawl_identity_read(path, &again, &error), CRAWL_EIO);
    crawl_identity_free(identity);
    crawl_buf_free(&text);
}

Test(identity_key, thumbprints_of_the_rfcs)
{
    static const struct {
        const char *jwk, *thumbprint;
    } rows[] = {
        {"{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}",
         "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"},
        {"{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"Kay64UG8yvCyLhqU000LxzYeUm0L_hLIl5S8kyKWbdc\"}", K2},
        {"{\"e\":\"AQAB\",\"kty\":\"RSA\",\"n\":\"r4tmm3r20Wd_PbqvP1s2-QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct-"
         "Lh1GH45x28Rw3Ry53mm-oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHqgDsznjPFmTOtCEcN2Z1FpWgchw"
         "uYLPL-Wokqltd11nqqzi-bJ9cvSKADYdUAAN5WUtzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4aOT9v6d-"
         "nb4bnNkQVklLQ3fVAvJm-xdDOp9LCNCN48V2pnDOkFV6-U9nV5oyc6XI2w\"}",
         "oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf text = {0};
        cr_assert_eq(crawl_jwk_thumbprint(crawl_slice_from(rows[i].jwk), &text, NULL), CRAWL_OK);
        cr_expect_str_eq(text.data, rows[i].thumbprint);
        crawl_buf_free(&text);
    }
}

/* ---- signed bytes ---- */

typedef struct computed {
    const char *name, *label, *method, *url, *headers, *nonce, *cover, *signature;
    int64_t created_s;
} computed;

#define DEFAULT_COVER "@authority @method @path @query signature-agent=sig1"
#define AGENT_HEADER "sig1=\"" AGENT "\""

static const computed rows_of_c[] = {
    {"C1", "sig1", "GET", "https://shop.example/catalog/?page=2&q=caf%C3%A9", AGENT_HEADER, NONCE, DEFAULT_COVER,
     "rqiGAtJQp718W9f2YfSmxnGiPZ0FndT+uNbUgXP+O2KKHrPFlA4qz56eaQIF8xdYcK5X7EgiiE8VsQEogu6qDg==", NOW},
    {"C2", "sig1", "GET", "https://shop.example/catalog/?page=2&q=caf%C3%A9", "\"https://bot.example\"", "",
     "@authority signature-agent",
     "ukV3xXc04D0vTARV+Ib3Ox92Nog8v2VaCMULpNLRIEiN4Yl5tepo/JXqthi/W+h27VZbBKSbUfGE1OhMb4S9Aw==", NOW},
    {"C3", "sig1", "HEAD", "https://Example.COM:8443", AGENT_HEADER, "",
     "@authority @method @path @query @target-uri signature-agent=sig1",
     "sHkl0fc3OCXpdPOpnvphnSvyoKDxOQ6CkvQd4MiSWsgqXbbI1UO/P0BvSitUscp1ka7zDLog4tqHw3gElAomAQ==", NOW},
    {"C4", "sig1", "GET", "https://www.shop.example/catalog/?page=2&q=caf%C3%A9", AGENT_HEADER,
     "qUwRJE4saQOEx3gHosLc//UFU/+zRuNmwc3NadKuYxfRIQLZ0Y7Q3rUNeW9kGUYz0o1CBjUSGLruJp+o70OnSA==", DEFAULT_COVER,
     "HONlS+vzfoOr7sC6ZvJzLJg87J13T+1p0LevrtGQvc1RGqM5eF2EWyNJhSmWtcmnFcdZyfzcp+SGyuYyWdPyDQ==", NOW + 1},
    {"C5", "sig9", "GET", "https://xn--bcher-kva.example/a?b=c", "sig9=\"" AGENT "\"", "b3JpZ2luLW5vbmNl",
     "@authority @target-uri signature-agent=sig9",
     "c/XN2UJuWZuKGUiXO3SMUGoFpF1PjYII+BHB8vEW9wYanuSsORMlUvPx8CncdQw0SPU45I9+cNWJ/aUttsisCw==", NOW},
    {"C6", "sig1", "POST", "https://[2001:db8::1]/search", AGENT_HEADER, "",
     "@authority @method @path content-digest signature-agent=sig1",
     "zWE6n8VzfrmJjcwLdFXI97mwndfeSNfhfF1nenSpm9bPMVzeFFKPaSluE9PMQ/pQJkGrpuUgytpQAKMKJbtfBg==", NOW},
};

static void read_words(const char *words, cw_identity_cover *cover)
{
    crawl_slice rest = crawl_slice_from(words);
    while (rest.size) {
        crawl_slice word = cw_cut(&rest, ' ');
        cw_identity_component *one = &cover->items[cover->count++];
        one->name = cw_cut(&word, '=');
        one->key = word.size ? word : (crawl_slice){0};
    }
}

/* Returns the line "NAME: " of lines, without its end. */
static crawl_slice line_of(const crawl_buf *lines, const char *name)
{
    crawl_slice rest = crawl_buf_slice(lines);
    while (rest.size) {
        crawl_slice line = cw_cut_line(&rest);
        if (cw_starts_with(line, name) && line.data[strlen(name)] == ':')
            return cw_drop(line, strlen(name) + 2);
    }
    return (crawl_slice){0};
}

Test(identity_signature, is_that_of_the_vectors)
{
    crawl_identity *identity = key_from(0);
    for (size_t i = 0; i < sizeof rows_of_c / sizeof *rows_of_c; i++) {
        const computed *row = &rows_of_c[i];
        crawl_buf digest = {0}, out = {0}, wanted = {0};
        const char *why = "";
        cr_assert_eq(cw_identity_digest(crawl_slice_from("q=frontier"), &digest), CRAWL_OK);
        const crawl_header headers[] = {
            {crawl_slice_from("Signature-Agent"), crawl_slice_from(row->headers)},
            {crawl_slice_from("Content-Digest"), crawl_buf_slice(&digest)},
        };
        const crawl_message message = {.size = sizeof message,
                                       .method = crawl_slice_from(row->method),
                                       .url = crawl_slice_from(row->url),
                                       .headers = headers,
                                       .header_count = 2};
        cw_identity_cover cover = {0};
        read_words(row->cover, &cover);
        const cw_identity_parameters parameters = {.created_s = row->created_s,
                                                   .expires_s = row->created_s + 60,
                                                   .nonce = crawl_slice_from(row->nonce),
                                                   .tag = "web-bot-auth",
                                                   .has_alg = true};
        cr_assert_eq(
            cw_identity_sign(identity, crawl_slice_from(row->label), &cover, &parameters, &message, &out, &why),
            CRAWL_OK, "%s: %s", row->name, why);
        cr_assert_eq(crawl_buf_printf(&wanted, "%s=:%s:", row->label, row->signature), CRAWL_OK);
        cr_expect(crawl_slice_equal(line_of(&out, "Signature"), crawl_buf_slice(&wanted)), "%s: %s", row->name,
                  out.data);
        crawl_buf_free(&digest);
        crawl_buf_free(&out);
        crawl_buf_free(&wanted);
    }
    crawl_identity_free(identity);
}

/* C1 again: the exact bytes that are signed, and the header as sent. */
Test(identity_signature, covers_the_bytes_of_the_example)
{
    static const char sent[] =
        "sig1=(\"@authority\" \"@method\" \"@path\" \"@query\" \"signature-agent\";key=\"sig1\");"
        "created=1795000000;keyid=\"" K1 "\";alg=\"ed25519\";expires=1795000060;nonce=\"" NONCE
        "\";tag=\"web-bot-auth\"";
    static const char wanted[] =
        "\"@authority\": shop.example\n\"@method\": GET\n\"@path\": /catalog/\n"
        "\"@query\": ?page=2&q=caf%C3%A9\n\"signature-agent\";key=\"sig1\": \"" AGENT "\"\n\"@signature-params\": ";
    const crawl_header header = {crawl_slice_from("signature-agent"), crawl_slice_from(AGENT_HEADER)};
    const crawl_message message = {
        .size = sizeof message, .url = crawl_slice_from(rows_of_c[0].url), .headers = &header, .header_count = 1};
    cw_identity_cover cover = {0};
    crawl_buf base = {0};
    const char *why;
    read_words(DEFAULT_COVER, &cover);
    cr_assert_eq(cw_identity_base(&cover, &message, crawl_slice_from(sent + 5), &base, &why), CRAWL_OK);
    cr_expect_eq(base.size, 500);
    cr_expect(cw_starts_with(crawl_buf_slice(&base), wanted) && cw_ends_with(crawl_buf_slice(&base), sent + 5), "%s",
              base.data);
    crawl_buf_free(&base);
}

/* C7: two keys, each of which signs the directory. */
Test(identity_directory, is_that_of_the_vectors)
{
    static const char *const wanted[] = {
        "binding0=:Lv6iGGkZMSTLTROCG3JytEBe8HCe9vdwtbbV5IFj8cVUrl7rRW5VOrI8CEPKjiFDef6QSQIxIllRtxjCz37tDQ==:\n",
        "binding1=:g7PAZJDbhLBlJvJqioRgHivMgS5zjs/pAta03Sy+j8fNzhCh9LJhi/FOGLIxJAcpTFTqqiVOFTq9zRrzzZq2BA==:\n",
        "Content-Type: application/http-message-signatures-directory+json\n",
        "Content-Digest: sha-256=:Vh3VX7SwtjPEUZELUnan2Qn1Tc/RmXMEfnxGfMUGbC8=:\n"};
    crawl_identity *one = key_from(0), *two = key_from(32);
    const crawl_identity *both[] = {one, two};
    crawl_buf body = {0}, headers = {0};
    cr_assert_eq(crawl_directory_write(both, 2, &body), CRAWL_OK);
    cr_expect_eq(body.size, 298);
    cr_assert_eq(crawl_directory_sign(both, 2, crawl_buf_slice(&body), "bot.example", NOW, NOW + 86400, &headers),
                 CRAWL_OK);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        cr_expect(strstr(headers.data, wanted[i]), "%s\n%s", wanted[i], headers.data);
    crawl_buf_free(&body);
    crawl_buf_free(&headers);
    crawl_identity_free(one);
    crawl_identity_free(two);
}

/* ---- requests ---- */

/* Signs with a key held elsewhere: here the one in `user`. */
static crawl_err sign_elsewhere(void *user, crawl_slice bytes, uint8_t signature[CRAWL_IDENTITY_SIGNATURE_SIZE])
{
    return cw_identity_sign_bytes(user, bytes, signature);
}

static crawl_err fail_elsewhere(void *, crawl_slice, uint8_t[CRAWL_IDENTITY_SIGNATURE_SIZE])
{
    return CRAWL_ENET;
}

static crawl_keys *keys_of(const crawl_identity *identity)
{
    crawl_buf json = {0};
    crawl_keys *keys;
    cr_assert_eq(crawl_directory_write(&identity, 1, &json), CRAWL_OK);
    cr_assert_eq(crawl_keys_parse(crawl_buf_slice(&json), &keys, NULL), CRAWL_OK);
    crawl_buf_free(&json);
    return keys;
}

/* Verifies a request with these lines. */
static crawl_verification verify_lines(crawl_message message, const crawl_buf *lines, const crawl_keys *keys,
                                       int64_t now_s)
{
    crawl_header headers[8];
    crawl_slice rest = crawl_buf_slice(lines);
    crawl_verification found;
    for (size_t i = 0; i < message.header_count; i++)
        headers[i] = message.headers[i];
    message.headers = headers;
    while (rest.size) {
        crawl_slice line = cw_cut_line(&rest);
        headers[message.header_count].name = cw_cut(&line, ':');
        headers[message.header_count++].value = cw_trim(line);
    }
    cr_assert_eq(crawl_verify(&message, keys, now_s, &found), CRAWL_OK);
    return found;
}

Test(identity_request, is_verified_in_each_form_and_for_no_other)
{
    static const struct {
        crawl_signing_form form;
        crawl_signing_components components;
        bool covers_path;
    } rows[] = {
        {CRAWL_SIGNING_DICTIONARY, CRAWL_SIGNING_FULL, true},
        {CRAWL_SIGNING_DICTIONARY, CRAWL_SIGNING_MINIMAL, false},
        {CRAWL_SIGNING_STRING, CRAWL_SIGNING_FULL, true},
        {CRAWL_SIGNING_STRING, CRAWL_SIGNING_MINIMAL, false},
    };
    crawl_identity *key, *held;
    cr_assert_eq(crawl_identity_generate(&key), CRAWL_OK);
    cr_assert_eq(crawl_identity_hold(crawl_identity_key(key), sign_elsewhere, key, &held), CRAWL_OK);
    crawl_keys *keys = keys_of(key);
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        crawl_signing signing = {.size = sizeof signing,
                                 .identity = i % 2 ? held : key,
                                 .agent = "https://bot.example",
                                 .form = rows[i / 2].form,
                                 .components = rows[i / 2].components};
        crawl_message request = {.size = sizeof request, .url = crawl_slice_from("https://shop.example/a?b#c")};
        crawl_buf lines = {0}, again = {0};
        cr_assert_eq(crawl_sign(&signing, &request, NOW, &lines, NULL), CRAWL_OK);
        cr_assert_eq(crawl_sign(&signing, &request, NOW, &again, NULL), CRAWL_OK);
        cr_expect_str_neq(lines.data, again.data); /* another nonce */
        crawl_verification found = verify_lines(request, &lines, keys, NOW);
        cr_expect_eq(found.verdict, CRAWL_VERIFIED, "%zu: %s", i, found.why);
        cr_expect(cw_is(found.keyid, crawl_identity_thumbprint(key)) && cw_is(found.label, "sig1"));
        cr_expect(found.created_s == NOW - 5 && found.expires_s == NOW + 60);
        cr_expect_eq(verify_lines(request, &lines, keys, NOW + 61).verdict, CRAWL_INVALID);
        cr_expect_eq(verify_lines(request, &lines, keys, NOW - 6).verdict, CRAWL_INVALID);
        cr_expect_eq(verify_lines(request, &lines, NULL, NOW).verdict, CRAWL_UNVERIFIED);
        request.url = crawl_slice_from("https://other.example/a?b");
        cr_expect_eq(verify_lines(request, &lines, keys, NOW).verdict, CRAWL_INVALID);
        request.url = crawl_slice_from("https://shop.example/other?b");
        cr_expect_eq(verify_lines(request, &lines, keys, NOW).verdict,
                     rows[i / 2].covers_path ? CRAWL_INVALID : CRAWL_VERIFIED);
        crawl_buf_free(&lines);
        crawl_buf_free(&again);
    }
    crawl_keys_free(keys);
    crawl_identity_free(held);
    crawl_identity_free(key);
}

Test(identity_request, is_not_signed_where_it_must_not)
{
    crawl_identity *key, *failing, *known = key_from(0);
    cr_assert_eq(crawl_identity_generate(&key), CRAWL_OK);
    cr_assert_eq(crawl_identity_hold(crawl_identity_key(key), fail_elsewhere, NULL, &failing), CRAWL_OK);
    const struct {
        const crawl_identity *identity;
        const char *agent, *url;
        bool http;
        crawl_err err;
    } rows[] = {
        {key, AGENT, "https://a.example/", false, CRAWL_OK},
        {key, NULL, "https://a.example/", false, CRAWL_OK},
        {key, AGENT, "http://a.example/", false, CRAWL_REFUSED},
        {key, AGENT, "http://a.example/", true, CRAWL_OK},
        {key, AGENT, "ftp://a.example/", true, CRAWL_EINVAL},
        {key, AGENT, "https://a.example/\n\"@path\": /b", false, CRAWL_EINVAL},
        {key, AGENT, "https:///", false, CRAWL_EINVAL},
        {key, "http://bot.example", "https://a.example/", false, CRAWL_EINVAL},
        {key, "https://bot.example/\"", "https://a.example/", false, CRAWL_EINVAL},
        {key, "https://", "https://a.example/", false, CRAWL_EINVAL},
        {known, AGENT, "https://a.example/", false, CRAWL_REFUSED},
        {known, AGENT, "https://localhost.example/", false, CRAWL_REFUSED},
        {known, AGENT, "https://a.localhost/", false, CRAWL_OK},
        {known, AGENT, "https://127.0.0.1:8443/", false, CRAWL_OK},
        {known, AGENT, "https://[::1]/", false, CRAWL_OK},
        {failing, AGENT, "https://a.example/", false, CRAWL_ENET},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_signing signing = {.size = sizeof signing, .identity = rows[i].identity, .agent = rows[i].agent};
        signing.http = rows[i].http;
        crawl_message request = {.size = sizeof request, .url = crawl_slice_from(rows[i].url)};
        crawl_buf lines = {0};
        crawl_error error = {0};
        cr_expect_eq(crawl_sign(&signing, &request, NOW, &lines, &error), rows[i].err, "%zu: %s", i, error.message);
        cr_expect_eq(lines.size == 0, rows[i].err != CRAWL_OK, "%zu", i);
        crawl_buf_free(&lines);
    }
    crawl_identity_free(failing);
    crawl_identity_free(key);
    crawl_identity_free(known);
}

/* ---- signatures that an origin asks for ---- */

#define COVERS_AGENT "\"signature-agent\";key=\"sig1\""

Test(identity_asked, is_answered_or_refused)
{
    static const struct {
        const char *asked;
        const char *begins; /* start of Signature-Input; NULL: refused */
    } rows[] = {
        {"sig1=(\"@method\" \"@authority\" \"@path\" " COVERS_AGENT
         ");created;expires;nonce=\"x\";tag=\"web-bot-auth\"",
         "sig1=(\"@method\" \"@authority\" \"@path\" " COVERS_AGENT ");created=1794999995;keyid="},
        {"sig9=(\"@authority\" \"@target-uri\" \"signature-agent\";key=\"sig9\");created;expires;"
         "nonce=\"b3JpZ2luLW5vbmNl\"",
         "sig9=(\"@authority\" \"@target-uri\" \"signature-agent\";key=\"sig9\");created="},
        {"sig1=(\"@authority\" \"signature-agent\")", "sig1=(\"@authority\" \"signature-agent\");created="},
        {"a=(\"@target-uri\")", "a=(\"@target-uri\");created="},
        {"a=(\"@authority\" \"user-agent\");keyid=\"KEY\";alg=\"ed25519\"",
         "a=(\"@authority\" \"user-agent\");created="},
        {"a=(\"@authority\" \"content-digest\")", "a=(\"@authority\" \"content-digest\");created="},
        /* the first that can be answered */
        {"a=(\"cookie\" \"@authority\"), b=(\"@authority\"), c=(\"@authority\" \"@path\")",
         "b=(\"@authority\");created="},
        {"a=(\"@authority\");tag=\"other\", b=(\"@authority\");tag=\"web-bot-auth\"", "b=(\"@authority\");created="},
        /* nothing binds it to the origin */
        {"a=(\"@method\" \"@path\")", NULL},
        {"a=()", NULL},
        {"a=(\"@authority\" \"cookie\")", NULL},
        {"a=(\"@authority\" \"authorization\")", NULL},
        {"a=(\"@authority\" \"proxy-authorization\")", NULL},
        {"a=(\"@authority\" \"@Path\")", NULL},
        {"a=(\"@authority\" \"@query-param\";name=\"a\")", NULL},
        {"a=(\"@authority\";req)", NULL},
        {"a=(\"@authority\" \"@authority\")", NULL},
        {"a=(\"@authority\" \"accept\")", NULL}, /* the request has none */
        {"a=(\"@authority\");keyid=\"another\"", NULL},
        {"a=(\"@authority\");alg=\"rsa-pss-sha512\"", NULL},
        {"a=(\"@authority\");alg=ed25519", NULL},
        {"a=(\"@authority\");created=5", NULL},
        {"a=(\"@authority\");created=?0", NULL},
        {"a=(\"@authority\");other", NULL},
        {"a=(\"@authority\");nonce=x", NULL},
        {"a", NULL},
        {"a=\"@authority\"", NULL},
        {"a=(\"@authority\"", NULL},
        {"", NULL},
    };
    crawl_identity *key;
    cr_assert_eq(crawl_identity_generate(&key), CRAWL_OK);
    crawl_keys *keys = keys_of(key);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char asked[300], *place;
        snprintf(asked, sizeof asked, "%s", rows[i].asked);
        while ((place = strstr(asked, "KEY"))) { /* as long as its thumbprint, which it makes room for */
            char rest[100];
            snprintf(rest, sizeof rest, "%s", place + 3);
            sprintf(place, "%s%s", crawl_identity_thumbprint(key), rest);
        }
        crawl_signing signing = {.size = sizeof signing, .identity = key, .agent = AGENT, .asked = asked};
        const crawl_header header = {crawl_slice_from("User-Agent"), crawl_slice_from("bot/1")};
        crawl_message request = {.size = sizeof request,
                                 .url = crawl_slice_from("https://shop.example/a?b"),
                                 .headers = &header,
                                 .header_count = 1};
        crawl_buf lines = {0};
        crawl_error error = {0};
        crawl_err err = crawl_sign(&signing, &request, NOW, &lines, &error);
        cr_expect_eq(err, rows[i].begins ? CRAWL_OK : CRAWL_REFUSED, "%s: %s", asked, error.message);
        if (rows[i].begins && !err) {
            crawl_slice input = line_of(&lines, "Signature-Input");
            cr_expect(cw_starts_with(input, rows[i].begins), "%s", lines.data);
            crawl_verification found = verify_lines(request, &lines, keys, NOW);
            bool has_agent = strstr(asked, "signature-agent");
            cr_expect_eq(found.verdict, has_agent ? CRAWL_VERIFIED : CRAWL_UNVERIFIED, "%s: %s", asked, found.why);
        }
        crawl_buf_free(&lines);
    }
    crawl_keys_free(keys);
    crawl_identity_free(key);
}

Test(identity_asked, a_nonce_is_sent_as_it_came_and_plain_http_never)
{
    crawl_identity *key;
    crawl_buf lines = {0};
    char longer[400];
    cr_assert_eq(crawl_identity_generate(&key), CRAWL_OK);
    crawl_signing signing = {
        .size = sizeof signing, .identity = key, .http = true, .asked = "a=(\"@authority\");nonce=\"a\\\"b\\\\c\""};
    crawl_message request = {.size = sizeof request, .url = crawl_slice_from("https://shop.example/")};
    cr_assert_eq(crawl_sign(&signing, &request, NOW, &lines, NULL), CRAWL_OK);
    cr_expect(strstr(lines.data, ";nonce=\"a\\\"b\\\\c\";tag=\"web-bot-auth\"\n"), "%s", lines.data);
    request.url = crawl_slice_from("http://shop.example/");
    cr_expect_eq(crawl_sign(&signing, &request, NOW, &lines, NULL), CRAWL_REFUSED);
    snprintf(longer, sizeof longer, "a=(\"@authority\");nonce=\"%0257d\"", 0);
    signing.asked = longer;
    cr_expect_eq(crawl_signing_check(&signing, NULL), CRAWL_REFUSED);
    longer[strlen(longer) - 2] = '\"';
    longer[strlen(longer) - 1] = '\0';
    cr_expect_eq(crawl_signing_check(&signing, NULL), CRAWL_OK);
    crawl_buf_free(&lines);
    crawl_identity_free(key);
}

/* ---- keys of others ---- */

Test(identity_keys, are_those_that_a_signature_can_be_verified_by)
{
    static const char text[] =
        "{\"keys\":[1,{\"kty\":\"EC\",\"crv\":\"P-256\"},{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" K1_X
        "\",\"kid\":\"other\",\"d\":\"AA\",\"nbf\":1795000000,\"exp\":1795086400.5},"
        "{\"kty\":\"RSA\",\"e\":\"AQAB\",\"n\":\"AQAB\"}]}";
    crawl_keys *keys;
    crawl_key_info info;
    crawl_buf many = {0};
    cr_assert_eq(crawl_keys_parse(crawl_slice_from(text), &keys, NULL), CRAWL_OK);
    cr_assert_eq(crawl_keys_count(keys), 1);
    crawl_keys_get(keys, 0, &info);
    cr_expect_str_eq(info.thumbprint, K1);
    cr_expect(info.is_ed25519 && info.has_kid && !info.kid_fits && info.has_private);
    cr_expect(info.not_before_s == 1795000000 && info.expires_s == 1795086400);
    crawl_keys_free(keys);
    cr_expect_eq(crawl_keys_parse(crawl_slice_from("{\"keys\":{}}"), &keys, NULL), CRAWL_EPARSE);
    cr_expect_eq(crawl_keys_parse(crawl_slice_from("[]"), &keys, NULL), CRAWL_EPARSE);
    cr_assert_eq(crawl_buf_append_text(&many, "{\"keys\":["), CRAWL_OK);
    for (unsigned i = 0; i < CRAWL_KEYS_MAX + 1; i++)
        cr_assert_eq(
            crawl_buf_printf(&many, "%s{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" K1_X "\"}", i ? "," : ""),
            CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&many, "]}"), CRAWL_OK);
    cr_expect_eq(crawl_keys_parse(crawl_buf_slice(&many), &keys, NULL), CRAWL_FULL);
    crawl_buf_free(&many);
}

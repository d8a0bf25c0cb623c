/* Any bytes about signatures from others: an Accept-Signature, and the header and keys of a signed message. The input
 * is header lines and, after an empty line, a set of keys. Besides memory safety, checks that a signature made on
 * request verifies for its own URL and for no other, and that nothing in an input verifies, since nobody signed it. */
#include "base/bytes.h"

#include <crawl/identity.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW ((int64_t)1795000000)
#define MAX_HEADERS 40

/* A published key; it signs only for loopback. */
static const char private_key[] =
    "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg\","
    "\"d\":\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\"}";

static const char url[] = "https://a.localhost/path?query";

static void require(bool holds)
{
    if (!holds)
        abort();
}

static size_t read_lines(crawl_slice *rest, crawl_header headers[MAX_HEADERS])
{
    size_t count = 0;
    while (rest->size && count < MAX_HEADERS) {
        crawl_slice line = cw_cut_line(rest);
        if (!line.size)
            break;
        headers[count].name = cw_cut(&line, ':');
        headers[count++].value = cw_trim(line);
    }
    return count;
}

/* Signs as the text asks and verifies the result. */
static void ask(const crawl_identity *identity, const crawl_keys *own, const char *asked)
{
    const crawl_header agent = {crawl_slice_from("User-Agent"), crawl_slice_from("bot/1")};
    crawl_header headers[1 + MAX_HEADERS] = {agent};
    crawl_message message = {
        .size = sizeof message, .url = crawl_slice_from(url), .headers = headers, .header_count = 1};
    const crawl_signing signing = {
        .size = sizeof signing, .identity = identity, .agent = "https://bot.example", .asked = asked};
    crawl_buf lines = {0};
    crawl_verification found;
    crawl_error error = {0};
    crawl_err err = crawl_sign(&signing, &message, NOW, &lines, &error);
    require(err == CRAWL_OK || (err == CRAWL_REFUSED && !lines.size && error.message[0]));
    if (!err) {
        crawl_slice rest = crawl_buf_slice(&lines);
        message.header_count += read_lines(&rest, headers + 1);
        require(!crawl_verify(&message, own, NOW, &found) && found.verdict != CRAWL_INVALID);
        message.url = crawl_slice_from("https://b.localhost/path?query");
        require(!crawl_verify(&message, own, NOW, &found) && found.verdict == CRAWL_INVALID);
    }
    crawl_buf_free(&lines);
}

/* Verifies the input as a request and as an answer, with the keys that it contains. */
static void judge(const crawl_message *message, const crawl_keys *keys)
{
    crawl_verification found;
    crawl_message answer = *message;
    answer.is_answer = true;
    require(!crawl_verify(message, keys, NOW, &found) && found.verdict != CRAWL_VERIFIED);
    require(found.verdict == CRAWL_VERIFIED || found.why[0]);
    for (size_t i = 0; i < crawl_keys_count(keys); i++)
        require(!crawl_directory_verify(&answer, keys, i, NOW, &found) && found.verdict == CRAWL_INVALID);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static crawl_identity *identity;
    static crawl_keys *own;
    crawl_keys *keys = NULL;
    crawl_header headers[MAX_HEADERS];
    crawl_buf json = {0};
    crawl_slice rest = crawl_slice_of(data, size);
    if (!identity) {
        require(!crawl_identity_parse(crawl_slice_from(private_key), &identity, NULL));
        const crawl_identity *const all[] = {identity};
        require(!crawl_directory_write(all, 1, &json) && !crawl_keys_parse(crawl_buf_slice(&json), &own, NULL));
        crawl_buf_free(&json);
    }
    crawl_message message = {.size = sizeof message, .url = crawl_slice_from(url), .headers = headers};
    message.header_count = read_lines(&rest, headers);
    message.body = rest;
    for (size_t i = 0; i < message.header_count; i++)
        if (cw_is_nocase(headers[i].name, "Accept-Signature")) {
            crawl_buf text = {0};
            require(!crawl_buf_append(&text, headers[i].value.data, headers[i].value.size));
            ask(identity, own, text.data ? text.data : "");
            crawl_buf_free(&text);
        }
    if (!crawl_keys_parse(rest, &keys, NULL))
        judge(&message, keys);
    crawl_keys_free(keys);
    crawl_buf_free(&json);
    return 0;
}

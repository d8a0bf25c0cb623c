#include "tools/upload/s3_sign.h"

#include "base/bytes.h"
#include "base/text/percent.h"
#include "base/writer.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

enum { SHA256_BYTES = 32, DATE_DIGITS = 8 };

static const char algorithm[] = "AWS4-HMAC-SHA256";

typedef struct s3_sign_mac {
    unsigned char bytes[SHA256_BYTES];
} s3_sign_mac;

/* False: out of memory. */
static bool s3_sign_text(crawl_slice key, crawl_slice text, s3_sign_mac *out)
{
    unsigned size;
    return HMAC(EVP_sha256(), key.data, (int)key.size, (const unsigned char *)text.data, text.size, out->bytes,
                &size) != NULL;
}

/* Derives the key of a day, a region and a service, each signed with the previous one. */
static bool s3_sign_derive(const cw_s3_signing *signing, s3_sign_mac *key)
{
    crawl_buf secret = {0};
    const crawl_slice steps[] = {crawl_slice_of(signing->date, DATE_DIGITS), crawl_slice_from(signing->region),
                                 crawl_slice_from("s3"), crawl_slice_from("aws4_request")};
    bool done = !crawl_buf_printf(&secret, "AWS4%s", signing->keys->secret) &&
                s3_sign_text(crawl_buf_slice(&secret), steps[0], key);
    for (size_t i = 1; i < sizeof steps / sizeof *steps && done; i++) {
        const s3_sign_mac before = *key;
        done = s3_sign_text(crawl_slice_of(before.bytes, SHA256_BYTES), steps[i], key);
    }
    crawl_buf_free(&secret);
    return done;
}

static void s3_sign_put_names(const cw_s3_signing *signing, cw_writer *out)
{
    const char *between = "";
    for (size_t i = 0; i < signing->header_count; i++) {
        if (!signing->headers[i].value)
            continue;
        cw_put_text(out, between);
        cw_put_text(out, signing->headers[i].name);
        between = ";";
    }
}

/* Writes the request in canonical form. */
static void s3_sign_put_request(const cw_s3_signing *signing, cw_writer *out)
{
    cw_put_format(out, "%s\n%s\n%s\n", signing->method, signing->path, signing->query);
    for (size_t i = 0; i < signing->header_count; i++)
        if (signing->headers[i].value)
            cw_put_format(out, "%s:%s\n", signing->headers[i].name, signing->headers[i].value);
    cw_put_char(out, '\n');
    s3_sign_put_names(signing, out);
    cw_put_format(out, "\n%s", signing->payload);
}

static void s3_sign_put_scope(const cw_s3_signing *signing, cw_writer *out)
{
    cw_put_format(out, "%.*s/%s/s3/aws4_request", (int)DATE_DIGITS, signing->date, signing->region);
}

/* Makes the signature in hexadecimal digits. */
static crawl_err s3_sign_make(const cw_s3_signing *signing, char digits[CW_S3_SHA256_SIZE])
{
    crawl_buf request = {0}, text = {0};
    cw_writer to_request = {.out = &request}, to_text = {.out = &text};
    s3_sign_mac hash, key, signature;
    s3_sign_put_request(signing, &to_request);
    bool done = !to_request.err && EVP_Digest(request.data, request.size, hash.bytes, NULL, EVP_sha256(), NULL) == 1;
    if (done) {
        cw_hex_encode(hash.bytes, SHA256_BYTES, digits);
        cw_put_format(&to_text, "%s\n%s\n", algorithm, signing->date);
        s3_sign_put_scope(signing, &to_text);
        cw_put_format(&to_text, "\n%s", digits);
        done = !to_text.err && s3_sign_derive(signing, &key) &&
               s3_sign_text(crawl_slice_of(key.bytes, SHA256_BYTES), crawl_buf_slice(&text), &signature);
    }
    if (done)
        cw_hex_encode(signature.bytes, SHA256_BYTES, digits);
    crawl_buf_free(&request);
    crawl_buf_free(&text);
    return done ? CRAWL_OK : CRAWL_ENOMEM;
}

crawl_err cw_s3_authorize(const cw_s3_signing *signing, crawl_buf *out)
{
    char digits[CW_S3_SHA256_SIZE];
    cw_writer to = {.out = out, .err = s3_sign_make(signing, digits)};
    cw_put_format(&to, "%s Credential=%s/", algorithm, signing->keys->id);
    s3_sign_put_scope(signing, &to);
    cw_put_text(&to, ",SignedHeaders=");
    s3_sign_put_names(signing, &to);
    cw_put_format(&to, ",Signature=%s", to.err ? "" : digits);
    return to.err;
}

crawl_err cw_s3_encode(crawl_slice text, bool is_query, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < text.size && !err; i++) {
        unsigned char c = (unsigned char)text.data[i];
        char escape[3];
        bool stays = (cw_percent_sets[c] & CW_UNRESERVED) || (c == '/' && !is_query);
        err = stays ? crawl_buf_append_char(out, (char)c)
                    : crawl_buf_append(out, escape, (size_t)(cw_percent_escape(escape, c) - escape));
    }
    return err;
}

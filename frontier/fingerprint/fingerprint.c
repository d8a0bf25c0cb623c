/* SHA-1 fingerprints of requests: see <crawl/fingerprint.h>. For a short input, a one-shot call spends most of its time
 * in the hash library's lookups and allocations; here the algorithm is fetched and the context created once. */
#include "base/bytes.h"
#include "base/sized.h"
#include "frontier/fingerprint/fingerprint_scrapy.h"

#include <crawl/fingerprint.h>
#include <crawl/url.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

/* Longer preimages are hashed piece by piece; nearly all URLs are shorter. */
enum { GATHERED = 2048 };

struct crawl_fingerprinter {
    EVP_MD *algorithm;
    EVP_MD_CTX *context;
    crawl_buf text; /* the text Scrapy would hash */
    char gathered[GATHERED];
};

crawl_fingerprinter *crawl_fingerprinter_create(void)
{
    crawl_fingerprinter *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    /* OpenSSL 3.0 reads through NULL if it had no memory for its default context. */
    if (OSSL_LIB_CTX_get0_global_default())
        f->algorithm = EVP_MD_fetch(NULL, "SHA1", NULL);
    f->context = EVP_MD_CTX_new();
    if (f->algorithm && f->context)
        return f;
    crawl_fingerprinter_free(f);
    return NULL;
}

void crawl_fingerprinter_free(crawl_fingerprinter *fingerprinter)
{
    if (!fingerprinter)
        return;
    EVP_MD_CTX_free(fingerprinter->context);
    EVP_MD_free(fingerprinter->algorithm);
    crawl_buf_free(&fingerprinter->text);
    free(fingerprinter);
}

static crawl_err hash_pieces(crawl_fingerprinter *f, const crawl_slice *pieces, size_t count, crawl_fingerprint *out)
{
    crawl_fingerprint hash;
    bool ok = EVP_DigestInit_ex2(f->context, f->algorithm, NULL);
    for (size_t i = 0; ok && i < count; i++)
        ok = !pieces[i].size || EVP_DigestUpdate(f->context, pieces[i].data, pieces[i].size);
    if (!ok || !EVP_DigestFinal_ex(f->context, hash.bytes, NULL))
        return CRAWL_ENOMEM;
    *out = hash;
    return CRAWL_OK;
}

crawl_err crawl_fingerprint_request(crawl_fingerprinter *fingerprinter, crawl_slice method, crawl_slice canonical,
                                    crawl_slice body, crawl_fingerprint *out)
{
    if (!method.size)
        method = crawl_slice_from("GET");
    crawl_slice newline = crawl_slice_of("\n", body.size ? 1 : 0);
    const crawl_slice pieces[] = {method, canonical, newline, body};
    bool fits = method.size < GATHERED && canonical.size < GATHERED - method.size;
    if (!fits)
        return hash_pieces(fingerprinter, pieces, 4, out);
    char *end = fingerprinter->gathered;
    for (size_t i = 0; i < 3; i++)
        if (pieces[i].size)
            end = mempcpy(end, pieces[i].data, pieces[i].size);
    size_t size = (size_t)(end - fingerprinter->gathered);
    const crawl_slice gathered[] = {crawl_slice_of(fingerprinter->gathered, size), body};
    return hash_pieces(fingerprinter, gathered, 2, out);
}

crawl_err crawl_fingerprint_by(crawl_fingerprinter *fingerprinter, const crawl_fingerprint_options *options,
                               crawl_slice method, crawl_slice canonical, crawl_slice body,
                               const crawl_fingerprint_header *headers, size_t header_count, crawl_fingerprint *out)
{
    crawl_fingerprint_options own;
    options = cw_sized(&own, sizeof own, options);
    if (!options)
        return CRAWL_EINVAL;
    if (options->kind == CRAWL_FINGERPRINT_DEFAULT)
        return crawl_fingerprint_request(fingerprinter, method, canonical, body, out);
    cw_fingerprint_scrapy_request request = {
        .method = method.size ? method : crawl_slice_from("GET"),
        .url = canonical,
        .body = body,
        .headers = headers,
        .header_count = header_count,
        .include = options->include_headers,
        .include_count = options->include_count,
    };
    crawl_buf_clear(&fingerprinter->text);
    crawl_err err = cw_fingerprint_scrapy_write(&request, options->kind, &fingerprinter->text);
    return err ? err : crawl_fingerprint_bytes(fingerprinter, crawl_buf_slice(&fingerprinter->text), out);
}

crawl_err crawl_fingerprint_bytes(crawl_fingerprinter *fingerprinter, crawl_slice bytes, crawl_fingerprint *out)
{
    return hash_pieces(fingerprinter, &bytes, 1, out);
}

void crawl_fingerprint_hex(const crawl_fingerprint *fingerprint, char out[41])
{
    cw_hex_encode(fingerprint->bytes, sizeof fingerprint->bytes, out);
}

void crawl_fingerprint_base32(const crawl_fingerprint *fingerprint, char out[33])
{
    cw_base32_encode(fingerprint->bytes, sizeof fingerprint->bytes, out);
}

/* Fingerprints of many URLs in one call, see <crawl/fingerprint.h>: canonical form and hash of each in turn, reusing
 * the same memory. */

/* A text without a canonical form is an expected answer, not a failure. */
static crawl_err hash_one(crawl_fingerprinter *fingerprinter, const crawl_fingerprint_options *options,
                          crawl_slice canonical, crawl_fingerprint *out)
{
    crawl_slice none = {0};
    return crawl_fingerprint_by(fingerprinter, options, none, canonical, none, NULL, 0, out);
}

crawl_err crawl_fingerprint_urls(crawl_fingerprinter *fingerprinter, crawl_fingerprint_kind kind,
                                 const crawl_slice *urls, size_t count, crawl_fingerprint *out, uint8_t *valid)
{
    crawl_fingerprint_options options = {.size = sizeof options, .kind = kind};
    crawl_canonical_options form = {.size = sizeof form, .profile = CRAWL_PROFILE_W3LIB};
    if (kind == CRAWL_FINGERPRINT_DEFAULT)
        form.profile = CRAWL_PROFILE_DEFAULT;
    crawl_buf canonical = {0};
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count && err != CRAWL_ENOMEM; i++) {
        crawl_buf_clear(&canonical);
        memset(&out[i], 0, sizeof out[i]);
        err = crawl_text_canonical(urls[i], &form, &canonical);
        if (!err)
            err = hash_one(fingerprinter, &options, crawl_buf_slice(&canonical), &out[i]);
        valid[i] = err == CRAWL_OK;
    }
    crawl_buf_free(&canonical);
    return err == CRAWL_ENOMEM ? err : CRAWL_OK;
}

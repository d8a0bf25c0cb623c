/* SHA-1 fingerprints of requests: see <crawl/fingerprint.h>. What the hash library looks up and allocates for each
 * one-shot call is most of its time for a short input; here the algorithm is fetched and the context made once. */
#include <crawl/fingerprint.h>

#include "base/bytes.h"
#include "base/sized.h"
#include "frontier/fingerprint/fingerprint_scrapy.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>

/* Longer preimages are hashed piece by piece; nearly all URLs are shorter. */
enum { GATHERED = 2048 };

struct crawl_fingerprinter {
    EVP_MD *algorithm;
    EVP_MD_CTX *context;
    crawl_buf text; /* that Scrapy would hash */
    char gathered[GATHERED];
};

crawl_fingerprinter *crawl_fingerprinter_create(void)
{
    crawl_fingerprinter *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    /* OpenSSL 3.0 reads through NULL where it had no memory for its default context. */
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

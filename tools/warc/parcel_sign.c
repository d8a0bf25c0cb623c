#include "tools/warc/parcel_sign.h"

#include "base/bytes.h"
#include "base/writer.h"
#include "tools/warc/zip.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

enum { HALF = 48, SPKI = 120, DER_MAX = 256 };

/* Converts DER to the bytes of r and s, which WebCrypto takes. */
static bool parcel_halves(const unsigned char *der, size_t size, unsigned char halves[2 * HALF])
{
    ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &der, (long)size);
    bool is_whole = pair && BN_bn2binpad(ECDSA_SIG_get0_r(pair), halves, HALF) == HALF &&
                    BN_bn2binpad(ECDSA_SIG_get0_s(pair), halves + HALF, HALF) == HALF;
    ECDSA_SIG_free(pair);
    return is_whole;
}

static bool parcel_sign_text(EVP_PKEY *key, const char *text, unsigned char halves[2 * HALF])
{
    unsigned char der[DER_MAX];
    size_t size = sizeof der;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is_signed = context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
                     EVP_DigestSign(context, der, &size, (const unsigned char *)text, strlen(text)) == 1 &&
                     parcel_halves(der, size, halves);
    EVP_MD_CTX_free(context);
    return is_signed;
}

static void parcel_put_base64(cw_writer *out, const char *before, const void *bytes, size_t size)
{
    cw_put_text(out, before);
    if (!out->err)
        out->err = cw_base64_append(crawl_slice_of(bytes, size), out->out);
}

crawl_err cw_parcel_sign(crawl_slice datapackage, const char *created, crawl_buf *out)
{
    unsigned char halves[2 * HALF] = {0}, *spki = NULL;
    char hash[sizeof "sha256:" + 64] = "sha256:";
    cw_writer to = {.out = out, .err = cw_zip_sha256(datapackage, hash + strlen(hash))};
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-384");
    bool is_signed = key && i2d_PUBKEY(key, &spki) == SPKI && parcel_sign_text(key, hash, halves);
    if (!to.err && !is_signed)
        to.err = CRAWL_ENOMEM;
    cw_put_format(&to,
                  "{\"path\":\"datapackage.json\",\"hash\":\"%s\",\"signedData\":{\"hash\":\"%s\",\"created\":\"%s\"",
                  hash, hash, created);
    cw_put_format(&to, ",\"software\":\"crawl %s\",\"version\":\"0.1.0\"", crawl_version());
    parcel_put_base64(&to, ",\"signature\":\"", halves, sizeof halves);
    parcel_put_base64(&to, "\",\"publicKey\":\"", spki, SPKI);
    cw_put_text(&to, "\"}}\n");
    OPENSSL_free(spki);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return to.err;
}

/* Decodes base64 of a multiple of three bytes, which has no padding. */
static bool parcel_decode(crawl_slice text, unsigned char *out, size_t size)
{
    return text.size == size / 3 * 4 &&
           EVP_DecodeBlock(out, (const unsigned char *)text.data, (int)text.size) == (int)size;
}

bool cw_parcel_is_signed(crawl_slice text, crawl_slice key, crawl_slice signature)
{
    unsigned char spki[SPKI], halves[2 * HALF], *der = NULL;
    const unsigned char *at = spki;
    if (!parcel_decode(key, spki, sizeof spki) || !parcel_decode(signature, halves, sizeof halves))
        return false;
    EVP_PKEY *public = d2i_PUBKEY(NULL, &at, SPKI);
    ECDSA_SIG *pair = ECDSA_SIG_new();
    if (pair)
        ECDSA_SIG_set0(pair, BN_bin2bn(halves, HALF, NULL), BN_bin2bn(halves + HALF, HALF, NULL));
    int size = pair ? i2d_ECDSA_SIG(pair, &der) : -1;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool fits = public && size > 0 && context && EVP_PKEY_get_bits(public) == 8 * HALF &&
                EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, public) == 1 &&
                EVP_DigestVerify(context, der, (size_t)size, (const unsigned char *)text.data, text.size) == 1;
    EVP_MD_CTX_free(context);
    OPENSSL_free(der);
    ECDSA_SIG_free(pair);
    EVP_PKEY_free(public);
    ERR_clear_error();
    return fits;
}

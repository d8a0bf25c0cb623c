#include "fetch/identity/public_key.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/json/pick.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

enum {
    LEAST_RSA_BITS = 2048,
    MOST_RSA_BITS = 8192, /* bounds the time to verify with a stranger's key */
    MOST_EXPONENT_BYTES = 8,
    SALT_BYTES = 64,
};

bool cw_identity_has_crypto(void)
{
    return OSSL_LIB_CTX_get0_global_default() != NULL;
}

/* ---- base64 for URLs ---- */

crawl_err cw_identity_base64url_append(crawl_slice bytes, crawl_buf *out)
{
    size_t start = out->size;
    crawl_err err = cw_base64_append(bytes, out);
    if (err || out->size == start)
        return err;
    while (out->data[out->size - 1] == '=')
        out->size--;
    out->data[out->size] = '\0';
    for (char *at = out->data + start; *at; at++)
        *at = *at == '+' ? '-' : *at == '/' ? '_' : *at;
    return CRAWL_OK;
}

/* Unused bits of the last digit must be zero. */
bool cw_identity_base64url_read(crawl_slice text, uint8_t *out, size_t most, size_t *size)
{
    static const int beyond[4] = {[2] = 15, [3] = 3};
    size_t rest = text.size % 4;
    if (rest == 1 || text.size / 4 * 3 + rest * 3 / 4 > most)
        return false;
    return cw_base64_decode(text, "-_", out, size) == text.size &&
           (!rest || !(cw_base64_value((unsigned char)text.data[text.size - 1], "-_") & beyond[rest]));
}

/* ---- the thumbprint (RFC 7638, 3) ---- */

/* json: only the required members, in the order of their names. */
static crawl_err thumbprint_of(const crawl_buf *json, char out[CRAWL_IDENTITY_THUMBPRINT_SIZE + 1])
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    crawl_buf text = {0};
    if (!cw_identity_has_crypto() || EVP_Digest(json->data, json->size, digest, &size, EVP_sha256(), NULL) != 1)
        return CRAWL_ENOMEM;
    crawl_err err = cw_identity_base64url_append(crawl_slice_of(digest, size), &text);
    if (!err)
        memcpy(out, text.data, CRAWL_IDENTITY_THUMBPRINT_SIZE + 1);
    crawl_buf_free(&text);
    return err;
}

crawl_err cw_identity_thumbprint(const uint8_t bytes[CRAWL_IDENTITY_KEY_SIZE],
                                 char out[CRAWL_IDENTITY_THUMBPRINT_SIZE + 1])
{
    crawl_buf json = {0};
    crawl_err err = crawl_buf_append_text(&json, "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"");
    if (!err)
        err = cw_identity_base64url_append(crawl_slice_of(bytes, CRAWL_IDENTITY_KEY_SIZE), &json);
    if (!err)
        err = crawl_buf_append_text(&json, "\"}");
    if (!err)
        err = thumbprint_of(&json, out);
    crawl_buf_free(&json);
    return err;
}

/* ---- creating ---- */

static crawl_err public_key_ed25519(const uint8_t bytes[CRAWL_IDENTITY_KEY_SIZE], cw_identity_public *out)
{
    out->is_ed25519 = true;
    crawl_err err = cw_identity_thumbprint(bytes, out->thumbprint);
    if (!err)
        out->key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, CRAWL_IDENTITY_KEY_SIZE);
    ERR_clear_error();
    return err ? err : out->key ? CRAWL_OK : CRAWL_ENOMEM;
}

static EVP_PKEY *rsa_of(crawl_slice modulus, crawl_slice exponent)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    BIGNUM *n = BN_bin2bn((const unsigned char *)modulus.data, (int)modulus.size, NULL);
    BIGNUM *e = BN_bin2bn((const unsigned char *)exponent.data, (int)exponent.size, NULL);
    bool is_built = context && build && n && e && OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, n) &&
                    OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, e);
    OSSL_PARAM *params = is_built ? OSSL_PARAM_BLD_to_param(build) : NULL;
    if (params && EVP_PKEY_fromdata_init(context) == 1)
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    BN_free(n);
    BN_free(e);
    EVP_PKEY_CTX_free(context);
    ERR_clear_error();
    return key;
}

static crawl_err parse_rsa(crawl_slice n, crawl_slice e, cw_identity_public *out, crawl_error *error)
{
    uint8_t modulus[MOST_RSA_BITS / 8];
    uint8_t exponent[MOST_EXPONENT_BYTES];
    size_t size = 0, exponent_size = 0;
    crawl_buf json = {0};
    if (!cw_identity_base64url_read(n, modulus, sizeof modulus, &size) || size < LEAST_RSA_BITS / 8 ||
        !cw_identity_base64url_read(e, exponent, sizeof exponent, &exponent_size) || !exponent_size)
        return crawl_error_set(error, CRAWL_EPARSE,
                               "an RSA key needs \"n\" of %d to %d bits and \"e\" of 8 bytes at most", LEAST_RSA_BITS,
                               MOST_RSA_BITS);
    crawl_err err = crawl_buf_printf(&json, "{\"e\":\"%.*s\",\"kty\":\"RSA\",\"n\":\"%.*s\"}", (int)e.size, e.data,
                                     (int)n.size, n.data);
    if (!err)
        err = thumbprint_of(&json, out->thumbprint);
    crawl_buf_free(&json);
    if (err)
        return cw_error(error, err);
    out->key = rsa_of(crawl_slice_of(modulus, size), crawl_slice_of(exponent, exponent_size));
    return out->key ? CRAWL_OK : crawl_error_set(error, CRAWL_EPARSE, "its numbers are not an RSA key");
}

static crawl_err parse_ed25519(crawl_slice x, cw_identity_public *out, crawl_error *error)
{
    uint8_t bytes[CRAWL_IDENTITY_KEY_SIZE];
    size_t size;
    if (!cw_identity_base64url_read(x, bytes, sizeof bytes, &size) || size != sizeof bytes)
        return crawl_error_set(error, CRAWL_EPARSE, "an Ed25519 key needs \"x\", 32 bytes in base64url");
    crawl_err err = public_key_ed25519(bytes, out);
    return err ? cw_error(error, err) : CRAWL_OK;
}

crawl_err cw_identity_public_parse(crawl_slice jwk, cw_identity_public *out, crawl_error *error)
{
    enum { KTY, CRV, X, N, E, COUNT };
    static const crawl_slice names[COUNT] = {CW_JSON_NAME("kty"), CW_JSON_NAME("crv"), CW_JSON_NAME("x"),
                                             CW_JSON_NAME("n"), CW_JSON_NAME("e")};
    cw_json_value values[COUNT];
    crawl_slice texts[COUNT];
    if (!cw_json_pick(jwk, names, COUNT, values))
        return crawl_error_set(error, CRAWL_EPARSE, "a key is not a JSON object");
    for (size_t i = 0; i < COUNT; i++) /* none of them needs an escape */
        texts[i] = values[i].kind == CW_JSON_STRING && !values[i].has_escapes ? values[i].bytes : (crawl_slice){0};
    if (cw_is(texts[KTY], "OKP") && cw_is(texts[CRV], "Ed25519"))
        return parse_ed25519(texts[X], out, error);
    if (cw_is(texts[KTY], "RSA"))
        return parse_rsa(texts[N], texts[E], out, error);
    return crawl_error_set(error, CRAWL_EPARSE, "a key is neither Ed25519 (\"kty\":\"OKP\") nor RSA");
}

void cw_identity_public_free(cw_identity_public *key)
{
    EVP_PKEY_free(key->key);
    *key = (cw_identity_public){0};
}

/* ---- verifying ---- */

static bool begin_pss(EVP_MD_CTX *context, EVP_PKEY *key)
{
    EVP_PKEY_CTX *of_key = NULL; /* owned by the context */
    return EVP_DigestVerifyInit(context, &of_key, EVP_sha512(), NULL, key) == 1 &&
           EVP_PKEY_CTX_set_rsa_padding(of_key, RSA_PKCS1_PSS_PADDING) == 1 &&
           EVP_PKEY_CTX_set_rsa_pss_saltlen(of_key, SALT_BYTES) == 1;
}

crawl_err cw_identity_public_verify(const cw_identity_public *key, crawl_slice bytes, crawl_slice signature,
                                    bool *is_its_own)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool begun = context && (key->is_ed25519 ? EVP_DigestVerifyInit(context, NULL, NULL, NULL, key->key) == 1
                                             : begin_pss(context, key->key));
    *is_its_own = begun && EVP_DigestVerify(context, (const unsigned char *)signature.data, signature.size,
                                            (const unsigned char *)bytes.data, bytes.size) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return begun ? CRAWL_OK : CRAWL_ENOMEM;
}

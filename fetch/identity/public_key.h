/* A public key from a JWK (RFC 7517; RFC 8037 for Ed25519, RFC 7518, 6.3 for RSA): its thumbprint, and the verification
 * of its signatures. */
#pragma once

#include <crawl/identity.h>
#include <openssl/evp.h>

typedef struct cw_identity_public {
    EVP_PKEY *key;
    bool is_ed25519; /* otherwise RSA */
    char thumbprint[CRAWL_IDENTITY_THUMBPRINT_SIZE + 1];
} cw_identity_public;

/* Returns true if libcrypto can be called. OpenSSL 3.0 dereferences NULL if it had no memory for its default context.
 * Must be called before any other libcrypto call. */
bool cw_identity_has_crypto(void);

/* Parses a key; *out must be {0}. CRAWL_EPARSE: error says why (may be NULL). CRAWL_ENOMEM. */
crawl_err cw_identity_public_parse(crawl_slice jwk, cw_identity_public *out, crawl_error *error);
void cw_identity_public_free(cw_identity_public *key);

/* Verifies a signature of these bytes: pure Ed25519, or RSASSA-PSS with SHA-512 and a salt of 64 bytes (RFC 9421, 3.3.1
 * and 3.3.6). *is_its_own: the key made it. CRAWL_ENOMEM. */
crawl_err cw_identity_public_verify(const cw_identity_public *key, crawl_slice bytes, crawl_slice signature,
                                    bool *is_its_own);

/* Writes the thumbprint of an Ed25519 key. CRAWL_ENOMEM. */
crawl_err cw_identity_thumbprint(const uint8_t bytes[CRAWL_IDENTITY_KEY_SIZE],
                                 char out[CRAWL_IDENTITY_THUMBPRINT_SIZE + 1]);

/* Encode and decode base64 with the URL alphabet, without padding (RFC 7515, 2). Decoding writes *size bytes, at most
 * `most`; false: invalid, or more. */
crawl_err cw_identity_base64url_append(crawl_slice bytes, crawl_buf *out);
bool cw_identity_base64url_read(crawl_slice text, uint8_t *out, size_t most, size_t *size);

/* Returns the key with this thumbprint; NULL: there is none. keys may be NULL. */
const cw_identity_public *cw_identity_keys_find(const crawl_keys *keys, crawl_slice thumbprint);
/* Returns a key. index must be below the count. */
const cw_identity_public *cw_identity_keys_at(const crawl_keys *keys, size_t index);

/* Signs bytes. CRAWL_ENOMEM, or the error of the signer that holds the key. */
crawl_err cw_identity_sign_bytes(const crawl_identity *identity, crawl_slice bytes,
                                 uint8_t signature[CRAWL_IDENTITY_SIGNATURE_SIZE]);

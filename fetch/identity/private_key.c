/* Creates, reads, writes and frees keys. All memory that held the seed is overwritten before it is freed: the text of a
 * file, and everything decoded from it; OpenSSL does the same for its own. */

#include "base/bytes.h"
#include "base/error.h"
#include "base/json/pick.h"
#include "base/utf8.h"
#include "fetch/identity/public_key.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Maximum bytes of a key file: PEM has about 120, a JWK hardly more. */
enum { MAX_FILE = 16 * 1024 };

struct crawl_identity {
    EVP_PKEY *key;     /* NULL: the signer has it */
    EVP_MD_CTX *ready; /* for signing by key; copied for each signature, since creating one takes 20,000 instructions */
    crawl_identity_signer signer;
    void *user;
    uint8_t bytes[CRAWL_IDENTITY_KEY_SIZE];
    char thumbprint[CRAWL_IDENTITY_THUMBPRINT_SIZE + 1];
};

/* The keys of RFC 9421, B.1.4, also used by the drafts of Web Bot Auth, and of RFC 8037, A.1; and those whose seeds are
 * 32 consecutive bytes, as in test vectors. */
static const char *const published[] = {
    "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
    "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
    "1IG2tMH7J2wbJZnOf8LJzQitKf7LMvoAElsuDMVM54Y",
    "AkXIZFzonb59ZmGwyKgi3H3BwMi6amevqdKQiLZhdtc",
};

/* ---- creating ---- */

/* Takes ownership of key, and frees it on failure; NULL: out of memory for one. */
static crawl_err identity_of(EVP_PKEY *key, crawl_identity **out)
{
    crawl_identity *identity = key ? calloc(1, sizeof *identity) : NULL;
    size_t size = CRAWL_IDENTITY_KEY_SIZE;
    if (!identity) {
        EVP_PKEY_free(key);
        return CRAWL_ENOMEM;
    }
    identity->key = key;
    identity->ready = EVP_MD_CTX_new();
    if (identity->ready && EVP_DigestSignInit(identity->ready, NULL, NULL, NULL, key) == 1 &&
        EVP_PKEY_get_raw_public_key(key, identity->bytes, &size) == 1 &&
        !cw_identity_thumbprint(identity->bytes, identity->thumbprint)) {
        *out = identity;
        return CRAWL_OK;
    }
    ERR_clear_error();
    crawl_identity_free(identity);
    return CRAWL_ENOMEM;
}

crawl_err crawl_identity_generate(crawl_identity **out)
{
    if (!cw_identity_has_crypto())
        return CRAWL_ENOMEM;
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    if (key)
        return identity_of(key, out);
    ERR_clear_error();
    return CRAWL_EIO;
}

crawl_err crawl_identity_hold(const uint8_t public_key[CRAWL_IDENTITY_KEY_SIZE], crawl_identity_signer signer,
                              void *user, crawl_identity **out)
{
    if (!signer)
        return CRAWL_EINVAL;
    crawl_identity *identity = calloc(1, sizeof *identity);
    if (!identity || cw_identity_thumbprint(public_key, identity->thumbprint)) {
        free(identity);
        return CRAWL_ENOMEM;
    }
    memcpy(identity->bytes, public_key, sizeof identity->bytes);
    identity->signer = signer;
    identity->user = user;
    *out = identity;
    return CRAWL_OK;
}

void crawl_identity_free(crawl_identity *identity)
{
    if (!identity)
        return;
    EVP_MD_CTX_free(identity->ready);
    EVP_PKEY_free(identity->key);
    free(identity);
}

/* ---- reading ---- */

/* Refuses a key with a passphrase, for which OpenSSL would prompt at the terminal. */
static int private_key_passphrase(char *, int, int, void *)
{
    return -1;
}

/* Returns true if libcrypto ran out of memory. Empties its error queue. */
static bool had_no_memory(void)
{
    bool found = false;
    for (unsigned long code; (code = ERR_get_error());)
        found = found || ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE;
    return found;
}

static crawl_err parse_pem(crawl_slice text, crawl_identity **out, crawl_error *error)
{
    ERR_clear_error();
    BIO *bio = BIO_new_mem_buf(text.data, (int)text.size);
    EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, private_key_passphrase, NULL) : NULL;
    BIO_free(bio);
    bool no_memory = !bio || had_no_memory();
    ERR_clear_error();
    if (key && EVP_PKEY_get_id(key) == EVP_PKEY_ED25519) {
        crawl_err err = identity_of(key, out);
        return err ? cw_error(error, err) : CRAWL_OK;
    }
    EVP_PKEY_free(key);
    if (no_memory)
        return cw_error(error, CRAWL_ENOMEM);
    return crawl_error_set(error, CRAWL_EPARSE,
                           "not an unencrypted Ed25519 private key in PEM (\"BEGIN PRIVATE KEY\")");
}

/* Reads a member of 32 bytes, which must not have escapes: none of its characters needs one. */
static bool private_key_member(const cw_json_value *value, uint8_t bytes[CRAWL_IDENTITY_KEY_SIZE])
{
    size_t size;
    return value->kind == CW_JSON_STRING && !value->has_escapes &&
           cw_identity_base64url_read(value->bytes, bytes, CRAWL_IDENTITY_KEY_SIZE, &size) &&
           size == CRAWL_IDENTITY_KEY_SIZE;
}

static crawl_err parse_jwk(crawl_slice text, crawl_identity **out, crawl_error *error)
{
    enum { KTY, CRV, X, D, COUNT };
    static const crawl_slice names[COUNT] = {CW_JSON_NAME("kty"), CW_JSON_NAME("crv"), CW_JSON_NAME("x"),
                                             CW_JSON_NAME("d")};
    cw_json_value values[COUNT];
    uint8_t seed[CRAWL_IDENTITY_KEY_SIZE], bytes[CRAWL_IDENTITY_KEY_SIZE];
    if (cw_utf8_valid_prefix(text) < text.size || !cw_json_pick(text, names, COUNT, values) ||
        !cw_is(values[KTY].bytes, "OKP") || !cw_is(values[CRV].bytes, "Ed25519") ||
        !private_key_member(&values[X], bytes) || !private_key_member(&values[D], seed))
        return crawl_error_set(
            error, CRAWL_EPARSE,
            "not a private key as a JWK: it needs \"kty\":\"OKP\", \"crv\":\"Ed25519\", \"x\" and \"d\"");
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, sizeof seed);
    OPENSSL_cleanse(seed, sizeof seed);
    crawl_err err = identity_of(key, out);
    if (err)
        return cw_error(error, err);
    if (memcmp((*out)->bytes, bytes, sizeof bytes) == 0)
        return CRAWL_OK;
    crawl_identity_free(*out);
    *out = NULL;
    return crawl_error_set(error, CRAWL_EPARSE, "\"x\" is not the public half of \"d\"");
}

crawl_err crawl_identity_parse(crawl_slice text, crawl_identity **out, crawl_error *error)
{
    crawl_slice start = cw_trim_start(text);
    if (text.size > MAX_FILE)
        return crawl_error_set(error, CRAWL_EPARSE, "too long for a key");
    if (!cw_identity_has_crypto())
        return cw_error(error, CRAWL_ENOMEM);
    return cw_starts_with(start, "{") ? parse_jwk(start, out, error) : parse_pem(text, out, error);
}

/* ---- a file ---- */

/* Reads at most size bytes; -1: errno says why. */
static ssize_t read_all(int file, char *bytes, size_t size)
{
    size_t filled = 0;
    while (filled < size) {
        ssize_t got = read(file, bytes + filled, size - filled);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return -1;
        filled += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)filled;
}

static crawl_err parse_file(int file, const char *path, crawl_identity **out, crawl_error *error)
{
    char *text = malloc(MAX_FILE + 1);
    crawl_error why = {0};
    if (!text)
        return cw_error(error, CRAWL_ENOMEM);
    ssize_t size = read_all(file, text, MAX_FILE + 1);
    crawl_err err =
        size < 0 ? cw_error_of_file(error, path) : crawl_identity_parse(crawl_slice_of(text, (size_t)size), out, &why);
    OPENSSL_cleanse(text, MAX_FILE + 1);
    free(text);
    return size < 0 || !err ? err : crawl_error_set(error, err, "%s: %s", path, why.message);
}

crawl_err crawl_identity_read(const char *path, crawl_identity **out, crawl_error *error)
{
    struct stat facts;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &facts) != 0) {
        cw_error_of_file(error, path);
        if (file >= 0)
            close(file);
        return CRAWL_EIO;
    }
    crawl_err err =
        S_ISREG(facts.st_mode) && (facts.st_mode & (S_IRWXG | S_IRWXO))
            ? crawl_error_set(error, CRAWL_REFUSED,
                              "%s holds a private key and may be read or written by others; chmod 600 %s", path, path)
            : parse_file(file, path, out, error);
    close(file);
    return err;
}

/* ---- using ---- */

const uint8_t *crawl_identity_key(const crawl_identity *identity)
{
    return identity->bytes;
}

const char *crawl_identity_thumbprint(const crawl_identity *identity)
{
    return identity->thumbprint;
}

bool crawl_identity_is_published(const crawl_identity *identity)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        if (strcmp(identity->thumbprint, published[i]) == 0)
            return true;
    return false;
}

crawl_err crawl_identity_write(const crawl_identity *identity, crawl_buf *out)
{
    if (!identity->key)
        return CRAWL_ESTATE;
    BIO *bio = BIO_new(BIO_s_secmem());
    char *text = NULL;
    crawl_err err = CRAWL_ENOMEM;
    if (bio && PEM_write_bio_PKCS8PrivateKey(bio, identity->key, NULL, NULL, 0, NULL, NULL) == 1) {
        long size = BIO_get_mem_data(bio, &text);
        err = crawl_buf_append(out, text, (size_t)size);
    }
    if (text)
        OPENSSL_cleanse(text, (size_t)BIO_get_mem_data(bio, &text));
    BIO_free(bio);
    ERR_clear_error();
    return err;
}

crawl_err cw_identity_sign_bytes(const crawl_identity *identity, crawl_slice bytes,
                                 uint8_t signature[CRAWL_IDENTITY_SIGNATURE_SIZE])
{
    if (!identity->key)
        return identity->signer(identity->user, bytes, signature);
    size_t size = CRAWL_IDENTITY_SIGNATURE_SIZE;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool done = context && EVP_MD_CTX_copy_ex(context, identity->ready) == 1 &&
                EVP_DigestSign(context, signature, &size, (const unsigned char *)bytes.data, bytes.size) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return done ? CRAWL_OK : CRAWL_ENOMEM;
}

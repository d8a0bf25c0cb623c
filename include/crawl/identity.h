/* The identity of a crawler: an Ed25519 key with which it signs its requests, so that servers can tell it from others
 * that use its name (Web Bot Auth, draft-ietf-webbotauth-httpsig-protocol-01, over RFC 9421; keys by RFC 8037 and RFC
 * 7638). A fetcher signs its requests by crawl_fetch_request.signing; the calls here also sign and verify for programs
 * that transfer by other means. */
#ifndef CRAWL_IDENTITY_H
#define CRAWL_IDENTITY_H

#include <crawl/fetch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a public key and of a signature; characters of a thumbprint. */
#define CRAWL_IDENTITY_KEY_SIZE 32
#define CRAWL_IDENTITY_SIGNATURE_SIZE 64
#define CRAWL_IDENTITY_THUMBPRINT_SIZE 43

/* Path of a host's keys below its origin, and the media type required there. */
#define CRAWL_IDENTITY_WELL_KNOWN "/.well-known/http-message-signatures-directory"
#define CRAWL_IDENTITY_MEDIA_TYPE "application/http-message-signatures-directory+json"

/* A private key, or access to one held elsewhere. Immutable; thread-safe. */
typedef struct crawl_identity crawl_identity;

/* Signs bytes by pure Ed25519 (RFC 8032, 5.1.6) with a key held elsewhere: in another process, in hardware. May be
 * called from any thread, several at once. The call that needed the signature returns its error. */
typedef crawl_err (*crawl_identity_signer)(void *user, crawl_slice bytes,
                                           uint8_t signature[CRAWL_IDENTITY_SIGNATURE_SIZE]);

/* Creates a new key. CRAWL_ENOMEM; CRAWL_EIO: the system has no random bytes. */
CRAWL_API crawl_err crawl_identity_generate(crawl_identity **out);
/* Parses a private key: PKCS 8 in PEM (RFC 8410), or a JWK (RFC 8037) with "d". CRAWL_EPARSE: not an Ed25519 key, or
 * its halves do not match. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_identity_parse(crawl_slice text, crawl_identity **out, crawl_error *error);
/* Reads a private key from a file. CRAWL_REFUSED: others than its owner may read or write it. CRAWL_EIO: it cannot be
 * read. Otherwise as crawl_identity_parse. */
CRAWL_API crawl_err crawl_identity_read(const char *path, crawl_identity **out, crawl_error *error);
/* Wraps a key whose private half only signer has. CRAWL_EINVAL: signer is NULL. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_identity_hold(const uint8_t public_key[CRAWL_IDENTITY_KEY_SIZE], crawl_identity_signer signer,
                                        void *user, crawl_identity **out);
/* Frees the key and overwrites its memory. */
CRAWL_API void crawl_identity_free(crawl_identity *identity);

/* Return the public half, and its thumbprint (RFC 7638), which names the key: both borrowed. */
CRAWL_API const uint8_t *crawl_identity_key(const crawl_identity *identity);
CRAWL_API const char *crawl_identity_thumbprint(const crawl_identity *identity);
/* Returns true if this is a key printed in a standard. Anybody can sign with it, so it is only usable for loopback. */
CRAWL_API bool crawl_identity_is_published(const crawl_identity *identity);
/* Appends the private key as PKCS 8 in PEM. The caller must overwrite it. CRAWL_ESTATE: it is held elsewhere.
 * CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_identity_write(const crawl_identity *identity, crawl_buf *out);

/* Appends the thumbprint of a public JWK: a JSON object of kty OKP or RSA, whose other members do not count (RFC 7638,
 * 3). CRAWL_EPARSE: not such an object. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_jwk_thumbprint(crawl_slice jwk, crawl_buf *out, crawl_error *error);

/* --- signing --- */

/* The form of the Signature-Agent header: that of the draft, also selected by 0, or that of 2025. */
typedef enum crawl_signing_form {
    CRAWL_SIGNING_DICTIONARY = 1, /* sig1="https://bot.example/keys" */
    CRAWL_SIGNING_STRING          /* "https://bot.example" */
} crawl_signing_form;

/* The signed parts of a request, besides Signature-Agent. */
typedef enum crawl_signing_components {
    CRAWL_SIGNING_FULL,   /* authority, method, path, query */
    CRAWL_SIGNING_MINIMAL /* authority */
} crawl_signing_components;

/* Seconds that a signature is valid, starting CRAWL_SIGNING_EARLY_S before it is made: the clocks of verifiers
 * differ. */
#define CRAWL_SIGNING_EARLY_S 5
#define CRAWL_SIGNING_LIFE_S 65

/* How requests are signed. Borrowed, with everything it points to, by the call that takes it. */
typedef struct crawl_signing {
    size_t size; /* sizeof(crawl_signing) */
    const crawl_identity *identity;
    const char *agent; /* an https URL where the public key is found; NULL: sends no Signature-Agent */
    crawl_signing_form form;
    crawl_signing_components components;
    bool http;         /* also signs requests over plain http */
    const char *asked; /* the value of an Accept-Signature (RFC 9421, 5) to answer: its label, components and nonce
                          replace our own, and plain http is never signed; NULL: none */
} crawl_signing;

/* A request, or the answer to one. Everything is borrowed. */
typedef struct crawl_message {
    size_t size;                 /* sizeof(crawl_message) */
    crawl_slice method;          /* of the request; empty: GET */
    crawl_slice url;             /* of the request, absolute, with path and query as sent */
    const crawl_header *headers; /* of the request, or of the answer */
    size_t header_count;
    crawl_slice body; /* of the request, or of the answer */
    bool is_answer;
} crawl_message;

/* Checks whether requests can be signed this way. CRAWL_EINVAL: an agent that is not an https URL, or contains bytes
 * forbidden in headers; wrong size. CRAWL_REFUSED: signing->asked cannot be answered; error says why. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_signing_check(const crawl_signing *signing, crawl_error *error);
/* Appends the "Name: value" lines, each ended by \n, to add to the request: Signature-Agent, Signature-Input,
 * Signature, and Content-Digest if that was asked for. now_s: since 1970. Each call uses a new nonce. CRAWL_REFUSED:
 * the URL is plain http, or the key is published and the host is not loopback, or as above. CRAWL_EINVAL: as above, or
 * the URL or a header is invalid. CRAWL_EIO: no random bytes. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_sign(const crawl_signing *signing, const crawl_message *request, int64_t now_s,
                               crawl_buf *out, crawl_error *error);

/* --- verifying --- */

/* Public keys by their thumbprints. Immutable; thread-safe. */
typedef struct crawl_keys crawl_keys;

/* Maximum number of keys in a set, and bytes of its JSON: a bot has one or two keys. */
#define CRAWL_KEYS_MAX 64
#define CRAWL_KEYS_BYTES (64 * 1024)

/* Parses a JWK Set (RFC 7517, 5): keys of Ed25519 and RSA (RSASSA-PSS with SHA-512, of 2048 to 8192 bits); ignores
 * others. CRAWL_EPARSE: not a JSON object with a list "keys"; CRAWL_FULL: above a maximum; CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_keys_parse(crawl_slice json, crawl_keys **out, crawl_error *error);
CRAWL_API void crawl_keys_free(crawl_keys *keys);

/* A key of a set. */
typedef struct crawl_key_info {
    char thumbprint[CRAWL_IDENTITY_THUMBPRINT_SIZE + 1];
    bool is_ed25519; /* otherwise RSA */
    bool has_kid;
    bool kid_fits;        /* it equals the thumbprint */
    bool has_private;     /* the set exposes its private half */
    int64_t not_before_s; /* 0: not given */
    int64_t expires_s;    /* 0: not given */
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_key_info;
/* Returns the number of keys of these kinds in the set. */
CRAWL_API size_t crawl_keys_count(const crawl_keys *keys);
/* Returns a key. index must be below the count. */
CRAWL_API void crawl_keys_get(const crawl_keys *keys, size_t index, crawl_key_info *out);

/* The verdict on a signature of a request. */
typedef enum crawl_signature_verdict {
    CRAWL_VERIFIED,
    CRAWL_UNVERIFIED, /* nothing shows that it is wrong, or who signed: no Signature-Agent, or another's key */
    CRAWL_INVALID     /* malformed, outside its time, or not of this request */
} crawl_signature_verdict;

/* The facts of a signature. */
typedef struct crawl_verification {
    crawl_signature_verdict verdict;
    const char *why;   /* the reason in words, static; "" for VERIFIED */
    crawl_slice label; /* of the signature, borrowed from the message; empty: none could be read */
    crawl_slice keyid; /* borrowed from the message */
    int64_t created_s; /* 0: not given */
    int64_t expires_s;
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_verification;

/* Verifies the first signature of a request whose tag is "web-bot-auth", with keys found where its Signature-Agent
 * says. now_s: since 1970. Does not detect reused nonces. CRAWL_EINVAL: the message is an answer, or its URL is
 * invalid. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_verify(const crawl_message *request, const crawl_keys *keys, int64_t now_s,
                                 crawl_verification *out);

/* --- the directory of keys --- */

/* Appends the public halves of these keys as a JWK Set in JSON. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_directory_write(const crawl_identity *const *identities, size_t count, crawl_buf *out);
/* Appends the "Name: value" lines of an answer with this body: Content-Type, Content-Digest, Signature-Input and
 * Signature, with one signature per key, which proves possession of the private half. host: as in the URL, with its
 * port unless that is 443. CRAWL_ENOMEM, or the error of a signer. */
CRAWL_API crawl_err crawl_directory_sign(const crawl_identity *const *identities, size_t count, crawl_slice body,
                                         const char *host, int64_t created_s, int64_t expires_s, crawl_buf *out);
/* Verifies the signature of a directory's answer with the key at this index. CRAWL_EINVAL: the message is not an
 * answer, or the URL is invalid. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_directory_verify(const crawl_message *answer, const crawl_keys *keys, size_t index,
                                           int64_t now_s, crawl_verification *out);

#ifdef __cplusplus
}
#endif
#endif

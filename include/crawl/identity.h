/* The identity of a crawler: a key of Ed25519 by which it signs its requests, so that who is asked can tell it from
 * others that have its name (Web Bot Auth, draft-ietf-webbotauth-httpsig-protocol-01, over RFC 9421; keys as RFC 8037
 * and RFC 7638 have them). A fetcher signs what leaves it by crawl_fetch_request.signing; the calls here also sign and
 * verify for who transfers by other means. */
#ifndef CRAWL_IDENTITY_H
#define CRAWL_IDENTITY_H

#include <crawl/fetch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a public key, and of a signature; characters of a thumbprint. */
#define CRAWL_IDENTITY_KEY_SIZE 32
#define CRAWL_IDENTITY_SIGNATURE_SIZE 64
#define CRAWL_IDENTITY_THUMBPRINT_SIZE 43

/* Where a host's keys are found, below its origin, and the media type that they must have there. */
#define CRAWL_IDENTITY_WELL_KNOWN "/.well-known/http-message-signatures-directory"
#define CRAWL_IDENTITY_MEDIA_TYPE "application/http-message-signatures-directory+json"

/* A private key, or who has it. Immutable; thread-safe. */
typedef struct crawl_identity crawl_identity;

/* Signs bytes by Ed25519, pure, as RFC 8032 (5.1.6) has it, with a key that is held elsewhere: in a process of its own,
 * in hardware. Any thread, several at once. A return but CRAWL_OK is told by the call that wanted it. */
typedef crawl_err (*crawl_identity_signer)(void *user, crawl_slice bytes,
                                           uint8_t signature[CRAWL_IDENTITY_SIGNATURE_SIZE]);

/* Makes a new key. CRAWL_ENOMEM; CRAWL_EIO: the system has no random bytes. */
CRAWL_API crawl_err crawl_identity_generate(crawl_identity **out);
/* Reads a private key: PKCS 8 in PEM (RFC 8410), or a JWK (RFC 8037) with "d". CRAWL_EPARSE: it is none of Ed25519, or
 * its halves do not fit. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_identity_parse(crawl_slice text, crawl_identity **out, crawl_error *error);
/* The same of a file. CRAWL_REFUSED: others than its owner may read or write it. CRAWL_EIO: it cannot be read. */
CRAWL_API crawl_err crawl_identity_read(const char *path, crawl_identity **out, crawl_error *error);
/* Takes a key whose private half signer has, with its user. CRAWL_EINVAL: signer is NULL. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_identity_hold(const uint8_t public_key[CRAWL_IDENTITY_KEY_SIZE], crawl_identity_signer signer,
                                        void *user, crawl_identity **out);
/* Forgets the key, and overwrites its memory. */
CRAWL_API void crawl_identity_free(crawl_identity *identity);

/* The public half, and its thumbprint (RFC 7638), which names the key: both borrowed. */
CRAWL_API const uint8_t *crawl_identity_key(const crawl_identity *identity);
CRAWL_API const char *crawl_identity_thumbprint(const crawl_identity *identity);
/* Is it one of the keys that standards print? Whoever reads them can sign by it, so it is good for loopback alone. */
CRAWL_API bool crawl_identity_is_published(const crawl_identity *identity);
/* Appends the private key, PKCS 8 in PEM. The caller overwrites it. CRAWL_ESTATE: it is held elsewhere. CRAWL_ENOMEM.
 */
CRAWL_API crawl_err crawl_identity_write(const crawl_identity *identity, crawl_buf *out);

/* Appends the thumbprint of a public JWK: a JSON object of kty OKP or RSA, whose other members do not count (RFC 7638,
 * 3). CRAWL_EPARSE: it is none. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_jwk_thumbprint(crawl_slice jwk, crawl_buf *out, crawl_error *error);

/* --- signing --- */

/* The form of the header Signature-Agent: of the draft, which 0 is too, or that of 2025. */
typedef enum crawl_signing_form {
    CRAWL_SIGNING_DICTIONARY = 1, /* sig1="https://bot.example/keys" */
    CRAWL_SIGNING_STRING          /* "https://bot.example" */
} crawl_signing_form;

/* The parts of a request that are signed, besides Signature-Agent. */
typedef enum crawl_signing_components {
    CRAWL_SIGNING_FULL,   /* authority, method, path, query */
    CRAWL_SIGNING_MINIMAL /* authority */
} crawl_signing_components;

/* Seconds that a signature holds, from CRAWL_SIGNING_EARLY_S before it is made: verifiers' clocks differ. */
#define CRAWL_SIGNING_EARLY_S 5
#define CRAWL_SIGNING_LIFE_S 65

/* How requests are signed. Borrowed, with all it points to, by who takes it. */
typedef struct crawl_signing {
    size_t size; /* sizeof(crawl_signing) */
    const crawl_identity *identity;
    const char *agent; /* where the public key is found: an https URL; NULL: no Signature-Agent is sent */
    crawl_signing_form form;
    crawl_signing_components components;
    bool http;         /* requests of plain http too */
    const char *asked; /* the value of an Accept-Signature (RFC 9421, 5) that is answered: its label, its components and
                          its nonce take the place of our own, and plain http is never signed; NULL: none */
} crawl_signing;

/* A request, or the answer to one. All borrowed. */
typedef struct crawl_message {
    size_t size;                 /* sizeof(crawl_message) */
    crawl_slice method;          /* of the request; empty: GET */
    crawl_slice url;             /* likewise, absolute, its path and query as they are sent */
    const crawl_header *headers; /* of the request, or of the answer */
    size_t header_count;
    crawl_slice body; /* likewise */
    bool is_answer;
} crawl_message;

/* Can this be signed by, now or ever? CRAWL_EINVAL: an agent that is no https URL, or holds what no header may; another
 * size. CRAWL_REFUSED: signing->asked is nothing that is answered; error says why. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_signing_check(const crawl_signing *signing, crawl_error *error);
/* Appends "Name: value" lines, each ended by \n, that the request is to have besides its own: Signature-Agent,
 * Signature-Input, Signature, and Content-Digest where that was asked for. now_s: since 1970. Each call takes another
 * nonce. CRAWL_REFUSED: the URL is one of plain http, or the key is published and the host is not loopback, or as
 * above. CRAWL_EINVAL as above; the URL or a header is none. CRAWL_EIO: no random bytes. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_sign(const crawl_signing *signing, const crawl_message *request, int64_t now_s,
                               crawl_buf *out, crawl_error *error);

/* --- verifying --- */

/* Public keys, by their thumbprints. Immutable; thread-safe. */
typedef struct crawl_keys crawl_keys;

/* The most keys of a set, and bytes of its JSON: a bot has one or two. */
#define CRAWL_KEYS_MAX 64
#define CRAWL_KEYS_BYTES (64 * 1024)

/* Reads a JWK Set (RFC 7517, 5): keys of Ed25519 and RSA (RSASSA-PSS with SHA-512, of 2048 to 8192 bits); others are
 * left out. CRAWL_EPARSE: no JSON object with a list "keys"; CRAWL_FULL: more than the most; CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_keys_parse(crawl_slice json, crawl_keys **out, crawl_error *error);
CRAWL_API void crawl_keys_free(crawl_keys *keys);

/* A key of a set. */
typedef struct crawl_key_info {
    char thumbprint[CRAWL_IDENTITY_THUMBPRINT_SIZE + 1];
    bool is_ed25519; /* else RSA */
    bool has_kid;
    bool kid_fits;        /* it is the thumbprint */
    bool has_private;     /* the set has its private half, which everybody can read now */
    int64_t not_before_s; /* 0: not said */
    int64_t expires_s;    /* likewise */
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_key_info;
/* How many keys the set has that are of these kinds. */
CRAWL_API size_t crawl_keys_count(const crawl_keys *keys);
/* index below their count. */
CRAWL_API void crawl_keys_get(const crawl_keys *keys, size_t index, crawl_key_info *out);

/* The worth of a signature of a request. */
typedef enum crawl_signature_verdict {
    CRAWL_VERIFIED,
    CRAWL_UNVERIFIED, /* nothing says that it is wrong, nor who has signed: no Signature-Agent, or another's key */
    CRAWL_INVALID     /* malformed, out of its time, or not of this request */
} crawl_signature_verdict;

/* The facts of a signature. */
typedef struct crawl_verification {
    crawl_signature_verdict verdict;
    const char *why;   /* in words, static; "" for VERIFIED */
    crawl_slice label; /* of the signature, borrowed from the message; empty: none could be read */
    crawl_slice keyid; /* likewise */
    int64_t created_s; /* 0: not said */
    int64_t expires_s;
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_verification;

/* Verifies the first signature of a request whose tag is "web-bot-auth", by keys that were found where its
 * Signature-Agent says. now_s: since 1970. It knows no nonces that were used. CRAWL_EINVAL: the message is an answer,
 * or its URL none. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_verify(const crawl_message *request, const crawl_keys *keys, int64_t now_s,
                                 crawl_verification *out);

/* --- the directory of keys --- */

/* Appends the JSON of a JWK Set of these keys' public halves. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_directory_write(const crawl_identity *const *identities, size_t count, crawl_buf *out);
/* Appends the "Name: value" lines that an answer with this body has: Content-Type, Content-Digest, Signature-Input and
 * Signature, one signature of each key, by which it shows that it has the private half. host: as in the URL, with its
 * port unless that is 443. CRAWL_ENOMEM, or what a signer returned. */
CRAWL_API crawl_err crawl_directory_sign(const crawl_identity *const *identities, size_t count, crawl_slice body,
                                         const char *host, int64_t created_s, int64_t expires_s, crawl_buf *out);
/* Verifies the signature of a directory's answer by one of its keys, by its index. CRAWL_EINVAL: the message is no
 * answer, or the URL none. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_directory_verify(const crawl_message *answer, const crawl_keys *keys, size_t index,
                                           int64_t now_s, crawl_verification *out);

#ifdef __cplusplus
}
#endif
#endif

/* See grpc_guard.h. OpenSSL does TLS under libevent's streams: version 1.2 or later, only HTTP/2 by ALPN (RFC 9113,
 * 3.2), and with version 1.2 only the suites that RFC 9113, 9.2.2 allows. */
#include "tools/serve/grpc/grpc_guard.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/files/file_read.h"

#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/util.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>

struct cw_grpc_guard {
    SSL_CTX *tls; /* NULL: none */
    char *token;  /* NULL: not required */
    int64_t hello_ms;
};

static const unsigned char protocol[] = {2, 'h', '2'};

/* --- TLS. --- */

static int choose_protocol(SSL *, const unsigned char **out, unsigned char *size, const unsigned char *offered,
                           unsigned int offered_size, void *)
{
    unsigned char *chosen = NULL;
    int found = SSL_select_next_proto(&chosen, size, protocol, sizeof protocol, offered, offered_size);
    *out = chosen;
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* Refuses a key with a passphrase, since a server has nobody to ask. */
static int no_passphrase(char *, int, int, void *)
{
    return 0;
}

static crawl_err fail_file(const char *path, const char *what, crawl_error *error)
{
    const char *why = ERR_reason_error_string(ERR_peek_last_error());
    ERR_clear_error();
    return crawl_error_set(error, CRAWL_EIO, "%s: %s: %s", path, what, why ? why : "it is not valid");
}

static crawl_err grpc_guard_load(SSL_CTX *tls, const char *certificate, const char *key, crawl_error *error)
{
    if (SSL_CTX_use_certificate_chain_file(tls, certificate) != 1)
        return fail_file(certificate, "cannot read a certificate in PEM", error);
    if (SSL_CTX_use_PrivateKey_file(tls, key, SSL_FILETYPE_PEM) != 1)
        return fail_file(key, "cannot read a private key in PEM, without a passphrase, that matches the certificate",
                         error);
    return CRAWL_OK;
}

static crawl_err grpc_guard_open_tls(cw_grpc_guard *guard, const char *certificate, const char *key, crawl_error *error)
{
    guard->tls = SSL_CTX_new(TLS_server_method());
    if (!guard->tls || SSL_CTX_set_min_proto_version(guard->tls, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_cipher_list(guard->tls, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1)
        return cw_error(error, CRAWL_ENOMEM);
    SSL_CTX_set_options(guard->tls, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_alpn_select_cb(guard->tls, choose_protocol, NULL);
    SSL_CTX_set_default_passwd_cb(guard->tls, no_passphrase);
    return grpc_guard_load(guard->tls, certificate, key, error);
}

struct bufferevent *cw_grpc_guard_stream(const cw_grpc_guard *guard, struct event_base *base, int socket)
{
    SSL *ssl = guard && guard->tls ? SSL_new(guard->tls) : NULL;
    struct bufferevent *stream = NULL;
    if (ssl)
        stream = bufferevent_openssl_socket_new(base, socket, ssl, BUFFEREVENT_SSL_ACCEPTING, BEV_OPT_CLOSE_ON_FREE);
    else if (!guard || !guard->tls)
        stream = bufferevent_socket_new(base, socket, BEV_OPT_CLOSE_ON_FREE);
    if (!stream)
        evutil_closesocket(socket);
    return stream;
}

bool cw_grpc_guard_agreed(struct bufferevent *stream)
{
    const unsigned char *chosen = NULL;
    unsigned int size = 0;
    SSL_get0_alpn_selected(bufferevent_openssl_get_ssl(stream), &chosen, &size);
    return size != 0;
}

void cw_grpc_guard_end(struct bufferevent *stream)
{
    SSL *ssl = bufferevent_openssl_get_ssl(stream);
    if (ssl && SSL_is_init_finished(ssl))
        SSL_shutdown(ssl);
    ERR_clear_error();
}

/* --- The token. --- */

static crawl_err grpc_guard_take_token(cw_grpc_guard *guard, const char *token, crawl_error *error)
{
    for (const char *at = token; *at; at++)
        if (*at <= ' ' || *at >= 0x7f)
            return crawl_error_set(error, CRAWL_EINVAL, "the token may contain only visible ASCII characters");
    if (strlen(token) < CW_GRPC_TOKEN_LEAST)
        return crawl_error_set(error, CRAWL_EINVAL, "the token has fewer than %u characters", CW_GRPC_TOKEN_LEAST);
    guard->token = strdup(token);
    return guard->token ? CRAWL_OK : cw_error(error, CRAWL_ENOMEM);
}

bool cw_grpc_guard_asks_token(const cw_grpc_guard *guard)
{
    return guard && guard->token;
}

int64_t cw_grpc_guard_hello(const cw_grpc_guard *guard)
{
    return guard && (guard->tls || guard->token) ? guard->hello_ms : 0;
}

bool cw_grpc_guard_admits(const cw_grpc_guard *guard, crawl_slice authorization)
{
    static const char scheme[] = "Bearer ";
    if (!cw_starts_nocase(authorization, scheme))
        return false;
    crawl_slice shown = cw_trim(cw_drop(authorization, strlen(scheme)));
    return shown.size == strlen(guard->token) && CRYPTO_memcmp(shown.data, guard->token, shown.size) == 0;
}

/* --- The guard. --- */

crawl_err cw_grpc_guard_create(const cw_grpc_guard_options *options, cw_grpc_guard **out, crawl_error *error)
{
    cw_grpc_guard *guard = calloc(1, sizeof *guard);
    if (!guard)
        return cw_error(error, CRAWL_ENOMEM);
    guard->hello_ms = options->hello_ms;
    crawl_err err = options->token ? grpc_guard_take_token(guard, options->token, error) : CRAWL_OK;
    if (!err && options->certificate)
        err = grpc_guard_open_tls(guard, options->certificate, options->key, error);
    if (err)
        cw_grpc_guard_free(guard);
    else
        *out = guard;
    return err;
}

void cw_grpc_guard_free(cw_grpc_guard *guard)
{
    if (!guard)
        return;
    SSL_CTX_free(guard->tls);
    cw_secret_free(guard->token);
    free(guard);
}

#include "redis/wire.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/net.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/dns.h>
#include <event2/event.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

struct cw_redis_wire {
    struct event_base *base;
    const crawl_redis_url *url;
    cw_redis_wire_calls calls;
    const char *address;     /* the host's own address, if it has one without a lookup; NULL: a name to look up */
    struct evdns_base *dns;  /* NULL: not needed */
    SSL_CTX *tls;            /* NULL: none */
    struct bufferevent *bev; /* NULL: no connection */
    bool is_up;
};

/* ---- events ---- */

static void wire_on_read(struct bufferevent *bev, void *user)
{
    cw_redis_wire *wire = user;
    wire->calls.on_bytes(wire->calls.user, bufferevent_get_input(bev));
}

/* Says why the connection is down. */
static void wire_describe(cw_redis_wire *wire, short what, char *words, size_t size)
{
    unsigned long tls = bufferevent_get_openssl_error(wire->bev);
    int dns = bufferevent_socket_get_dns_error(wire->bev);
    int error = EVUTIL_SOCKET_ERROR();
    if ((what & BEV_EVENT_EOF) && (wire->is_up || !error)) /* TLS calls a refused connection an end, too */
        snprintf(words, size, "the server closed the connection");
    else if (dns)
        snprintf(words, size, "%s", evutil_gai_strerror(dns));
    else if (tls && ERR_reason_error_string(tls))
        snprintf(words, size, "TLS: %s", ERR_reason_error_string(tls));
    else
        snprintf(words, size, "%s", error ? evutil_socket_error_to_string(error) : "the connection failed");
}

static void wire_on_event(struct bufferevent *bev, short what, void *user)
{
    cw_redis_wire *wire = user;
    char words[200];
    if (what & BEV_EVENT_CONNECTED) {
        int on = 1;
        wire->is_up = true;
        setsockopt(bufferevent_getfd(bev), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
        wire->calls.on_up(wire->calls.user);
    } else if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR)) {
        wire_describe(wire, what, words, sizeof words);
        wire->calls.on_down(wire->calls.user, words);
    }
}

/* ---- connecting ---- */

static struct bufferevent *plain(cw_redis_wire *wire)
{
    return bufferevent_socket_new(wire->base, -1, BEV_OPT_CLOSE_ON_FREE | BEV_OPT_DEFER_CALLBACKS);
}

/* Requires a certificate for the host, which is a name or an address. */
static bool expect_host(SSL *ssl, const char *host, bool is_address)
{
    if (is_address)
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1;
    return SSL_set1_host(ssl, host) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1;
}

static struct bufferevent *secure(cw_redis_wire *wire)
{
    SSL *ssl = SSL_new(wire->tls);
    if (!ssl || !expect_host(ssl, wire->url->host, cw_address_is(wire->url->host))) {
        SSL_free(ssl);
        return NULL;
    }
    struct bufferevent *bev = bufferevent_openssl_socket_new(wire->base, -1, ssl, BUFFEREVENT_SSL_CONNECTING,
                                                             BEV_OPT_CLOSE_ON_FREE | BEV_OPT_DEFER_CALLBACKS);
    if (bev)
        bufferevent_openssl_set_allow_dirty_shutdown(bev, 1);
    else
        SSL_free(ssl);
    return bev;
}

static int connect_socket(cw_redis_wire *wire)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, wire->url->path, strlen(wire->url->path) + 1); /* redis_url.c has checked its length */
    return bufferevent_socket_connect(wire->bev, (struct sockaddr *)&address, sizeof address);
}

static int connect_host(cw_redis_wire *wire)
{
    return bufferevent_socket_connect_hostname(wire->bev, wire->dns, AF_UNSPEC,
                                               wire->address ? wire->address : wire->url->host, (int)wire->url->port);
}

crawl_err cw_redis_wire_connect(cw_redis_wire *wire)
{
    cw_redis_wire_cut(wire);
    wire->is_up = false;
    wire->bev = wire->tls ? secure(wire) : plain(wire);
    if (!wire->bev)
        return CRAWL_ENOMEM;
    bufferevent_setcb(wire->bev, wire_on_read, NULL, wire_on_event, wire);
    bufferevent_enable(wire->bev, EV_READ | EV_WRITE);
    return (wire->url->path ? connect_socket(wire) : connect_host(wire)) ? CRAWL_EIO : CRAWL_OK;
}

void cw_redis_wire_cut(cw_redis_wire *wire)
{
    if (wire->bev)
        bufferevent_free(wire->bev);
    wire->bev = NULL;
}

crawl_err cw_redis_wire_write(cw_redis_wire *wire, crawl_slice bytes)
{
    return bufferevent_write(wire->bev, bytes.data, bytes.size) ? CRAWL_ENOMEM : CRAWL_OK;
}

/* ---- creating and freeing ---- */

/* RFC 6761, 6.3: names below localhost are this machine. */
static const char *address_of(const char *host)
{
    crawl_slice name = crawl_slice_from(host);
    if (cw_address_is(host))
        return host;
    return cw_is_nocase(name, "localhost") || cw_ends_with(name, ".localhost") ? "127.0.0.1" : NULL;
}

static crawl_err wire_open_tls(cw_redis_wire *wire, const char *ca_file, crawl_error *error)
{
    wire->tls = SSL_CTX_new(TLS_client_method());
    if (!wire->tls)
        return cw_error(error, CRAWL_ENOMEM);
    SSL_CTX_set_verify(wire->tls, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_min_proto_version(wire->tls, TLS1_2_VERSION);
    bool read = ca_file ? SSL_CTX_load_verify_locations(wire->tls, ca_file, NULL) == 1
                        : SSL_CTX_set_default_verify_paths(wire->tls) == 1;
    ERR_clear_error();
    return read ? CRAWL_OK
                : crawl_error_set(error, CRAWL_EIO, "%s: its certificates cannot be read",
                                  ca_file ? ca_file : "the system");
}

crawl_err cw_redis_wire_create(const crawl_redis_options *options, const cw_redis_wire_calls *calls,
                               cw_redis_wire **out, crawl_error *error)
{
    cw_redis_wire *wire = calloc(1, sizeof *wire);
    if (!wire)
        return cw_error(error, CRAWL_ENOMEM);
    wire->base = options->base;
    wire->url = options->url;
    wire->calls = *calls;
    wire->address = wire->url->host ? address_of(wire->url->host) : NULL;
    crawl_err err = CRAWL_OK;
    if (wire->url->host && !wire->address) {
        wire->dns = evdns_base_new(wire->base, EVDNS_BASE_INITIALIZE_NAMESERVERS | EVDNS_BASE_DISABLE_WHEN_INACTIVE);
        if (!wire->dns)
            err = crawl_error_set(error, CRAWL_EIO, "names cannot be looked up: no name server in /etc/resolv.conf");
    }
    if (!err && wire->url->tls)
        err = wire_open_tls(wire, options->ca_file, error);
    if (err)
        cw_redis_wire_free(wire);
    else
        *out = wire;
    return err;
}

void cw_redis_wire_free(cw_redis_wire *wire)
{
    if (!wire)
        return;
    cw_redis_wire_cut(wire);
    if (wire->dns)
        evdns_base_free(wire->dns, 0);
    SSL_CTX_free(wire->tls);
    free(wire);
}

/* See classify.h. One table maps libcurl's codes to our classes. Where a code does not tell enough,
 * fetch/transfer_end.c decides by what was received. */
#include "fetch/classify.h"

static const struct row {
    CURLcode code;
    crawl_fetch_error class;
} rows[] = {
    {CURLE_OK, CRAWL_FETCH_OK},

    {CURLE_COULDNT_RESOLVE_HOST, CRAWL_FETCH_DNS},
    {CURLE_URL_MALFORMAT, CRAWL_FETCH_DNS}, /* a host that the URL standard allows and no resolver can look up */

    {CURLE_COULDNT_CONNECT, CRAWL_FETCH_CONNECT},
    {CURLE_COULDNT_RESOLVE_PROXY, CRAWL_FETCH_CONNECT}, /* nothing is known about the host itself */
    {CURLE_PROXY, CRAWL_FETCH_CONNECT},

    {CURLE_SSL_CONNECT_ERROR, CRAWL_FETCH_TLS},
    {CURLE_PEER_FAILED_VERIFICATION, CRAWL_FETCH_TLS},
    {CURLE_SSL_CERTPROBLEM, CRAWL_FETCH_TLS},
    {CURLE_SSL_CIPHER, CRAWL_FETCH_TLS},
    {CURLE_SSL_ISSUER_ERROR, CRAWL_FETCH_TLS},
    {CURLE_SSL_INVALIDCERTSTATUS, CRAWL_FETCH_TLS},
    {CURLE_SSL_PINNEDPUBKEYNOTMATCH, CRAWL_FETCH_TLS},
    {CURLE_SSL_CLIENTCERT, CRAWL_FETCH_TLS},
    {CURLE_USE_SSL_FAILED, CRAWL_FETCH_TLS},

    {CURLE_OPERATION_TIMEDOUT, CRAWL_FETCH_TIMEOUT},

    {CURLE_RECV_ERROR, CRAWL_FETCH_RESET},
    {CURLE_SEND_ERROR, CRAWL_FETCH_RESET},
    {CURLE_GOT_NOTHING, CRAWL_FETCH_RESET},
    {CURLE_PARTIAL_FILE, CRAWL_FETCH_RESET},
    {CURLE_HTTP2_STREAM, CRAWL_FETCH_RESET},
    {CURLE_HTTP2, CRAWL_FETCH_RESET}, /* also a GOAWAY before an answer, which is no fault of the request */
    {CURLE_SSL_SHUTDOWN_FAILED, CRAWL_FETCH_RESET},

    {CURLE_WEIRD_SERVER_REPLY, CRAWL_FETCH_PROTOCOL},
    {CURLE_UNSUPPORTED_PROTOCOL, CRAWL_FETCH_PROTOCOL}, /* HTTP/0.9: other schemes do not get this far */
    {CURLE_HTTP3, CRAWL_FETCH_PROTOCOL},
    {CURLE_BAD_CONTENT_ENCODING, CRAWL_FETCH_PROTOCOL},
    {CURLE_HTTP_RETURNED_ERROR, CRAWL_FETCH_PROTOCOL},

    {CURLE_FILESIZE_EXCEEDED, CRAWL_FETCH_TOO_LARGE},
    {CURLE_ABORTED_BY_CALLBACK, CRAWL_FETCH_CANCELLED},
};

crawl_fetch_error cw_fetch_classify(CURLcode code)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code)
            return rows[i].class;
    return CRAWL_FETCH_LOCAL;
}

static const char *const names[] = {
    [CRAWL_FETCH_OK] = "",
    [CRAWL_FETCH_DNS] = "dns",
    [CRAWL_FETCH_CONNECT] = "connect",
    [CRAWL_FETCH_TLS] = "tls",
    [CRAWL_FETCH_TIMEOUT] = "timeout",
    [CRAWL_FETCH_RESET] = "reset",
    [CRAWL_FETCH_PROTOCOL] = "protocol",
    [CRAWL_FETCH_TOO_LARGE] = "too-large",
    [CRAWL_FETCH_CANCELLED] = "cancelled",
    [CRAWL_FETCH_PRIVATE] = "private",
    [CRAWL_FETCH_LOCAL] = "local",
    [CRAWL_FETCH_NO_SOCKET] = "no-socket",
};

const char *crawl_fetch_error_name(crawl_fetch_error error)
{
    return (size_t)error < sizeof names / sizeof *names ? names[error] : "local";
}

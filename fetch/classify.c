/* One table from libcurl's codes to our classes. Rows with words come before the row of the same code without. */
#include "fetch/classify.h"

static const struct row {
    CURLcode code;
    const char *words; /* part of the error text; NULL: any */
    crawl_fetch_error class;
} rows[] = {
    {CURLE_OK, NULL, CRAWL_FETCH_OK},

    {CURLE_COULDNT_RESOLVE_HOST, NULL, CRAWL_FETCH_DNS},
    {CURLE_URL_MALFORMAT, NULL, CRAWL_FETCH_DNS}, /* a host that the URL standard lets pass and no resolver would */

    {CURLE_COULDNT_CONNECT, NULL, CRAWL_FETCH_CONNECT},
    {CURLE_COULDNT_RESOLVE_PROXY, NULL, CRAWL_FETCH_CONNECT}, /* nothing is known of the host */
    {CURLE_PROXY, NULL, CRAWL_FETCH_CONNECT},
    {CURLE_RECV_ERROR, "CONNECT tunnel failed", CRAWL_FETCH_CONNECT},
    {CURLE_RECV_ERROR, "from proxy after CONNECT", CRAWL_FETCH_CONNECT},

    {CURLE_SSL_CONNECT_ERROR, NULL, CRAWL_FETCH_TLS},
    {CURLE_PEER_FAILED_VERIFICATION, NULL, CRAWL_FETCH_TLS},
    {CURLE_SSL_CERTPROBLEM, NULL, CRAWL_FETCH_TLS},
    {CURLE_SSL_CIPHER, NULL, CRAWL_FETCH_TLS},
    {CURLE_SSL_ISSUER_ERROR, NULL, CRAWL_FETCH_TLS},
    {CURLE_SSL_INVALIDCERTSTATUS, NULL, CRAWL_FETCH_TLS},
    {CURLE_SSL_PINNEDPUBKEYNOTMATCH, NULL, CRAWL_FETCH_TLS},
    {CURLE_SSL_CLIENTCERT, NULL, CRAWL_FETCH_TLS},
    {CURLE_USE_SSL_FAILED, NULL, CRAWL_FETCH_TLS},

    {CURLE_OPERATION_TIMEDOUT, NULL, CRAWL_FETCH_TIMEOUT},

    {CURLE_RECV_ERROR, "chunked-encoding", CRAWL_FETCH_PROTOCOL},
    {CURLE_RECV_ERROR, "Too large response headers", CRAWL_FETCH_TOO_LARGE},
    {CURLE_RECV_ERROR, NULL, CRAWL_FETCH_RESET},
    {CURLE_SEND_ERROR, NULL, CRAWL_FETCH_RESET},
    {CURLE_GOT_NOTHING, NULL, CRAWL_FETCH_RESET},
    {CURLE_PARTIAL_FILE, NULL, CRAWL_FETCH_RESET},
    {CURLE_HTTP2_STREAM, NULL, CRAWL_FETCH_RESET},
    {CURLE_HTTP2, NULL, CRAWL_FETCH_RESET}, /* a GOAWAY before an answer too, which is no fault of the request */
    {CURLE_SSL_SHUTDOWN_FAILED, NULL, CRAWL_FETCH_RESET},

    {CURLE_WEIRD_SERVER_REPLY, NULL, CRAWL_FETCH_PROTOCOL},
    {CURLE_UNSUPPORTED_PROTOCOL, NULL, CRAWL_FETCH_PROTOCOL}, /* HTTP/0.9: other schemes do not get this far */
    {CURLE_HTTP3, NULL, CRAWL_FETCH_PROTOCOL},
    {CURLE_BAD_CONTENT_ENCODING, NULL, CRAWL_FETCH_PROTOCOL},
    {CURLE_HTTP_RETURNED_ERROR, NULL, CRAWL_FETCH_PROTOCOL},

    {CURLE_FILESIZE_EXCEEDED, NULL, CRAWL_FETCH_TOO_LARGE},
    {CURLE_ABORTED_BY_CALLBACK, NULL, CRAWL_FETCH_CANCELLED},
};

crawl_fetch_error cw_classify(CURLcode code, const char *text)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code && (!rows[i].words || strstr(text, rows[i].words)))
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
};

const char *crawl_fetch_error_name(crawl_fetch_error error)
{
    return (size_t)error < sizeof names / sizeof *names ? names[error] : "local";
}

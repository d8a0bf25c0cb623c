/* Interprets the end of a transfer: whether it is a failure, and its class.
 *
 * A verdict of our own callbacks stands. Otherwise libcurl's code decides, together with what is known about the
 * transfer, since versions of libcurl report the same server error by different codes. */
#include "fetch/transfer.h"

#include <inttypes.h>
#include <stdio.h>

/* Maps libcurl's codes to our classes. Where a code is not specific enough, the functions below decide by what was
 * received. */

static const struct row {
    CURLcode code;
    crawl_fetch_error class;
} rows[] = {
    {CURLE_OK, CRAWL_FETCH_OK},

    {CURLE_COULDNT_RESOLVE_HOST, CRAWL_FETCH_DNS},
    {CURLE_URL_MALFORMAT, CRAWL_FETCH_DNS}, /* a host that the URL standard allows but no resolver can look up */

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
    {CURLE_HTTP2, CRAWL_FETCH_RESET}, /* also a GOAWAY before an answer, which is not the request's fault */
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

/* Returns true if the request was sent and the header is still incomplete. An error then belongs to the answer. */
static bool awaits_header(const cw_fetch_transfer *transfer)
{
    long sent = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_REQUEST_SIZE, &sent);
    return sent > 0 && transfer->started && transfer->head.state != CW_HEAD_DONE;
}

/* libcurl 8.14 also reports the code of a GOAWAY if nghttp2 ends a connection over which no HTTP/2 came. */
static bool is_no_goaway(const cw_fetch_transfer *transfer)
{
    return strstr(transfer->error_text, "nghttp2 shuts down connection with error") != NULL;
}

bool cw_fetch_transfer_was_unseen(const cw_fetch_transfer *transfer, CURLcode code)
{
    return code == CURLE_HTTP2 && !transfer->stopped && !transfer->is_repeated && !transfer->request.special &&
           awaits_header(transfer) && !is_no_goaway(transfer);
}

/* libcurl accepts at most 100 KiB per header line. Up to version 8.5 it reports a longer one as out of memory. */
static bool line_too_long(const cw_fetch_transfer *transfer, CURLcode code)
{
    return (code == CURLE_OUT_OF_MEMORY || code == CW_FETCH_CURLE_TOO_LARGE) && awaits_header(transfer);
}

/* libcurl accepts 300 KiB of header lines, and reports more as a broken connection. */
static bool header_too_large(const cw_fetch_transfer *transfer, CURLcode code)
{
    enum { MOST_OF_LIBCURL = 300 * 1024 };
    long size = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_HEADER_SIZE, &size);
    return code == CURLE_RECV_ERROR && size > MOST_OF_LIBCURL;
}

/* libcurl found a line in the header that is neither a field nor the continuation of one. */
static bool line_is_none(const cw_fetch_transfer *transfer, CURLcode code)
{
    return code == CURLE_BAD_FUNCTION_ARGUMENT && awaits_header(transfer);
}

/* Returns the class of a code. Before the request departs, an invalid answer comes from the proxy, and says nothing
 * about the host. */
static crawl_fetch_error transfer_end_class_of(const cw_fetch_transfer *transfer, CURLcode code)
{
    crawl_fetch_error class = cw_fetch_classify(code);
    bool of_answer = class == CRAWL_FETCH_RESET || class == CRAWL_FETCH_PROTOCOL || class == CRAWL_FETCH_TOO_LARGE;
    return transfer->proxied && !transfer->started && of_answer ? CRAWL_FETCH_CONNECT : class;
}

static void stop_without_socket(cw_fetch_transfer *transfer)
{
    char words[128];
    snprintf(transfer->error_text, sizeof transfer->error_text, "no socket: %s",
             strerror_r(transfer->socket_errno, words, sizeof words));
    bool is_for_now = cw_fetch_loop_is_for_now(transfer->socket_errno);
    cw_fetch_transfer_stop(transfer, is_for_now ? CRAWL_FETCH_NO_SOCKET : CRAWL_FETCH_LOCAL, transfer->error_text);
}

static void judge_failure(cw_fetch_transfer *transfer, CURLcode code)
{
    const char *text = transfer->error_text[0] ? transfer->error_text : curl_easy_strerror(code);
    if (line_too_long(transfer, code))
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_TOO_LARGE, "a header line is longer than 100 KiB");
    else if (header_too_large(transfer, code))
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_TOO_LARGE, "the header is larger than 300 KiB");
    else if (line_is_none(transfer, code))
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_PROTOCOL, "malformed header line");
    else if (code == CURLE_COULDNT_CONNECT && transfer->refused && !transfer->tried)
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_PRIVATE, cw_fetch_transfer_refusal(transfer));
    else if (code == CURLE_COULDNT_CONNECT && transfer->socket_errno)
        stop_without_socket(transfer);
    else
        cw_fetch_transfer_stop(transfer, transfer_end_class_of(transfer, code), text);
}

/* Returns true if the connection ended within a body of which libcurl knows no end. */
static bool is_cut(const cw_fetch_transfer *transfer)
{
    return cw_fetch_transfer_lacks_body(transfer) &&
           !crawl_slice_equal(transfer->request.method, crawl_slice_from("HEAD"));
}

static void judge_end(cw_fetch_transfer *transfer, CURLcode code)
{
    if (code != CURLE_OK)
        judge_failure(transfer, code);
    else if (transfer->head.state != CW_HEAD_DONE) /* libcurl accepts a connection that closes within the header as a
                                                      complete answer */
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_RESET, "the connection ended within the header");
    else if (is_cut(transfer))
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_RESET, "the connection ended within the body");
    else if (cw_fetch_decoder_finish(&transfer->decoder))
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_PROTOCOL, "the content coding ends early");
}

/* Returns true if the part that was received is all there is. */
static bool is_all(const cw_fetch_transfer *transfer, const crawl_response *response)
{
    char range[64];
    uint64_t size = transfer->content_bytes;
    snprintf(range, sizeof range, "bytes 0-%" PRIu64 "/%" PRIu64, size - 1, size);
    return size && crawl_slice_equal(crawl_response_header(response, "Content-Range"), crawl_slice_from(range));
}

/* Returns true for a part that was not requested (RFC 9110, 15.3.7: only a request with the header Range gets one). */
static bool is_unasked_part(const cw_fetch_transfer *transfer, const crawl_response *response)
{
    enum { PARTIAL_CONTENT = 206 };
    return transfer->head.status == PARTIAL_CONTENT && !transfer->request.has_range && !is_all(transfer, response);
}

/* The target of a redirect is in its header, so the rest of its body is not needed: it may be slow, broken or
 * endless. */
static bool is_known_redirect(const crawl_response *response)
{
    return response->status >= 300 && response->status < 400 && crawl_response_header(response, "Location").size > 0;
}

/* Returns true if the answer failed after its header. */
static bool is_fault_of_body(const cw_fetch_transfer *transfer)
{
    if (transfer->head.state != CW_HEAD_DONE)
        return false;
    return transfer->verdict == CRAWL_FETCH_TIMEOUT || transfer->verdict == CRAWL_FETCH_RESET ||
           transfer->verdict == CRAWL_FETCH_TOO_LARGE ||
           (transfer->verdict == CRAWL_FETCH_PROTOCOL && transfer->body_bytes > 0);
}

static void transfer_end_judge(cw_fetch_transfer *transfer, CURLcode code, crawl_response *response)
{
    if (!transfer->stopped)
        judge_end(transfer, code);
    if (is_fault_of_body(transfer) && is_known_redirect(response)) {
        transfer->verdict = CRAWL_FETCH_OK;
        transfer->words = "";
        response->body_cut = true;
    }
    if (transfer->verdict == CRAWL_FETCH_OK && is_unasked_part(transfer, response)) {
        transfer->verdict = CRAWL_FETCH_PROTOCOL;
        transfer->words = "status 206: a part of the page, though the whole was asked for";
    }
}

void cw_fetch_transfer_finish(cw_fetch_transfer *transfer, CURLcode code, crawl_response *response)
{
    transfer->begun = transfer->begun || code != CURLE_OK;
    if (transfer->wait.paused && code == CURLE_OK && !transfer->stopped) /* libcurl had received all of it */
        cw_fetch_transfer_take_held(transfer, SIZE_MAX);
    crawl_err err = cw_fetch_transfer_describe(transfer, response);
    transfer_end_judge(transfer, code, response);
    if (err)
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_LOCAL, "no memory");
    response->error = transfer->verdict;
    response->error_text = transfer->words;
}

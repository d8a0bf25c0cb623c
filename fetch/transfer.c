/* See transfer.h. The options and callbacks of one transfer: how libcurl is set up for it, and what happens when a
 * connection is established and when header lines arrive. transfer_body.c takes the bytes of a body; transfer_end.c
 * interprets the end of a transfer.
 *
 * A callback that ends a transfer first records its verdict (cw_fetch_transfer_stop) and then returns a failure to
 * libcurl, whose own error code no longer matters. */
#include "fetch/transfer.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "fetch/address.h"

#include <errno.h>
#include <event2/event.h>
#include <stdio.h>

/* Maximum number of Set-Cookie fields read per answer; more cookies would evict one another. */
#define MAX_SET_COOKIES 180

/* ---- the answer ---- */

static double elapsed_ms(const cw_fetch_transfer *transfer)
{
    curl_off_t microseconds = 0;
    if (transfer->begun)
        curl_easy_getinfo(transfer->easy, CURLINFO_TOTAL_TIME_T, &microseconds);
    return (double)microseconds / 1000.0 + (double)transfer->waited_ms;
}

const char *cw_fetch_transfer_ip(const cw_fetch_transfer *transfer)
{
    char *ip = NULL;
    if (transfer->begun && !transfer->proxied)
        curl_easy_getinfo(transfer->easy, CURLINFO_PRIMARY_IP, &ip);
    return ip ? ip : "";
}

/* Returns true if the header has begun with a status. The header of HTTP/2 is one block (RFC 9113, 4.3), which libcurl
 * 8 passes in parts and earlier versions as a whole, so an incomplete one counts as none. */
static bool has_status(const cw_fetch_head *head)
{
    return cw_fetch_head_final_status(head) != 0 && (head->http_version < 20 || head->state == CW_HEAD_DONE);
}

crawl_err cw_fetch_transfer_describe(cw_fetch_transfer *transfer, crawl_response *response)
{
    cw_fetch_head *head = &transfer->head;
    crawl_err err = cw_fetch_head_parse(head);
    bool final = has_status(head);
    *response = (crawl_response){
        .size = sizeof(crawl_response),
        .status = final ? cw_fetch_head_final_status(head) : 0,
        .error_text = "",
        .headers = head->fields,
        .header_count = final ? head->field_count : 0,
        .body = crawl_buf_slice(&transfer->body),
        .body_cut = transfer->body_cut,
        .ip = cw_fetch_transfer_ip(transfer),
        .elapsed_ms = elapsed_ms(transfer),
        .held_ms = (double)transfer->hold.held_us / 1000,
        .wire_bytes = transfer->head.bytes + transfer->body_bytes,
        .http_version = final ? head->http_version : 0,
        .sent = crawl_buf_slice(&transfer->capture.sent),
        .received_header = crawl_buf_slice(&transfer->capture.header),
        .received_body = crawl_buf_slice(&transfer->capture.body),
        .received_cut = transfer->capture.cut,
        .is_signed = transfer->is_signed,
    };
    return err;
}

/* ---- callbacks ---- */

static bool transfer_allows_private(const cw_fetch_transfer *transfer)
{
    return transfer->asked.allow_private || transfer->settings->options.allow_private;
}

/* Returns true if a connection may go to an address of this kind. The user chose the proxy, and only the proxy knows
 * the address of a name. A name never leads to a link-local address. */
static bool allows_address(const cw_fetch_transfer *transfer, cw_fetch_address_kind kind)
{
    if (transfer->proxied || kind == CW_ADDRESS_PUBLIC)
        return true;
    return transfer_allows_private(transfer) && (kind != CW_ADDRESS_LINK_LOCAL || transfer->has_address);
}

/* Returns true if this error of socket() is not a failure of the host. The system may lack IPv6, or deny it; then the
 * host's other addresses decide. */
static bool is_no_way_there(int error)
{
    return error == EAFNOSUPPORT || error == EPROTONOSUPPORT;
}

/* CURLOPT_OPENSOCKETFUNCTION. Records the reason of a failure, because most such failures are ours, not the
 * server's. */
static curl_socket_t on_socket(void *user, curlsocktype, struct curl_sockaddr *address)
{
    cw_fetch_transfer *transfer = user;
    transfer->begun = true;
    transfer->worn |= transfer->started;
    int error = 0;
    if (!allows_address(transfer, cw_fetch_address_kind_of(&address->addr))) {
        transfer->refused = true;
        return CURL_SOCKET_BAD;
    }
    curl_socket_t fd = cw_fetch_loop_open(transfer->loop, address, &error);
    if (fd == CURL_SOCKET_BAD && is_no_way_there(error))
        return fd;
    transfer->tried = true;
    if (fd == CURL_SOCKET_BAD)
        transfer->socket_errno = error;
    return fd;
}

static const char private_words[] = "the host is at a private address; see --allow-private";
static const char link_local_words[] = "the name leads to a link-local address, which may only be requested by "
                                       "address";

const char *cw_fetch_transfer_refusal(const cw_fetch_transfer *transfer)
{
    return transfer_allows_private(transfer) ? link_local_words : private_words;
}

/* ---- cookies ---- */

static int64_t wall_ms(const cw_fetch_transfer *transfer)
{
    struct timeval now;
    event_base_gettimeofday_cached(transfer->loop->base, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_usec / 1000;
}

/* Sets the Cookie header right before the request departs, so that it has the cookies of all answers so far. */
static void send_cookies(cw_fetch_transfer *transfer)
{
    crawl_slice given = crawl_buf_slice(&transfer->request.cookie);
    crawl_buf *text = &transfer->cookie_text;
    if (!transfer->cookies)
        return;
    crawl_buf_clear(text);
    crawl_err err = given.size ? crawl_buf_printf(text, "%.*s; ", (int)given.size, given.data) : CRAWL_OK;
    size_t start = text->size;
    if (!err)
        err = cw_cookies_get(transfer->cookies, &transfer->cookie_place, given, wall_ms(transfer), text);
    const char *all = text->size > start ? text->data : given.size ? given.data : NULL;
    if (err || curl_easy_setopt(transfer->easy, CURLOPT_COOKIE, all) != CURLE_OK)
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_LOCAL, "no memory");
}

/* ---- the signature ---- */

/* Signs the request right before it departs, and again when it is repeated, so that no nonce is used twice. */
static void sign_transfer(cw_fetch_transfer *transfer)
{
    crawl_error error;
    const struct crawl_signing *signing = transfer->asked.signing;
    if (transfer->stopped || !cw_identity_signs(signing, cw_fetch_request_url(&transfer->request)))
        return;
    crawl_err err = cw_identity_sign_request(&transfer->signed_lines, signing, &transfer->request,
                                             transfer->settings->options.user_agent, wall_ms(transfer) / 1000,
                                             transfer->easy, &error);
    transfer->is_signed = err == CRAWL_OK;
    if (!err)
        return;
    char *why = transfer->signed_lines.why; /* libcurl writes to error_text when it aborts */
    snprintf(why, sizeof transfer->signed_lines.why, "not signed: %.140s", error.message);
    cw_fetch_transfer_stop(transfer, CRAWL_FETCH_LOCAL, why);
}

/* CURLOPT_PREREQFUNCTION. libcurl calls it again when it repeats a request whose connection had just died. The
 * connection may have been opened for another request, which was allowed more addresses. */
static int on_connected(void *user, char *ip, char *, int, int)
{
    cw_fetch_transfer *transfer = user;
    transfer->begun = true;
    transfer->worn |= transfer->started;
    if (!allows_address(transfer, cw_fetch_address_text_kind(ip)))
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_PRIVATE, cw_fetch_transfer_refusal(transfer));
    cw_fetch_capture_clear(&transfer->capture);
    transfer->cookie_place.asked_us = transfer->cookies ? cw_clock_us(CLOCK_BOOTTIME) : 0;
    send_cookies(transfer);
    sign_transfer(transfer);
    if (!transfer->started && !transfer->stopped) {
        transfer->started = true;
        if (transfer->asked.on_start)
            transfer->asked.on_start(transfer->asked.user);
    }
    return transfer->stopped ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static bool transfer_has_body(int status)
{
    return status != 204 && status != 304;
}

static void prepare_body(cw_fetch_transfer *transfer)
{
    const char *words;
    if (transfer_has_body(transfer->head.status) &&
        cw_fetch_head_framing(&transfer->head, &transfer->framing, &transfer->length, &words))
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_PROTOCOL, words);
    crawl_slice name = crawl_slice_from("content-encoding");
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < transfer->head.field_count && !err; i++)
        if (cw_equal_nocase(transfer->head.fields[i].name, name))
            err = cw_fetch_decoder_add(&transfer->decoder, transfer->head.fields[i].value);
    if (err == CRAWL_FULL)
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_PROTOCOL, "too many nested content codings");
    else if (err)
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_LOCAL, "no memory");
}

/* Stores the cookies of an answer. A cookie that it may not set, or that no request could send back, is not an
 * error. */
static void take_cookies(cw_fetch_transfer *transfer)
{
    crawl_slice name = crawl_slice_from("set-cookie");
    size_t count = transfer->cookies ? transfer->head.field_count : 0;
    for (size_t i = 0, taken = 0; i < count && taken < MAX_SET_COOKIES; i++) {
        if (!cw_equal_nocase(transfer->head.fields[i].name, name))
            continue;
        taken++;
        if (cw_cookies_set(transfer->cookies, &transfer->cookie_place, transfer->head.fields[i].value,
                           wall_ms(transfer)) == CRAWL_ENOMEM)
            cw_fetch_transfer_stop(transfer, CRAWL_FETCH_LOCAL, "no memory");
    }
}

/* Handles the complete header of the final answer; the body follows. */
static void header_complete(cw_fetch_transfer *transfer)
{
    crawl_response response;
    if (cw_fetch_transfer_describe(transfer, &response)) {
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_LOCAL, "no memory");
        return;
    }
    take_cookies(transfer);
    prepare_body(transfer);
    curl_easy_setopt(transfer->easy, CURLOPT_FORBID_REUSE,
                     (long)(transfer->asked.close || !cw_fetch_loop_takes(transfer->loop)));
    if (!transfer->stopped && transfer->asked.on_headers &&
        !transfer->asked.on_headers(transfer->asked.user, &response))
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_OK, "");
    if (transfer_has_body(transfer->head.status))
        cw_fetch_transfer_end_alone(transfer);
}

static const char *header_words(const cw_fetch_head *head)
{
    bool in_fields = head->state == CW_HEAD_FIELDS && head->status != 101;
    return in_fields ? "malformed header line" : "unexpected status for this request";
}

/* CURLOPT_HEADERFUNCTION: one line at a time. */
static size_t transfer_on_header(char *data, size_t size, size_t count, void *user)
{
    cw_fetch_transfer *transfer = user;
    cw_fetch_head *head = &transfer->head;
    bool was_done = head->state == CW_HEAD_DONE;
    if (cw_fetch_hold_is_limited(&transfer->hold))
        cw_fetch_hold_take(&transfer->hold, size * count, cw_now_us());
    crawl_err err =
        cw_fetch_head_add(head, crawl_slice_of(data, size * count), transfer->settings->options.max_header_bytes);
    if (err == CRAWL_FULL)
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_TOO_LARGE, "the header is larger than its limit");
    else if (err == CRAWL_EPARSE)
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_PROTOCOL, header_words(head));
    else if (err)
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_LOCAL, "no memory");
    else if (!was_done && head->state == CW_HEAD_DONE)
        header_complete(transfer);
    return transfer->stopped ? 0 : size * count;
}

/* With lines_first (settings.h): checks a header line before libcurl stores it and passes it to
 * transfer_on_header. */
static size_t transfer_check_line(cw_fetch_transfer *transfer, crawl_slice line)
{
    if (!cw_fetch_head_is_stray(&transfer->head, line))
        return line.size;
    cw_fetch_transfer_stop(transfer, CRAWL_FETCH_PROTOCOL, header_words(&transfer->head));
    return 0;
}

/* CURLOPT_WRITEFUNCTION: body bytes, still encoded. */
static size_t on_body(char *data, size_t size, size_t count, void *user)
{
    cw_fetch_transfer *transfer = user;
    crawl_slice bytes = crawl_slice_of(data, size * count);
    if (transfer->settings->lines_first && transfer->head.state != CW_HEAD_DONE)
        return transfer_check_line(transfer, bytes);
    return cw_fetch_transfer_take_body(transfer, bytes);
}

/* ---- begin ---- */

static CURLcode transfer_set_callbacks(cw_fetch_transfer *transfer, CURL *easy)
{
    const CURLcode codes[] = {
        curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer),
        curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->error_text),
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, transfer_on_header),
        curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer),
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body),
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer),
        curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_connected),
        curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer),
        curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_socket),
        curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer),
        cw_fetch_loop_own_sockets(transfer->loop, easy),
    };
    CURLcode code = CURLE_OK;
    for (size_t i = 0; i < sizeof codes / sizeof *codes && code == CURLE_OK; i++)
        code = codes[i];
    return code;
}

static crawl_err make_handle(cw_fetch_transfer *transfer)
{
    CURL *easy = curl_easy_init();
    if (!easy)
        return CRAWL_ENOMEM;
    CURLcode code = transfer_set_callbacks(transfer, easy);
    if (code == CURLE_OK)
        code = cw_fetch_settings_apply(transfer->settings, easy);
    if (code == CURLE_OK)
        transfer->easy = easy;
    else
        curl_easy_cleanup(easy);
    return cw_fetch_settings_err(code);
}

/* Frees the handle, with all options that were set only on it. */
static void drop_handle(cw_fetch_transfer *transfer)
{
    if (transfer->easy)
        curl_easy_cleanup(transfer->easy);
    transfer->easy = NULL;
    transfer->share = NULL;
    transfer->capture.on = false;
    transfer->worn = false;
}

static void transfer_reset(cw_fetch_transfer *transfer)
{
    transfer->begun = false;
    transfer->named = false;
    transfer->waited_ms = 0;
    transfer->started = false;
    transfer->stopped = false;
    transfer->is_signed = false;
    transfer->body_cut = false;
    transfer->framing = CW_FRAMING_PLAIN;
    transfer->chunks = (cw_fetch_chunks){0};
    transfer->body_bytes = 0;
    transfer->content_bytes = 0;
    transfer->verdict = CRAWL_FETCH_OK;
    transfer->words = "";
    transfer->refused = false;
    transfer->tried = false;
    transfer->is_repeated = false;
    transfer->socket_errno = 0;
    transfer->error_text[0] = '\0';
}

static uint64_t body_limit(const cw_fetch_transfer *transfer, const crawl_fetch_request *asked)
{
    return asked->max_body_bytes ? asked->max_body_bytes : transfer->settings->options.max_body_bytes;
}

static bool is_routed(const crawl_fetch_request *asked)
{
    const crawl_fetch_access *access = asked->access;
    return access && (access->proxy || access->client_cert || access->client_key || access->ca_file);
}

/* Finds the place that cookies are bound to; a URL without such a place gets no cookies. */
static void transfer_find_place(cw_fetch_transfer *transfer, crawl_jar *jar)
{
    transfer->cookies = cw_cookie_jar_cookies(jar);
    if (transfer->cookies &&
        cw_cookie_place_of(crawl_slice_from(cw_fetch_request_url(&transfer->request)), &transfer->cookie_place))
        transfer->cookies = NULL;
}

/* Sets the share of this host's TLS sessions on the handle, unless it is set already. */
static crawl_err transfer_set_share(cw_fetch_transfer *transfer, CURLSH *share)
{
    CURLcode code = share == transfer->share ? CURLE_OK : curl_easy_setopt(transfer->easy, CURLOPT_SHARE, share);
    transfer->share = code == CURLE_OK ? share : NULL;
    return cw_fetch_settings_err(code);
}

crawl_err cw_fetch_transfer_begin(cw_fetch_transfer *transfer, const crawl_fetch_request *asked, crawl_jar *jar)
{
    if (transfer->worn || is_routed(asked))
        drop_handle(transfer);
    crawl_err err = transfer->easy ? CRAWL_OK : make_handle(transfer);
    if (!err)
        err = transfer_set_share(transfer, cw_cookie_jar_share(jar, asked->url));
    if (!err && is_routed(asked)) {
        transfer->worn = true;
        err = cw_fetch_settings_err(cw_fetch_settings_route(transfer->settings, transfer->easy, asked->access));
    }
    if (!err)
        err = cw_fetch_capture_set(&transfer->capture, transfer->easy, asked->capture,
                                   cw_fetch_settings_body_limit(body_limit(transfer, asked)));
    if (!err)
        err = cw_fetch_request_apply(&transfer->request, asked, transfer->settings->headers, transfer->easy);
    if (!err)
        err = cw_fetch_settings_err(
            curl_easy_setopt(transfer->easy, CURLOPT_FRESH_CONNECT, (long)asked->fresh_connection));
    if (err)
        return err;
    transfer_reset(transfer);
    transfer_find_place(transfer, jar);
    transfer->asked = *asked;
    cw_fetch_hold_begin(&transfer->hold, transfer->settings->options.rate, asked->rate);
    transfer->body_limit = cw_fetch_settings_body_limit(body_limit(transfer, asked));
    transfer->proxied = asked->access && asked->access->proxy;
    transfer->has_address = cw_fetch_url_has_address(asked->url);
    if (transfer->proxied && !transfer_allows_private(transfer) && crawl_fetch_url_is_private(asked->url))
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_PRIVATE, private_words);
    return CRAWL_OK;
}

/* ---- after it ---- */

void cw_fetch_transfer_clear(cw_fetch_transfer *transfer)
{
    cw_fetch_head_clear(&transfer->head);
    cw_fetch_decoder_clear(&transfer->decoder);
    cw_fetch_bodies_give_back(transfer->bodies, &transfer->body);
    cw_fetch_bodies_give_back(transfer->bodies, &transfer->capture.body);
    crawl_buf_free(&transfer->held);
    transfer->id = 0;
    transfer->state = CW_TRANSFER_IDLE;
}

void cw_fetch_transfer_release(cw_fetch_transfer *transfer)
{
    drop_handle(transfer);
    cw_fetch_request_free(&transfer->request);
    crawl_buf_free(&transfer->signed_lines.text);
    cw_fetch_head_free(&transfer->head);
    cw_fetch_decoder_clear(&transfer->decoder);
    cw_fetch_capture_free(&transfer->capture);
    crawl_buf_free(&transfer->body);
    cw_fetch_transfer_leave_name(transfer);
    crawl_buf_free(&transfer->used);
    crawl_buf_free(&transfer->resolve_text);
    crawl_buf_free(&transfer->cookie_text);
}

/* See transfer.h. The body of one transfer, from the bytes of libcurl to the decoded content: rates and the room for
 * all bodies may make it wait, chunks are removed, content codings are decoded, limits are enforced. */
#include "fetch/transfer.h"

#include "base/clock.h"

/* ---- content ---- */

static void body_full(cw_fetch_transfer *transfer)
{
    transfer->body_cut = transfer->asked.cut_body;
    if (transfer->body_cut)
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_OK, "");
    else
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_TOO_LARGE, "the body is larger than its limit");
}

static void transfer_body_decode(cw_fetch_transfer *transfer, crawl_slice bytes, size_t until)
{
    crawl_err err =
        cw_fetch_decoder_feed_until(&transfer->decoder, &bytes, &transfer->body, until, transfer->body_limit);
    cw_fetch_bodies_count(transfer->bodies, &transfer->wait,
                          transfer->body.capacity + transfer->capture.body.capacity +
                              cw_fetch_decoder_windows(&transfer->decoder));
    if (err == CRAWL_AGAIN) {
        cw_fetch_bodies_pause(transfer->bodies, &transfer->wait);
        err = crawl_buf_append(&transfer->held, bytes.data, bytes.size);
    }
    if (err == CRAWL_FULL)
        body_full(transfer);
    else if (err == CRAWL_EPARSE)
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_PROTOCOL, "the content coding is broken");
    else if (err)
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_LOCAL, "no memory");
}

/* Bytes that decode to nothing count towards the limit too, or a server could send them forever: gzip members without
 * content, skippable zstd frames. */
static bool is_too_much(const cw_fetch_transfer *transfer)
{
    enum { OVERHEAD = 1 << 16 }; /* of content that does not compress */
    return transfer->content_bytes > (uint64_t)transfer->body_limit + OVERHEAD;
}

bool cw_fetch_transfer_lacks_body(const cw_fetch_transfer *transfer)
{
    return (transfer->framing == CW_FRAMING_LENGTH && transfer->content_bytes < transfer->length) ||
           (transfer->framing == CW_FRAMING_CHUNKS_ALONE && transfer->chunks.state != CW_CHUNKS_DONE);
}

void cw_fetch_transfer_end_alone(cw_fetch_transfer *transfer)
{
    bool is_alone = transfer->framing == CW_FRAMING_LENGTH || transfer->framing == CW_FRAMING_CHUNKS_ALONE;
    if (!is_alone || cw_fetch_transfer_lacks_body(transfer) || transfer->stopped || transfer->wait.paused)
        return;
    if (cw_fetch_decoder_finish(&transfer->decoder))
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_PROTOCOL, "the content coding ends early");
    else
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_OK, "");
}

static void transfer_body_take_content(cw_fetch_transfer *transfer, crawl_slice bytes)
{
    if (transfer->framing == CW_FRAMING_LENGTH && bytes.size > transfer->length - transfer->content_bytes)
        bytes.size = (size_t)(transfer->length - transfer->content_bytes);
    transfer->content_bytes += bytes.size;
    if (is_too_much(transfer)) {
        body_full(transfer);
        return;
    }
    cw_fetch_bodies_enter(transfer->bodies, &transfer->wait, transfer->easy);
    size_t room = cw_fetch_bodies_room(transfer->bodies, &transfer->wait);
    if (!transfer->wait.paused && room < SIZE_MAX && cw_fetch_decoder_wants_window(&transfer->decoder))
        cw_fetch_bodies_pause(transfer->bodies, &transfer->wait);
    if (!transfer->wait.paused)
        transfer_body_decode(transfer, bytes, room);
    else if (crawl_buf_append(&transfer->held, bytes.data, bytes.size))
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_LOCAL, "no memory");
    cw_fetch_transfer_end_alone(transfer);
}

/* Removes the chunks. Their extensions and trailers count as header bytes. */
static void take_chunks(cw_fetch_transfer *transfer, crawl_slice bytes)
{
    while (bytes.size > 0 && !transfer->stopped) {
        crawl_slice data;
        crawl_err err = cw_fetch_chunks_next(&transfer->chunks, &bytes, &data);
        uint64_t header = transfer->head.bytes + transfer->chunks.besides;
        if (err == CRAWL_EPARSE)
            cw_fetch_transfer_stop(transfer, CRAWL_FETCH_PROTOCOL, "the chunks are broken");
        else if (err == CRAWL_FULL || header > transfer->settings->options.max_header_bytes)
            cw_fetch_transfer_stop(transfer, CRAWL_FETCH_TOO_LARGE,
                                   "chunk extensions or trailers are larger than the header's limit");
        else
            transfer_body_take_content(transfer, data);
    }
}

/* ---- waiting for room ---- */

static void let_go_on(cw_fetch_transfer *transfer)
{
    CURLcode code = curl_easy_pause(transfer->easy, CURLPAUSE_CONT);
    if (code != CURLE_OK)
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_LOCAL, curl_easy_strerror(code));
}

void cw_fetch_transfer_take_held(cw_fetch_transfer *transfer, size_t until)
{
    crawl_buf held = transfer->held;
    transfer->held = (crawl_buf){0};
    transfer_body_decode(transfer, crawl_buf_slice(&held), until);
    crawl_buf_free(&held);
}

void cw_fetch_transfer_resume(cw_fetch_transfer *transfer)
{
    cw_fetch_transfer_take_held(transfer, cw_fetch_bodies_room(transfer->bodies, &transfer->wait));
    cw_fetch_transfer_end_alone(transfer);
    if (!transfer->wait.paused && !transfer->stopped)
        let_go_on(transfer);
}

/* ---- waiting for a rate ---- */

/* Holds the transfer back. libcurl does not judge the speed of a paused transfer, and begins anew when it goes on. */
static void transfer_body_hold(cw_fetch_transfer *transfer)
{
    cw_fetch_bodies_enter(transfer->bodies, &transfer->wait, transfer->easy);
    cw_fetch_bodies_hold(transfer->bodies, &transfer->wait);
}

/* Returns true if the bytes of a body must wait, for libcurl to deliver them again. */
static bool transfer_body_must_wait(cw_fetch_transfer *transfer, size_t bytes)
{
    if (!cw_fetch_hold_is_limited(&transfer->hold) || transfer->stopped ||
        cw_fetch_throttle_admits(transfer->throttle, &transfer->hold, bytes, cw_now_us()))
        return false;
    transfer_body_hold(transfer);
    return true;
}

void cw_fetch_transfer_release_hold(cw_fetch_transfer *transfer)
{
    cw_fetch_bodies_release(&transfer->wait);
    if (!transfer->wait.paused) /* otherwise it continues when there is room */
        let_go_on(transfer);
}

/* ---- the whole body ---- */

/* Returns the size of the encoded body according to the header, as far as that can be trusted; most pages are as large
 * as the minimum returned. */
static size_t expected_bytes(const cw_fetch_transfer *transfer)
{
    enum { LEAST = 16 * 1024, MOST = 1024 * 1024 };
    curl_off_t length = -1;
    curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    return length < LEAST ? LEAST : length > MOST ? MOST : (size_t)length;
}

static void take_buffers(cw_fetch_transfer *transfer)
{
    if (transfer->body.data)
        return;
    size_t expected = expected_bytes(transfer);
    transfer->body = cw_fetch_bodies_take(transfer->bodies, expected);
    if (transfer->capture.on)
        transfer->capture.body = cw_fetch_bodies_take(transfer->bodies, expected);
}

size_t cw_fetch_transfer_take_body(cw_fetch_transfer *transfer, crawl_slice bytes)
{
    if (transfer_body_must_wait(transfer, bytes.size))
        return CURL_WRITEFUNC_PAUSE;
    transfer->body_bytes += bytes.size;
    take_buffers(transfer);
    cw_fetch_capture_body(&transfer->capture, bytes);
    if (transfer->stopped)
        return 0;
    if (transfer->framing == CW_FRAMING_CHUNKED || transfer->framing == CW_FRAMING_CHUNKS_ALONE)
        take_chunks(transfer, bytes);
    else
        transfer_body_take_content(transfer, bytes);
    return transfer->stopped ? 0 : bytes.size;
}

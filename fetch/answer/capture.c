/* See capture.h. Only libcurl's debug function gets the requests as sent. */
#include "fetch/answer/capture.h"

#include "base/bytes.h"
#include "fetch/settings.h"

static void capture_keep(cw_fetch_capture *capture, crawl_buf *to, const char *data, size_t size)
{
    if (crawl_buf_append(to, data, size))
        capture->cut = true;
}

/* An interim answer (1xx) is followed by another status line, without the empty line between them in libcurl's output;
 * the last answer counts. Lines after the empty line of the final header are trailers. With chunks they belong to the
 * body; HTTP/2 sends them in frames of their own. */
static void take_header_line(cw_fetch_capture *capture, const char *data, size_t size)
{
    bool is_status = size >= 5 && memcmp(data, "HTTP/", 5) == 0;
    if (is_status) {
        crawl_buf_clear(&capture->header);
        capture->in_fields = true;
    }
    bool is_left_out = !capture->in_fields && cw_starts_with(crawl_buf_slice(&capture->header), "HTTP/2");
    if (!is_left_out)
        capture_keep(capture, capture->in_fields ? &capture->header : &capture->body, data, size);
    if (size <= 2)
        capture->in_fields = false;
}

void cw_fetch_capture_body(cw_fetch_capture *capture, crawl_slice bytes)
{
    size_t size = capture->on ? bytes.size : 0;
    if (capture->max_body && size > capture->max_body - capture->body.size) {
        size = capture->max_body - capture->body.size;
        capture->cut = true;
    }
    capture_keep(capture, &capture->body, bytes.data, size);
}

/* CURLOPT_DEBUGFUNCTION */
static int on_debug(CURL *, curl_infotype type, char *data, size_t size, void *user)
{
    cw_fetch_capture *capture = user;
    if (type == CURLINFO_HEADER_OUT || type == CURLINFO_DATA_OUT)
        capture_keep(capture, &capture->sent, data, size);
    else if (type == CURLINFO_HEADER_IN)
        take_header_line(capture, data, size);
    return 0;
}

crawl_err cw_fetch_capture_set(cw_fetch_capture *capture, CURL *easy, bool on, size_t max_body)
{
    cw_fetch_capture_clear(capture);
    capture->max_body = max_body;
    if (capture->on == on)
        return CRAWL_OK;
    CURLcode code = curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, on_debug);
    if (code == CURLE_OK)
        code = curl_easy_setopt(easy, CURLOPT_DEBUGDATA, capture);
    if (code == CURLE_OK)
        code = curl_easy_setopt(easy, CURLOPT_VERBOSE, (long)on);
    capture->on = code == CURLE_OK && on;
    return cw_fetch_settings_err(code);
}

void cw_fetch_capture_clear(cw_fetch_capture *capture)
{
    capture->cut = false;
    capture->in_fields = false;
    crawl_buf_clear(&capture->sent);
    crawl_buf_clear(&capture->header);
    crawl_buf_clear(&capture->body);
}

void cw_fetch_capture_free(cw_fetch_capture *capture)
{
    crawl_buf_free(&capture->sent);
    crawl_buf_free(&capture->header);
    crawl_buf_free(&capture->body);
    *capture = (cw_fetch_capture){0};
}

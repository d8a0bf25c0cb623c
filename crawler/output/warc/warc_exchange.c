#include "crawler/output/warc/warc_exchange.h"

#include "base/bytes.h"
#include "base/header.h"

static bool is_http2(const crawl_response *response)
{
    return response->http_version >= 20;
}

/* HTTP/2 has no text messages. libcurl provides those of HTTP/1, except for the version, which readers of
 * application/http expect to be 1.1. */
static void add_message(cw_warc_press *press, crawl_slice header, bool http2, bool is_request)
{
    const char *end = memchr(header.data, '\n', header.size);
    size_t line = end ? (size_t)(end - header.data) : header.size;
    static const char version[] = "HTTP/2";
    const char *target_end = is_request ? memrchr(header.data, ' ', line) : NULL;
    size_t before = target_end ? (size_t)(target_end + 1 - header.data) : 0;
    if (http2 && cw_starts_with(cw_drop(header, before), version)) {
        cw_put(&press->block, crawl_slice_of(header.data, before));
        cw_put_format(&press->block, "HTTP/1.1");
        header = cw_drop(header, before + sizeof version - 1);
    }
    cw_put(&press->block, header);
}

static void warc_exchange_begin(cw_warc_exchange *e, const char *type, const cw_warc_id *id)
{
    cw_warc_begin(e->press, type, id, &e->date);
    cw_warc_field(e->press, "WARC-Target-URI", e->exchange->url);
}

static void begin_message(cw_warc_exchange *e, const char *type, const cw_warc_id *id, const char *message)
{
    const crawl_response *response = e->exchange->response;
    warc_exchange_begin(e, type, id);
    if (*response->ip)
        cw_warc_field_text(e->press, "WARC-IP-Address", response->ip);
    if (is_http2(response))
        cw_warc_field_text(e->press, "WARC-Protocol", "h2");
    cw_warc_field_text(e->press, "Content-Type", message);
}

/* Returns true for a header line that an archive must not contain. */
static bool warc_exchange_is_secret(crawl_slice line)
{
    crawl_slice name, value;
    return cw_header_split(line, &name, &value) && cw_header_is_secret(name);
}

/* Appends a request as sent, without header lines that identify the user: archives are passed on, passwords must not
 * be. */
static crawl_err warc_exchange_redact(crawl_slice sent, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    crawl_slice rest = sent;
    for (bool first = true, header = true; header && rest.size && !err; first = false) {
        const char *start = rest.data;
        crawl_slice text = cw_cut_line(&rest);
        size_t size = (size_t)(rest.data - start);
        header = text.size > 1; /* "\r" ends it */
        if (first || !warc_exchange_is_secret(text))
            err = crawl_buf_append(out, start, size);
    }
    return err ? err : crawl_buf_append(out, rest.data, rest.size);
}

static crawl_err add_request(cw_warc_exchange *e)
{
    const crawl_response *response = e->exchange->response;
    crawl_buf sent = {0};
    crawl_err err = warc_exchange_redact(response->sent, &sent);
    if (!err) {
        begin_message(e, "request", NULL, "application/http;msgtype=request");
        cw_warc_field_id(e->press, "WARC-Concurrent-To", &e->response_id);
        add_message(e->press, crawl_buf_slice(&sent), is_http2(response), true);
        err = cw_warc_end(e->press);
    }
    crawl_buf_free(&sent);
    return err;
}

/* Returns why a body is incomplete, in the terms of ISO 28500, 5.13. NULL: complete. */
const char *cw_warc_exchange_truncation(const crawl_response *response)
{
    switch (response->error) {
    case CRAWL_FETCH_OK:
        return response->received_cut ? "length" : NULL;
    case CRAWL_FETCH_TOO_LARGE:
        return "length";
    case CRAWL_FETCH_TIMEOUT:
        return "time";
    case CRAWL_FETCH_RESET:
        return "disconnect";
    default:
        return "unspecified";
    }
}

static void refer(cw_warc_exchange *e)
{
    const cw_warc_original *before = e->before;
    cw_warc_field_text(e->press, "WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest");
    if (*before->id.text) /* an index has none */
        cw_warc_field_id(e->press, "WARC-Refers-To", &before->id);
    cw_warc_field(e->press, "WARC-Refers-To-Target-URI", crawl_slice_of(before->url, before->url_size));
    cw_warc_field_text(e->press, "WARC-Refers-To-Date", before->date.text);
}

/* A 304 (WARC/1.1, 6.7.3) confirms the payload of an earlier answer, whose digest is no longer known here. If the
 * record of that answer is a revisit record, readers would not find the payload there. */
static void refer_by_date(cw_warc_exchange *e)
{
    const cw_warc_original *before = e->before;
    cw_date date = before ? before->date : cw_date_of(e->exchange->confirms_ms);
    cw_warc_field_text(e->press, "WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/server-not-modified");
    cw_warc_field(e->press, "WARC-Refers-To-Target-URI",
                  before ? crawl_slice_of(before->url, before->url_size) : e->exchange->url);
    cw_warc_field_text(e->press, "WARC-Refers-To-Date", date.text);
}

bool cw_warc_exchange_is_revisit(const cw_warc_exchange *e)
{
    return e->before || e->exchange->confirms_ms;
}

static crawl_err add_response(cw_warc_exchange *e)
{
    const crawl_response *response = e->exchange->response;
    const char *cut = cw_warc_exchange_truncation(response);
    begin_message(e, cw_warc_exchange_is_revisit(e) ? "revisit" : "response", &e->response_id,
                  "application/http;msgtype=response");
    if (e->exchange->confirms_ms)
        refer_by_date(e);
    else
        cw_warc_field_digest(e->press, "WARC-Payload-Digest", &e->digest);
    if (!e->exchange->confirms_ms && e->before)
        refer(e);
    if (cut)
        cw_warc_field_text(e->press, "WARC-Truncated", cut);
    add_message(e->press, response->received_header, is_http2(response), false);
    if (!e->before)
        cw_put(&e->press->block, response->received_body);
    e->response_at = e->press->out.size;
    crawl_err err = cw_warc_end(e->press);
    e->response_end = e->press->out.size;
    return err;
}

/* Returns the last hop to an answer that is no page, even if it is HTML, as Heritrix writes it: P to a robots.txt and
 * the like, E to a part of a page. */
static const char *hop_of(const crawl_exchange *exchange)
{
    bool is_part = exchange->requisite || exchange->kind == CRAWL_EXCHANGE_PART;
    return is_part ? "E" : cw_warc_exchange_is_for_crawl(exchange) ? "P" : "";
}

/* Adds where the URL was found, its distance from a seed, and the duration. */
static crawl_err add_metadata(cw_warc_exchange *e)
{
    const crawl_exchange *exchange = e->exchange;
    cw_writer *block = &e->press->block;
    warc_exchange_begin(e, "metadata", NULL);
    cw_warc_field_id(e->press, "WARC-Refers-To", &e->response_id);
    cw_warc_field_text(e->press, "Content-Type", "application/warc-fields");
    if (exchange->parent.size)
        cw_put_format(block, "via: %.*s\r\n", (int)exchange->parent.size, exchange->parent.data);
    cw_put_format(block, "hopsFromSeed: ");
    for (uint32_t hop = 0; hop < exchange->depth; hop++)
        cw_put(block, crawl_slice_from("L"));
    cw_put_format(block, "%s\r\nfetchTimeMs: %.0f\r\n", hop_of(exchange), exchange->response->elapsed_ms);
    return cw_warc_end(e->press);
}

static bool is_chunked(const crawl_response *response)
{
    static const char chunked[] = "chunked";
    crawl_slice value = cw_trim(crawl_response_header(response, "Transfer-Encoding"));
    size_t size = sizeof chunked - 1;
    return !is_http2(response) && value.size >= size &&
           cw_equal_nocase(crawl_slice_of(value.data + value.size - size, size), crawl_slice_from(chunked));
}

crawl_err cw_warc_exchange_date_key(const cw_warc_exchange *e, const cw_date *date, crawl_fingerprint *out)
{
    crawl_buf text = {0};
    crawl_err err = crawl_buf_printf(&text, "%s %.*s", date->text, (int)e->exchange->url.size, e->exchange->url.data);
    if (!err)
        err = crawl_fingerprint_bytes(e->press->sha1, crawl_buf_slice(&text), out);
    for (size_t i = 0; i < sizeof out->bytes && !err; i++)
        out->bytes[i] ^= 0xff; /* nobody can make a body with this digest */
    crawl_buf_free(&text);
    return err;
}

static crawl_err find_confirmed(cw_warc_exchange *e, cw_warc_originals *originals)
{
    crawl_fingerprint key;
    cw_date date = cw_date_of(e->exchange->confirms_ms);
    crawl_err err = cw_warc_exchange_date_key(e, &date, &key);
    if (!err)
        e->before = cw_warc_originals_find(originals, &key);
    return err;
}

static crawl_err find_payload(cw_warc_exchange *e, cw_warc_originals *originals)
{
    const crawl_response *response = e->exchange->response;
    e->payload = response->received_body;
    if (is_chunked(response)) {
        crawl_err err = cw_warc_dechunk(response->received_body, &e->dechunked);
        if (err)
            return err;
        e->payload = crawl_buf_slice(&e->dechunked);
    }
    crawl_err err = crawl_fingerprint_bytes(e->press->sha1, e->payload, &e->digest);
    if (!err && e->payload.size && !cw_warc_exchange_truncation(response))
        e->before = cw_warc_originals_find(originals, &e->digest);
    return err;
}

crawl_err cw_warc_exchange_make(cw_warc_exchange *e, const unsigned char secret[CW_WARC_SECRET_SIZE],
                                cw_warc_originals *originals)
{
    crawl_err err = cw_warc_id_of(e->press, secret, e->exchange->number, &e->response_id);
    if (!err)
        err = find_payload(e, originals);
    if (!err && e->exchange->confirms_ms)
        err = find_confirmed(e, originals);
    if (!err)
        err = add_response(e);
    if (!err)
        err = add_request(e);
    if (!err && (e->exchange->parent.size || *hop_of(e->exchange)))
        err = add_metadata(e);
    return err;
}

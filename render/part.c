/* The requests of a page. The browser pauses each until it has an answer: from here, if nobody must be asked, or from
 * the caller. The caller's answers go to the page in the order of its requests, each when the page has taken up the one
 * before. This makes two runs of a page alike, whatever the network does. Only a synchronous XMLHttpRequest is answered
 * out of turn: the page, or a worker of it, takes up nothing else before it. A page that waits for its next document
 * takes up nothing at all. */
#include "render/render_page.h"

#include "base/bytes.h"
#include "base/header.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"

#include <stdio.h>
#include <stdlib.h>

/* A GIF of one transparent pixel, in base64. */
static const char part_pixel[] = "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";

/* An answer without a document, after an id. */
#define PART_EMPTY ",\"responseCode\":204,\"responsePhrase\":\"No Content\"}"

#define PART_BLOCKED "BlockedByClient"
#define PART_ABORTED "Aborted"

/* The contents of a request, decoded. */
typedef struct part_request {
    crawl_slice name; /* the browser's name of it */
    crawl_slice frame;
    crawl_slice url, fragment, method; /* fragment: "#..." of its URL, which url is without */
    const char *kind;
    bool is_blocking; /* the page, or a worker of it, does nothing else until it has the answer */
    bool is_reload;   /* it gives the page another document */
    json_t *headers;
    crawl_slice entries; /* of its body, as JSON */
} part_request;

/* --- answers in the browser's form --- */

/* Rejects headers of the transfer, which is over, and those that would change the browser's later requests. */
static bool part_passes_header(const crawl_header *header)
{
    static const char *const not [] = {"connection",
                                       "keep-alive",
                                       "proxy-connection",
                                       "transfer-encoding",
                                       "content-encoding",
                                       "te",
                                       "content-length",
                                       "trailer",
                                       "upgrade",
                                       "alt-svc",
                                       "strict-transport-security",
                                       "clear-site-data",
                                       "service-worker-allowed"};
    return cw_is_token(header->name) && cw_is_field_text(header->value) &&
           !cw_is_among(header->name, not, sizeof not / sizeof *not );
}

static void part_put_headers(cw_writer *out, const crawl_render_response *response)
{
    const char *before = "{\"name\":";
    cw_put_text(out, ",\"responseHeaders\":[");
    for (size_t i = 0; i < response->header_count; i++) {
        if (!part_passes_header(&response->headers[i]))
            continue;
        cw_json_text(out, before, response->headers[i].name);
        cw_json_text(out, ",\"value\":", response->headers[i].value);
        cw_put_char(out, '}');
        before = ",{\"name\":";
    }
    cw_put_char(out, ']');
}

crawl_err cw_render_part_write(const crawl_render_response *response, crawl_buf *text)
{
    cw_writer out = {.out = text};
    if (response->status < 200 || response->status > 599)
        return CRAWL_EINVAL;
    cw_json_int(&out, ",\"responseCode\":", response->status);
    cw_put_text(&out, ",\"responsePhrase\":\"OK\""); /* without a phrase, unknown codes are refused */
    part_put_headers(&out, response);
    if (response->body.size && !out.err) {
        cw_put_text(&out, ",\"body\":\"");
        out.err = out.err ? out.err : cw_base64_append(response->body, text);
        cw_put_char(&out, '"');
    }
    cw_put_char(&out, '}');
    return out.err;
}

static void part_put_name(cw_writer *out, crawl_slice name)
{
    cw_json_text(out, "{\"requestId\":", name);
}

/* --- answers in order --- */

static void part_free(cw_render_part *part)
{
    TAILQ_REMOVE(&part->page->parts, part, link);
    crawl_buf_free(&part->params);
    crawl_buf_free(&part->request);
    crawl_buf_free(&part->url);
    free(part);
}

static void part_go_on(cw_render_page *page)
{
    cw_render_part_pass(page);
    if (TAILQ_EMPTY(&page->parts))
        cw_render_clock_rest(page);
}

static void part_is_passed(void *owner, uint64_t tag, const cw_render_reply *)
{
    cw_render_page *page = owner;
    if (page->passing != tag)
        return;
    page->passing = 0;
    part_go_on(page);
}

static void part_send_fail(cw_render_page *page, crawl_slice name, const char *reason)
{
    crawl_buf params = {0};
    cw_writer out = {.out = &params};
    part_put_name(&out, name);
    cw_json_words(&out, ",\"errorReason\":", reason);
    cw_put_char(&out, '}');
    cw_render_page_send_browser(page, "Fetch.failRequest", crawl_buf_slice(&params), NULL, 0);
    crawl_buf_free(&params);
}

/* Asks for nothing in our script world. A page takes up an answer in several steps, and on a busy machine a plain
 * question overtakes them: with it, 6 of 78 renders of a test page differed, with a blob none. To read one takes such
 * steps too, and no Content-Security-Policy rules that. */
static void part_has_world(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    char params[192];
    snprintf(params, sizeof params,
             "{\"contextId\":%.0f,\"awaitPromise\":true,\"expression\":"
             "\"(async()=>{for(let i=0;i<2;i++)await new Response(new Blob(['0'])).text()})()\"}",
             cw_render_number(reply->result, CW_RENDER_NAME("executionContextId")));
    cw_render_page_send(page, "Runtime.evaluate", params, part_is_passed, page->passing);
}

/* Makes a round trip through the page after an answer. */
static void part_follow(cw_render_page *page)
{
    if (TAILQ_EMPTY(&page->parts))
        cw_render_page_send(page, "Runtime.evaluate", "{\"expression\":\"0\"}", part_is_passed, page->passing);
    else
        cw_render_page_send_world(page, part_has_world);
}

static cw_render_part *part_of_page(const cw_render_page *page, uint64_t id)
{
    cw_render_part *part;
    TAILQ_FOREACH(part, &page->parts, link)
    if (part->id == id)
        return part;
    return NULL;
}

/* Ends a sent answer. If the browser refused it, fails the request instead. If it went in its turn, a round trip
 * through the page follows. */
static void part_is_sent(void *owner, uint64_t tag, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    cw_render_part *part = part_of_page(page, tag);
    if (!part)
        return;
    if (!reply->result.size)
        part_send_fail(page, crawl_buf_slice(&part->request), PART_BLOCKED);
    part_free(part);
    if (tag == page->passing)
        part_follow(page);
    part_go_on(page);
}

static void part_send(cw_render_part *part)
{
    cw_render_page *page = part->page;
    page->passing = page->passing ? page->passing : part->id;
    part->state = CW_RENDER_PART_SENT;
    cw_render_page_send_browser(page, part->method, crawl_buf_slice(&part->params), part_is_sent, part->id);
    crawl_buf_free(&part->params);
}

/* Returns true if the page waits for a document that takes its place. It answers no question meanwhile. */
static bool part_is_leaving(const cw_render_page *page)
{
    const cw_render_part *part;
    TAILQ_FOREACH(part, &page->parts, link)
    if (part->is_reload)
        return true;
    return false;
}

void cw_render_part_pass(cw_render_page *page)
{
    cw_render_part *part = TAILQ_FIRST(&page->parts);
    if (part && part->state == CW_RENDER_PART_READY && (!page->passing || part_is_leaving(page)))
        part_send(part);
}

void cw_render_part_drop(cw_render_page *page)
{
    cw_render_page_count(page);
    page->asked = 0;
    page->passing = 0;
    for (cw_render_part *part; (part = TAILQ_FIRST(&page->parts));) {
        if (part->state != CW_RENDER_PART_SENT)
            part_send_fail(page, crawl_buf_slice(&part->request), PART_ABORTED);
        part_free(part);
    }
}

/* --- the caller's answers --- */

cw_render_part *cw_render_part_find(struct crawl_renderer *renderer, uint64_t id)
{
    cw_render_page *page;
    cw_render_part *part = NULL;
    TAILQ_FOREACH(page, &renderer->pages, link)
    if ((part = part_of_page(page, id)))
        break;
    return part && part->state == CW_RENDER_PART_ASKED ? part : NULL;
}

static void part_is_ready(cw_render_part *part, const char *method)
{
    cw_render_page_count(part->page);
    part->page->asked--;
    part->method = method;
    part->state = CW_RENDER_PART_READY;
    if (part->is_blocking)
        part_send(part);
    else
        cw_render_part_pass(part->page);
}

void cw_render_part_refuse(cw_render_part *part, const char *reason)
{
    cw_writer out = {.out = &part->params};
    crawl_buf_clear(&part->params);
    part_put_name(&out, crawl_buf_slice(&part->request));
    if (part->is_reload) { /* the page keeps its document */
        cw_put_text(&out, PART_EMPTY);
        part_is_ready(part, "Fetch.fulfillRequest");
        return;
    }
    cw_json_words(&out, ",\"errorReason\":", reason);
    cw_put_char(&out, '}');
    part_is_ready(part, "Fetch.failRequest");
}

void cw_render_part_is_too_large(const cw_render_part *part)
{
    if (part->url.size)
        cw_render_page_lacks(part->page, CRAWL_RENDER_BYTES, "a script or data exceeds its maximum size");
}

static void part_note_status(const cw_render_part *part, int status)
{
    char words[32];
    snprintf(words, sizeof words, "status %d of", status);
    cw_render_page_note(part->page, words, crawl_buf_slice(&part->url));
}

crawl_err cw_render_part_answer(cw_render_part *part, const crawl_render_response *response)
{
    cw_render_page *page = part->page;
    const crawl_render_options *options = &page->renderer->options;
    cw_writer out = {.out = &part->params};
    crawl_buf_clear(&part->params);
    part_put_name(&out, crawl_buf_slice(&part->request));
    crawl_err err = out.err ? out.err : cw_render_part_write(response, &part->params);
    if (err == CRAWL_EINVAL)
        return err;
    if (!err && response->body.size > options->max_part_bytes) {
        cw_render_part_is_too_large(part);
        err = CRAWL_FULL;
    }
    if (!err && response->body.size > options->max_page_bytes - page->bytes) {
        cw_render_page_lacks(page, CRAWL_RENDER_BYTES, "its parts exceed their maximum size");
        err = CRAWL_FULL;
    }
    bool is_error_page = part->is_reload && response->status >= 400;
    if (part->url.size && (response->status >= 500 || response->status == 429))
        part_note_status(part, response->status);
    if (err || is_error_page) {
        cw_render_part_refuse(part, PART_BLOCKED);
        return err;
    }
    page->bytes += response->body.size;
    page->answered++;
    part_is_ready(part, "Fetch.fulfillRequest");
    return CRAWL_OK;
}

/* --- reading a request --- */

static const char *part_kind(crawl_slice word)
{
    static const char *const kinds[] = {"Document", "Stylesheet", "Image", "Font",      "Script",
                                        "XHR",      "Media",      "Ping",  "Fetch",     "EventSource",
                                        "Manifest", "TextTrack",  "Other", "Preflight", "CSPViolationReport",
                                        "Prefetch"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (crawl_slice_equal(word, crawl_slice_from(kinds[i])))
            return kinds[i];
    return "Other";
}

/* decoded must have room for all texts of params. */
static void part_read(crawl_slice params, part_request *out, crawl_buf *decoded)
{
    crawl_slice request = cw_render_value(params, CW_RENDER_NAME("request"));
    out->name = cw_render_text(params, CW_RENDER_NAME("requestId"), decoded);
    out->frame = cw_render_text(params, CW_RENDER_NAME("frameId"), decoded);
    out->kind = part_kind(cw_render_text(params, CW_RENDER_NAME("resourceType"), decoded));
    /* XMLHttpRequest and fetch have this kind. By priority, only a synchronous request of it is a first one. */
    out->is_blocking = strcmp(out->kind, "XHR") == 0 &&
                       crawl_slice_equal(cw_render_text(request, CW_RENDER_NAME("initialPriority"), decoded),
                                         crawl_slice_from("VeryHigh"));
    out->url = cw_render_text(request, CW_RENDER_NAME("url"), decoded);
    out->fragment = cw_render_text(request, CW_RENDER_NAME("urlFragment"), decoded);
    out->method = cw_render_text(request, CW_RENDER_NAME("method"), decoded);
    out->entries = cw_render_value(request, CW_RENDER_NAME("postDataEntries"));
    out->headers = cw_json_read(cw_render_value(request, CW_RENDER_NAME("headers")), NULL);
}

static const char *part_header(const part_request *request, const char *wanted)
{
    const char *name;
    json_t *value;
    json_object_foreach(request->headers, name, value)
    {
        if (cw_equal_nocase(crawl_slice_from(name), crawl_slice_from(wanted)))
            return json_string_value(value) ? json_string_value(value) : "";
    }
    return "";
}

/* Appends the headers that a fetcher should send. The others are the fetcher's own, or would name a browser that is not
 * wanted. */
static crawl_err part_put_request_headers(const part_request *request, crawl_buf *out)
{
    static const char *const not [] = {"user-agent", "accept-encoding", "host", "upgrade-insecure-requests",
                                       "connection", "content-length"};
    const char *name;
    json_t *value;
    crawl_err err = CRAWL_OK;
    json_object_foreach(request->headers, name, value)
    {
        crawl_slice name_of = crawl_slice_from(name);
        const char *text = json_string_value(value);
        bool is_sec = name_of.size > 4 && cw_equal_nocase(crawl_slice_of(name, 4), crawl_slice_from("sec-"));
        if (err || !text || is_sec || !cw_is_field_text(crawl_slice_from(text)) ||
            cw_is_among(name_of, not, sizeof not / sizeof *not ))
            continue;
        err = crawl_buf_printf(out, "%s: %s\n", name, text);
    }
    return err;
}

static crawl_err part_put_body(const part_request *request, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    crawl_slice rest = request->entries;
    for (crawl_slice entry; !err && cw_render_next(&rest, &entry);)
        err = cw_render_base64(cw_render_value(entry, CW_RENDER_NAME("bytes")), out);
    return err;
}

/* --- deciding on a request --- */

static bool part_method_is(crawl_slice method, const char *word)
{
    return crawl_slice_equal(method, crawl_slice_from(word));
}

static bool part_only_reads(const part_request *request)
{
    crawl_slice method = request->method;
    if (part_method_is(method, "OPTIONS"))
        method = crawl_slice_from(part_header(request, "Access-Control-Request-Method"));
    return part_method_is(method, "GET") || part_method_is(method, "HEAD");
}

/* An answer without the caller. */
typedef struct part_fate {
    const char *words;  /* NULL: ask the caller */
    const char *reason; /* why it fails; NULL: it gets an answer */
    bool is_pixel;      /* the answer is a picture; otherwise 204 */
} part_fate;

static part_fate part_fate_of_kind(const cw_render_page *page, const char *kind)
{
    static const struct {
        const char *kind;
        bool is_picture; /* or belongs to pictures */
        part_fate fate;
    } fates[] = {
        {"Image", true, {"one pixel", NULL, true}},
        {"Font", true, {"not fetched", PART_BLOCKED, false}},
        {"Media", true, {"not fetched", PART_BLOCKED, false}},
        {"Fetch", false, {"not fetched", PART_ABORTED, false}},
        {"Prefetch", false, {"not fetched", PART_ABORTED, false}},
        {"Ping", false, {"not sent", NULL, false}},
        {"CSPViolationReport", false, {"not sent", NULL, false}},
    };
    bool wants_pictures = page->renderer->options.images || page->request.screenshot;
    for (size_t i = 0; i < sizeof fates / sizeof *fates; i++)
        if (strcmp(kind, fates[i].kind) == 0 && !(fates[i].is_picture && wants_pictures))
            return fates[i].fate;
    return (part_fate){0};
}

static bool part_is_http(const part_request *request)
{
    return cw_starts_with(request->url, "http://") || cw_starts_with(request->url, "https://");
}

/* Keeps a page that goes elsewhere: 204 leaves its document, while a failed request would put an error in its place. */
static part_fate part_fate_of_move(cw_render_page *page, const part_request *request)
{
    if (!part_is_http(request) || !part_method_is(request->method, "GET"))
        return (part_fate){.words = "not followed"};
    crawl_slice own = crawl_buf_slice(&page->url);
    own.size = cw_find_char(own, '#');
    if (crawl_slice_equal(request->url, own) && !page->clicks && page->reloads++ < CW_RENDER_RELOADS_MAX)
        return (part_fate){0};
    crawl_buf whole = {0};
    if (!crawl_buf_append(&whole, request->url.data, request->url.size) &&
        !crawl_buf_append(&whole, request->fragment.data, request->fragment.size))
        cw_render_page_add_link(page, crawl_buf_slice(&whole), "location");
    crawl_buf_free(&whole);
    return (part_fate){.words = "a link, not followed"};
}

static part_fate part_fate_of(cw_render_page *page, const cw_render_place *place, const part_request *request)
{
    bool is_document = strcmp(request->kind, "Document") == 0;
    if (is_document && place->depth == 0)
        return part_fate_of_move(page, request);
    if (!part_is_http(request))
        return (part_fate){.words = "not http", .reason = PART_BLOCKED};
    if (*part_header(request, "Service-Worker"))
        return (part_fate){.words = "no service workers", .reason = PART_BLOCKED};
    if (!page->renderer->options.post && !part_only_reads(request))
        return (part_fate){.words = "not sent", .reason = PART_BLOCKED};
    if (is_document && place->depth > CW_RENDER_FRAME_DEPTH)
        return (part_fate){.words = "too deep", .reason = PART_BLOCKED};
    if (strcmp(part_header(request, "Accept"), "text/event-stream") == 0 && page->streams++)
        return (part_fate){.words = "not asked again"};
    return part_fate_of_kind(page, request->kind);
}

static void part_answer_empty(cw_render_page *page, const part_request *request, bool is_pixel)
{
    crawl_buf params = {0};
    cw_writer out = {.out = &params};
    part_put_name(&out, request->name);
    if (is_pixel) {
        cw_put_text(&out,
                    ",\"responseCode\":200,\"responsePhrase\":\"OK\",\"responseHeaders\":[{\"name\":\"Content-Type\","
                    "\"value\":\"image/gif\"},{\"name\":\"Access-Control-Allow-Origin\",\"value\":\"*\"}]");
        cw_json_words(&out, ",\"body\":", part_pixel);
        cw_put_char(&out, '}');
    } else {
        cw_put_text(&out, PART_EMPTY);
    }
    cw_render_page_send_browser(page, "Fetch.fulfillRequest", crawl_buf_slice(&params), NULL, 0);
    crawl_buf_free(&params);
}

static void part_answer_page(cw_render_page *page, const part_request *request)
{
    crawl_buf params = {0};
    cw_writer out = {.out = &params};
    page->is_answered = true;
    part_put_name(&out, request->name);
    cw_put(&out, crawl_buf_slice(&page->answer));
    cw_render_page_send_browser(page, "Fetch.fulfillRequest", crawl_buf_slice(&params), NULL, 0);
    crawl_buf_free(&params);
    crawl_buf_free(&page->answer);
    if (out.err)
        cw_render_page_fail(page, CRAWL_RENDER_MEMORY, "");
}

/* Asks the caller, or reports a part that has its answer. */
static void part_tell(cw_render_page *page, uint64_t id, const part_request *request, const char *fate)
{
    crawl_buf headers = {0}, body = {0};
    crawl_err err = part_put_request_headers(request, &headers);
    if (!err)
        err = part_put_body(request, &body);
    const crawl_render_part told = {.id = id,
                                    .url = request->url,
                                    .method = request->method,
                                    .headers = crawl_buf_slice(&headers),
                                    .body = crawl_buf_slice(&body),
                                    .kind = request->kind,
                                    .fate = fate};
    if (!err)
        page->request.on_part(page->request.user, &told);
    cw_render_part *part = err && id ? cw_render_part_find(page->renderer, id) : NULL;
    if (part)
        cw_render_part_refuse(part, PART_BLOCKED);
    crawl_buf_free(&headers);
    crawl_buf_free(&body);
}

static void part_ask(cw_render_page *page, const part_request *request)
{
    bool is_vital = !strcmp(request->kind, "Script") || !strcmp(request->kind, "XHR");
    cw_render_part *part = calloc(1, sizeof *part);
    if (!part || crawl_buf_append(&part->request, request->name.data, request->name.size) ||
        (is_vital && crawl_buf_append(&part->url, request->url.data, request->url.size))) {
        if (part)
            crawl_buf_free(&part->request);
        free(part);
        part_send_fail(page, request->name, PART_BLOCKED);
        return;
    }
    cw_render_page_count(page);
    part->page = page;
    part->id = ++page->renderer->last_id;
    part->is_blocking = request->is_blocking;
    part->is_reload = request->is_reload;
    TAILQ_INSERT_TAIL(&page->parts, part, link);
    page->asked++;
    if (part->is_reload)
        cw_render_part_pass(page);
    part_tell(page, part->id, request, NULL);
}

/* Pages of hundreds of pictures, which cost little if each is one pixel, are no attack. */
static bool part_is_over(const cw_render_page *page)
{
    enum { UNASKED_FACTOR = 10 };
    uint64_t most = page->renderer->options.max_parts;
    return page->part_count - page->unasked > most || page->unasked > most * UNASKED_FACTOR;
}

static void part_decide(cw_render_page *page, const cw_render_place *place, part_request *request)
{
    bool is_top = place->depth == 0 && strcmp(request->kind, "Document") == 0;
    request->is_reload = is_top && page->is_answered;
    if (is_top && !page->is_answered) {
        part_answer_page(page, request);
        return;
    }
    part_fate fate = part_fate_of(page, place, request);
    page->part_count++;
    page->unasked += fate.words != NULL;
    page->renderer->stats.parts++;
    if (part_is_over(page)) {
        part_send_fail(page, request->name, PART_ABORTED);
        cw_render_page_cut(page, CRAWL_RENDER_PARTS, "it makes too many requests");
        return;
    }
    if (!fate.words) {
        part_ask(page, request);
        return;
    }
    if (fate.reason)
        part_send_fail(page, request->name, fate.reason);
    else
        part_answer_empty(page, request, fate.is_pixel);
    part_tell(page, 0, request, fate.words);
}

/* Fails a request without a render, for example a beacon of an ended page. */
static void part_fail_stray(struct crawl_renderer *renderer, crawl_slice name)
{
    crawl_buf params = {0};
    cw_writer out = {.out = &params};
    part_put_name(&out, name);
    cw_put_text(&out, ",\"errorReason\":\"Aborted\"}");
    const cw_render_command command = {.method = "Fetch.failRequest", .params = crawl_buf_slice(&params)};
    cw_render_session_send(&renderer->browser.session, &command, 0);
    crawl_buf_free(&params);
}

void cw_render_part_paused(struct crawl_renderer *renderer, crawl_slice params)
{
    crawl_buf decoded = {0};
    part_request request = {0};
    if (crawl_buf_reserve(&decoded, params.size + 1))
        return;
    part_read(params, &request, &decoded);
    const cw_render_place *place = cw_map_get(renderer->places, request.frame);
    cw_render_page *page = place ? place->page : NULL;
    if (page && (page->state == CW_RENDER_PAGE_LOADING || page->state == CW_RENDER_PAGE_RUNNING))
        part_decide(page, place, &request);
    else
        part_fail_stray(renderer, request.name);
    json_decref(request.headers);
    crawl_buf_free(&decoded);
}

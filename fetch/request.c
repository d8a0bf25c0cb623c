/* See request.h. All texts of a request are copied into one buffer, and the list of header lines is an array with
 * pointers into it: once the buffers have grown, a request allocates nothing here. A plain GET sets only the URL of the
 * handle. */
#include "fetch/request.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/header.h"
#include "base/sized.h"
#include "fetch/settings.h"

#include <stdlib.h>

/* Maximum header lines of a request: more than any needs. */
#define MAX_LINES 1000

/* Headers that libcurl would add to a request with a body, unasked. A line "Name:" without a value prevents that. */
static const char *const unwanted[] = {"Expect:", "Content-Type:"};
#define UNWANTED_COUNT (sizeof unwanted / sizeof *unwanted)

void cw_fetch_request_free(cw_fetch_request *request)
{
    crawl_buf_free(&request->text);
    free(request->lines);
    crawl_buf_free(&request->cookie);
    *request = (cw_fetch_request){0};
}

/* ---- check ---- */

static bool starts_nocase(crawl_slice text, const char *prefix)
{
    crawl_slice wanted = crawl_slice_from(prefix);
    return text.size > wanted.size && cw_equal_nocase(crawl_slice_of(text.data, wanted.size), wanted);
}

static bool is_url(crawl_slice url)
{
    for (size_t i = 0; i < url.size; i++)
        if ((unsigned char)url.data[i] <= ' ' || url.data[i] == 0x7f)
            return false;
    return starts_nocase(url, "http://") || starts_nocase(url, "https://");
}

static bool is_header_line(crawl_slice line)
{
    const char *colon = memchr(line.data, ':', line.size);
    return colon && cw_is_token(crawl_slice_of(line.data, (size_t)(colon - line.data))) &&
           !memchr(line.data, '\r', line.size) && !memchr(line.data, '\0', line.size);
}

/* Returns true if these are valid header lines; *count is their number. */
static bool are_headers(crawl_slice headers, size_t *count)
{
    for (*count = 0; headers.size > 0; ++*count)
        if (*count == MAX_LINES || !is_header_line(cw_cut_line(&headers)))
            return false;
    return true;
}

static bool is_method(crawl_slice method, crawl_slice body)
{
    bool head = crawl_slice_equal(method, crawl_slice_from("HEAD"));
    return method.size == 0 || (cw_is_token(method) && !(head && body.size > 0));
}

/* ---- copy ---- */

/* Appends text and a NUL into room that is already reserved. */
static char *request_put_text(crawl_buf *buf, crawl_slice text)
{
    char *at = buf->data + buf->size;
    crawl_buf_append(buf, text.data, text.size);
    crawl_buf_append_char(buf, '\0');
    return at;
}

/* Appends a header line. In libcurl a semicolon means "without a value", while "Name:" would mean "do not send". */
static char *request_put_line(crawl_buf *buf, crawl_slice line)
{
    size_t name = (size_t)((const char *)memchr(line.data, ':', line.size) - line.data);
    crawl_slice value = cw_trim(crawl_slice_of(line.data + name + 1, line.size - name - 1));
    if (value.size > 0)
        return request_put_text(buf, line);
    char *at = request_put_text(buf, crawl_slice_of(line.data, name + 1));
    at[name] = ';';
    return at;
}

static crawl_slice access_headers(const crawl_fetch_request *source)
{
    return crawl_slice_from(source->access ? source->access->headers : NULL);
}

static crawl_err request_reserve(cw_fetch_request *request, const crawl_fetch_request *source, size_t lines)
{
    crawl_buf_clear(&request->text);
    size_t parts[] = {source->url.size,    source->url.size /* for the target */,
                      source->method.size, source->headers.size,
                      source->body.size,   access_headers(source).size};
    size_t need = lines + 8; /* a NUL for each */
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i] > SIZE_MAX / 16)
            return CRAWL_ENOMEM;
        need += parts[i];
    }
    if (lines <= request->line_capacity)
        return crawl_buf_reserve(&request->text, need);
    if (CW_ARRAY_RESIZE(request->lines, lines))
        return CRAWL_ENOMEM;
    request->line_capacity = lines;
    return crawl_buf_reserve(&request->text, need);
}

/* ---- header lines ---- */

static bool same_name(const char *a, const char *b)
{
    size_t size = strcspn(a, ":;");
    return size == strcspn(b, ":;") && cw_equal_nocase(crawl_slice_of(a, size), crawl_slice_of(b, size));
}

/* Adds a header line, which is not copied. */
static void request_add_line(cw_fetch_request *request, size_t *count, const char *line)
{
    request->lines[*count] = (struct curl_slist){.data = (char *)(uintptr_t)line};
    if (*count > 0)
        request->lines[*count - 1].next = &request->lines[*count];
    ++*count;
}

static bool has_line(const cw_fetch_request *request, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (same_name(request->lines[i].data, name))
            return true;
    return false;
}

static void add_line_unless_there(cw_fetch_request *request, size_t *count, const char *line)
{
    if (!has_line(request, *count, line))
        request_add_line(request, count, line);
}

/* Moves a line such as "Cookie: a=b" or "Cookie;" to the request's own cookies. False: not a Cookie header. */
static bool is_cookie(cw_fetch_request *request, const char *line, crawl_err *err)
{
    if (!same_name(line, "Cookie:"))
        return false;
    crawl_slice value = crawl_slice_from(line + strlen("Cookie:"));
    value = cw_trim(value);
    if (value.size)
        *err =
            crawl_buf_printf(&request->cookie, "%s%.*s", request->cookie.size ? "; " : "", (int)value.size, value.data);
    return true;
}

/* Takes the Cookie lines out of the list: a request has at most one Cookie header (RFC 6265, 5.4), which also contains
 * the cookies of the store, and is set by CURLOPT_COOKIE. */
static crawl_err take_cookies_out(cw_fetch_request *request, size_t *count)
{
    crawl_err err = CRAWL_OK;
    size_t lines = *count;
    *count = 0;
    for (size_t i = 0; i < lines && !err; i++)
        if (!is_cookie(request, request->lines[i].data, &err))
            request_add_line(request, count, request->lines[i].data);
    return err;
}

static size_t list_length(const struct curl_slist *list)
{
    size_t length = 0;
    for (; list; list = list->next)
        length++;
    return length;
}

static crawl_err make_lines(cw_fetch_request *request, const crawl_fetch_request *source,
                            const struct curl_slist *usual)
{
    size_t count = 0;
    crawl_slice rest = source->headers;
    while (rest.size > 0)
        request_add_line(request, &count, request_put_line(&request->text, cw_cut_line(&rest)));
    rest = access_headers(source);
    while (rest.size > 0) /* in libcurl too, a line without a value means "do not send" */
        add_line_unless_there(request, &count, request_put_text(&request->text, cw_cut_line(&rest)));
    crawl_err err = take_cookies_out(request, &count);
    for (; usual; usual = usual->next)
        add_line_unless_there(request, &count, usual->data);
    for (size_t i = 0; i < UNWANTED_COUNT; i++)
        add_line_unless_there(request, &count, unwanted[i]);
    request->has_range = has_line(request, count, "Range:");
    return err;
}

/* ---- the target ---- */

/* Returns true if the request target must be the whole URL, as for an http URL through an HTTP proxy (RFC 9112,
 * 3.2.2). */
static bool is_for_proxy(const crawl_fetch_request *source)
{
    const char *proxy = source->access ? source->access->proxy : NULL;
    return proxy && !starts_nocase(crawl_slice_from(proxy), "socks") && starts_nocase(source->url, "http://");
}

/* Appends the target: the URL from its path on, or for a proxy the URL without user and password. url ends before the
 * question mark. */
static const char *put_target_of(cw_fetch_request *request, crawl_slice url, bool for_proxy)
{
    const char *end = url.data + url.size;
    const char *host = (const char *)memchr(url.data, '/', url.size) + 2;
    const char *path = memchr(host, '/', (size_t)(end - host));
    const char *at = path ? memrchr(host, '@', (size_t)(path - host)) : NULL;
    if (!path)
        return NULL;
    if (!for_proxy)
        return request_put_text(&request->text, crawl_slice_of(path, (size_t)(end - path)));
    host = at ? at + 1 : host;
    const char *target = request->text.data + request->text.size;
    crawl_buf_append_text(&request->text, "http://");
    request_put_text(&request->text, crawl_slice_of(host, (size_t)(end - host)));
    return target;
}

/* Returns the target that libcurl must be given. NULL: its own is right. Only an empty query, as in "/?", is dropped by
 * some versions, so that we must set it. */
static const char *put_target(cw_fetch_request *request, const crawl_fetch_request *source)
{
    crawl_slice url = source->url;
    const char *mark = memchr(url.data, '?', url.size);
    size_t size = mark ? (size_t)(mark - url.data) + 1 : 0;
    bool is_empty_query = mark && (size == url.size || url.data[size] == '#');
    return is_empty_query ? put_target_of(request, crawl_slice_of(url.data, size), is_for_proxy(source)) : NULL;
}

static CURLcode set_target(cw_fetch_request *request, const crawl_fetch_request *source, CURL *easy)
{
    const char *target = put_target(request, source);
    if (!target && !request->has_target)
        return CURLE_OK;
    request->has_target = target != NULL;
    return curl_easy_setopt(easy, CURLOPT_REQUEST_TARGET, target);
}

/* ---- setting up libcurl ---- */

static CURLcode set_body(CURL *easy, const char *body, size_t size)
{
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POST, 1L);
    if (code == CURLE_OK)
        code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body) : code;
}

/* Sets which bodies there are (of the request, of the answer), then the method's name as sent. */
static CURLcode set_method(CURL *easy, const char *method, const char *body, size_t size)
{
    bool post = strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0 || size > 0;
    bool head = strcmp(method, "HEAD") == 0;
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    if (code == CURLE_OK && post)
        code = set_body(easy, body, size);
    if (code == CURLE_OK && head)
        code = curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    if (code == CURLE_OK)
        code = curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, *method && !head ? method : NULL);
    return code;
}

/* Resets the handle to a GET with the usual headers. */
static CURLcode make_plain(cw_fetch_request *request, struct curl_slist *usual, CURL *easy)
{
    bool is_changed = request->special || request->is_replaced;
    CURLcode code = request->special ? set_method(easy, "", NULL, 0) : CURLE_OK;
    request->special = request->is_replaced = false;
    if (!is_changed)
        return CURLE_OK;
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_HTTPHEADER, usual) : code;
}

CURLcode cw_fetch_request_replace(cw_fetch_request *request, struct curl_slist *lines, CURL *easy)
{
    request->is_replaced = true; /* so that the next request does not have them */
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, lines);
}

static CURLcode make_special(cw_fetch_request *request, const crawl_fetch_request *source,
                             const struct curl_slist *usual, CURL *easy)
{
    request->special = true;
    const char *method = request_put_text(&request->text, source->method);
    if (make_lines(request, source, usual))
        return CURLE_OUT_OF_MEMORY;
    const char *body = request_put_text(&request->text, source->body);
    request->sent = request->lines;
    request->method = crawl_slice_from(method);
    request->body = crawl_slice_of(body, source->body.size);
    CURLcode code = set_method(easy, method, body, source->body.size);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_HTTPHEADER, request->lines) : code;
}

static bool request_is_plain(const crawl_fetch_request *source)
{
    bool get = source->method.size == 0 || crawl_slice_equal(source->method, crawl_slice_from("GET"));
    return get && source->headers.size == 0 && access_headers(source).size == 0 && source->body.size == 0;
}

crawl_err cw_fetch_request_apply(cw_fetch_request *request, const crawl_fetch_request *source, struct curl_slist *usual,
                                 CURL *easy)
{
    size_t lines, more;
    if (!is_url(source->url) || !is_method(source->method, source->body) || !are_headers(source->headers, &lines) ||
        !are_headers(access_headers(source), &more))
        return CRAWL_EINVAL;
    crawl_err err = request_reserve(request, source, lines + more + list_length(usual) + UNWANTED_COUNT);
    if (err)
        return err;
    request->has_range = false;
    request->sent = usual;
    request->method = request->body = (crawl_slice){0};
    CURLcode code = curl_easy_setopt(easy, CURLOPT_URL, request_put_text(&request->text, source->url));
    crawl_buf_clear(&request->cookie);
    if (code == CURLE_OK)
        code = set_target(request, source, easy);
    if (code == CURLE_OK)
        code = request_is_plain(source) ? make_plain(request, usual, easy) : make_special(request, source, usual, easy);
    if (code == CURLE_OK)
        code = curl_easy_setopt(easy, CURLOPT_COOKIE, request->cookie.size ? request->cookie.data : NULL);
    return cw_fetch_settings_err(code);
}

const crawl_fetch_request *cw_fetch_request_whole(const crawl_fetch_request *given, crawl_fetch_request *own,
                                                  crawl_fetch_access *own_access)
{
    const crawl_fetch_request *request = cw_sized(own, sizeof *own, given);
    if (!request || !request->access || request->access->size == sizeof *own_access)
        return request;
    *own = *request;
    own->access = cw_sized(own_access, sizeof *own_access, request->access);
    return own->access ? own : NULL;
}

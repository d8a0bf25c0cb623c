#include "tools/upload/s3_client.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/text/http_date.h"
#include "tools/common/say.h"
#include "tools/upload/s3_xml.h"

#include <curl/curl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ANSWER_MAX = 4 << 20 }; /* a list of 1,000 parts takes 300 KiB */
enum { FIRST_WAIT_MS = 200, LONGEST_WAIT_MS = 30000, DOUBLINGS_MAX = 8 };
enum { CONNECT_S = 15, SILENCE_S = 60 };
enum { SKEW_S = 300 }; /* servers refuse 900; a smaller difference was not the cause */

struct cw_s3_client {
    const cw_s3_options *options;
    CURL *curl;
    const char *host; /* of the endpoint, with its port */
    int64_t skew_s;   /* how far the server's clock is ahead of ours */
    crawl_buf path, url, authorization, answer, line;
    struct curl_slist *headers;
    char words[CURL_ERROR_SIZE];
    const cw_s3_body *body; /* being sent, and how much of it was */
    uint64_t sent;
};

crawl_err cw_s3_client_create(const cw_s3_options *options, cw_s3_client **out)
{
    cw_s3_client *client = calloc(1, sizeof *client);
    if (client)
        client->curl = curl_easy_init();
    if (!client || !client->curl) {
        free(client);
        return CRAWL_ENOMEM;
    }
    client->options = options;
    client->host = strstr(options->endpoint, "://") + strlen("://");
    *out = client;
    return CRAWL_OK;
}

void cw_s3_client_free(cw_s3_client *client)
{
    if (!client)
        return;
    curl_easy_cleanup(client->curl);
    curl_slist_free_all(client->headers);
    crawl_buf *const all[] = {&client->path, &client->url, &client->authorization, &client->answer, &client->line};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        crawl_buf_free(all[i]);
    free(client);
}

/* --- request --- */

static crawl_err s3_client_put_header(cw_s3_client *client, const char *name, const char *value)
{
    crawl_buf_clear(&client->line);
    crawl_err err = crawl_buf_printf(&client->line, "%s: %s", name, value);
    struct curl_slist *longer = err ? NULL : curl_slist_append(client->headers, client->line.data);
    client->headers = longer ? longer : client->headers;
    return longer ? CRAWL_OK : CRAWL_ENOMEM;
}

static crawl_err s3_client_place(cw_s3_client *client, const cw_s3_call *call)
{
    crawl_buf_clear(&client->path);
    crawl_buf_clear(&client->url);
    crawl_err err = crawl_buf_printf(&client->path, "/%s", client->options->bucket);
    if (!err && call->key)
        err = crawl_buf_append_char(&client->path, '/');
    if (!err && call->key)
        err = cw_s3_encode(crawl_slice_from(call->key), false, &client->path);
    return err ? err
               : crawl_buf_printf(&client->url, "%s%s%s%s", client->options->endpoint, client->path.data,
                                  call->query ? "?" : "", call->query ? call->query : "");
}

static void s3_client_date(const cw_s3_client *client, char out[17])
{
    struct tm parts;
    time_t now = (time_t)(cw_wall_ms() / 1000 + client->skew_s);
    gmtime_r(&now, &parts);
    strftime(out, 17, "%Y%m%dT%H%M%SZ", &parts);
}

static bool s3_client_payload(const cw_s3_call *call, char digits[CW_S3_SHA256_SIZE])
{
    unsigned char bytes[32];
    if (call->body)
        memcpy(digits, call->body->sha256, CW_S3_SHA256_SIZE);
    else if (EVP_Digest(call->text.size ? call->text.data : "", call->text.size, bytes, NULL, EVP_sha256(), NULL) != 1)
        return false;
    else
        cw_hex_encode(bytes, sizeof bytes, digits);
    return true;
}

/* Makes the headers of the request, including its signature. */
static crawl_err s3_client_sign(cw_s3_client *client, const cw_s3_call *call)
{
    char date[17], payload[CW_S3_SHA256_SIZE];
    if (!s3_client_payload(call, payload))
        return CRAWL_ENOMEM;
    s3_client_date(client, date);
    const cw_s3_header headers[] = {{"content-md5", call->body ? call->body->content_md5 : NULL},
                                    {"host", client->host},
                                    {"if-none-match", call->is_new ? "*" : NULL},
                                    {"x-amz-content-sha256", payload},
                                    {"x-amz-date", date},
                                    {"x-amz-meta-sha256", call->sha256},
                                    {"x-amz-security-token", client->options->keys.token}};
    enum { HEADERS = sizeof headers / sizeof *headers };
    const cw_s3_signing signing = {.keys = &client->options->keys,
                                   .region = client->options->region,
                                   .date = date,
                                   .method = call->method,
                                   .path = client->path.data,
                                   .query = call->query ? call->query : "",
                                   .headers = headers,
                                   .header_count = HEADERS,
                                   .payload = payload};
    crawl_buf_clear(&client->authorization);
    curl_slist_free_all(client->headers);
    client->headers = NULL;
    crawl_err err = cw_s3_authorize(&signing, &client->authorization);
    for (size_t i = 0; i < HEADERS && !err; i++)
        if (headers[i].value)
            err = s3_client_put_header(client, headers[i].name, headers[i].value);
    if (!err)
        err = s3_client_put_header(client, "Content-Type",
                                   call->text.size ? "application/xml" : "application/octet-stream");
    return err ? err : s3_client_put_header(client, "Authorization", client->authorization.data);
}

static size_t s3_client_give(char *to, size_t size, size_t count, void *user)
{
    cw_s3_client *client = user;
    int64_t got = cw_s3_body_read(client->body, client->sent, to, size * count);
    if (got < 0)
        return CURL_READFUNC_ABORT;
    client->sent += (uint64_t)got;
    return (size_t)got;
}

static int s3_client_seek(void *user, curl_off_t at, int origin)
{
    cw_s3_client *client = user;
    client->sent = (uint64_t)at;
    return origin == SEEK_SET ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_CANTSEEK;
}

static size_t s3_client_take(char *bytes, size_t size, size_t count, void *user)
{
    crawl_buf *answer = user;
    bool fits = answer->size + size * count <= ANSWER_MAX;
    return fits && crawl_buf_append(answer, bytes, size * count) == CRAWL_OK ? size * count : 0;
}

/* libcurl sends "Expect: 100-continue" before a large body, so that a refused one is not sent. */
static void s3_client_set_body(cw_s3_client *client, const cw_s3_call *call)
{
    CURL *curl = client->curl;
    client->body = call->body;
    client->sent = 0;
    if (call->body) {
        curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)call->body->size);
        curl_easy_setopt(curl, CURLOPT_READFUNCTION, s3_client_give);
        curl_easy_setopt(curl, CURLOPT_READDATA, client);
        curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, s3_client_seek);
        curl_easy_setopt(curl, CURLOPT_SEEKDATA, client);
    } else if (strcmp(call->method, "POST") == 0) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->text.size);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, call->text.size ? call->text.data : "");
    } else if (strcmp(call->method, "HEAD") == 0) {
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    }
}

static void s3_client_set(cw_s3_client *client, const cw_s3_call *call)
{
    CURL *curl = client->curl;
    curl_easy_reset(curl); /* keeps connections */
    curl_easy_setopt(curl, CURLOPT_URL, client->url.data);
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, client->headers);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)SILENCE_S);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "crawl-upload");
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, client->words);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, s3_client_take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &client->answer);
    if (client->options->ca_file) {
        curl_easy_setopt(curl, CURLOPT_CAINFO, client->options->ca_file);
        curl_easy_setopt(curl, CURLOPT_CAPATH, NULL); /* the folder that libcurl was built with */
    }
    s3_client_set_body(client, call);
    if (strcmp(call->method, "HEAD") != 0)
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, call->method);
}

/* --- response --- */

static const char *s3_client_header(const cw_s3_client *client, const char *name)
{
    struct curl_header *header;
    bool is_there = curl_easy_header(client->curl, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK;
    return is_there ? header->value : NULL;
}

static void s3_client_copy_header(const cw_s3_client *client, const char *name, char *out, size_t room)
{
    const char *value = s3_client_header(client, name);
    crawl_slice text = crawl_slice_from(value);
    bool is_quoted = text.size >= 2 && text.data[0] == '"' && text.data[text.size - 1] == '"';
    snprintf(out, room, "%.*s", (int)(text.size - 2 * is_quoted), text.size ? text.data + is_quoted : "");
}

/* Fills answer->words with the cause of a failure, and the bucket's region if that is the cause. */
static void s3_client_explain(const cw_s3_client *client, const xmlNode *error, cw_s3_answer *answer)
{
    char message[240], region[64];
    const char *own = client->options->region;
    cw_s3_xml_text(error, "Message", message, sizeof message);
    cw_s3_xml_text(error, "Region", region, sizeof region);
    if (!*region && (answer->status / 100 == 3 || answer->status == 400))
        s3_client_copy_header(client, "x-amz-bucket-region", region, sizeof region);
    if (*region && strcmp(region, own) != 0)
        snprintf(answer->words, sizeof answer->words, "the bucket is in the region %s, not %s: --region %s", region,
                 own, region);
    else if (strcmp(answer->code, "NoSuchBucket") == 0)
        snprintf(answer->words, sizeof answer->words, "there is no bucket %s", client->options->bucket);
    else if (*answer->code)
        snprintf(answer->words, sizeof answer->words, "%s%s%s", answer->code, *message ? ": " : "", message);
    else
        snprintf(answer->words, sizeof answer->words, "status %d", answer->status);
}

/* Returns true if a retry may succeed. A 200 with an error in its body counts as the usual status of that error. */
static bool s3_client_may_pass(const cw_s3_answer *answer)
{
    static const char *const codes[] = {
        "InternalError",   "SlowDown", "ServiceUnavailable", "RequestTimeout", "ConditionalRequestConflict",
        "OperationAborted"};
    static const int statuses[] = {429, 500, 502, 503, 504};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (answer->status == statuses[i])
            return true;
    return cw_is_among(crawl_slice_from(answer->code), codes, sizeof codes / sizeof *codes);
}

static void s3_client_judge(cw_s3_client *client, cw_s3_answer *answer)
{
    xmlDoc *doc = cw_s3_xml_read(answer->body);
    bool has_error = cw_s3_xml_is(doc, "Error");
    const xmlNode *error = has_error ? xmlDocGetRootElement(doc) : NULL;
    answer->is_good = answer->status / 100 == 2 && !has_error;
    cw_s3_xml_text(error, "Code", answer->code, sizeof answer->code);
    answer->may_pass = !answer->is_good && s3_client_may_pass(answer);
    if (!answer->is_good)
        s3_client_explain(client, error, answer);
    xmlFreeDoc(doc);
}

/* Returns true for a failure that a retry cannot mend. */
static bool s3_client_is_lasting(CURLcode code)
{
    return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE || code == CURLE_URL_MALFORMAT ||
           code == CURLE_ABORTED_BY_CALLBACK || code == CURLE_OUT_OF_MEMORY;
}

static void s3_client_ask_once(cw_s3_client *client, const cw_s3_call *call, cw_s3_answer *answer)
{
    *answer = (cw_s3_answer){.size = -1};
    crawl_buf_clear(&client->answer);
    client->words[0] = '\0';
    crawl_err err = s3_client_place(client, call);
    if (!err)
        err = s3_client_sign(client, call);
    CURLcode code = CURLE_OUT_OF_MEMORY;
    if (!err) {
        s3_client_set(client, call);
        code = curl_easy_perform(client->curl);
    }
    answer->has_no_memory = code == CURLE_OUT_OF_MEMORY;
    if (code) {
        answer->may_pass = !s3_client_is_lasting(code);
        snprintf(answer->words, sizeof answer->words, "%s", *client->words ? client->words : curl_easy_strerror(code));
        return;
    }
    long status = 0;
    curl_off_t size = -1;
    curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(client->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
    answer->status = (int)status;
    answer->size = size;
    answer->body = crawl_buf_slice(&client->answer);
    s3_client_copy_header(client, "ETag", answer->etag, sizeof answer->etag);
    s3_client_copy_header(client, "x-amz-meta-sha256", answer->sha256, sizeof answer->sha256);
    s3_client_judge(client, answer);
}

/* --- retries --- */

/* Adopts the server's clock if the server refuses because ours differs. Returns true if it did. */
static bool s3_client_sets_clock(cw_s3_client *client, const cw_s3_answer *answer)
{
    const char *date = answer->status == 403 ? s3_client_header(client, "Date") : NULL;
    int64_t now_ms = cw_wall_ms(), theirs_ms;
    if (!date || !cw_http_date(crawl_slice_from(date), now_ms, &theirs_ms))
        return false;
    int64_t differs = (theirs_ms - now_ms) / 1000 - client->skew_s;
    if (differs > -SKEW_S && differs < SKEW_S)
        return false;
    client->skew_s += differs;
    return true;
}

static void s3_client_wait(const cw_s3_client *client, const cw_s3_answer *answer, unsigned tries)
{
    const char *after = answer->status ? s3_client_header(client, "Retry-After") : NULL;
    int64_t asked_ms = cw_http_retry_after(crawl_slice_from(after), cw_wall_ms());
    int64_t ms = cw_most(asked_ms, (int64_t)FIRST_WAIT_MS << (tries < DOUBLINGS_MAX ? tries : DOUBLINGS_MAX));
    ms = cw_least(ms, LONGEST_WAIT_MS);
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

void cw_s3_ask(cw_s3_client *client, const cw_s3_call *call, cw_s3_answer *answer)
{
    bool was_set = false;
    for (unsigned tries = 0;; tries++) {
        s3_client_ask_once(client, call, answer);
        if (answer->is_good)
            return;
        if (!was_set && s3_client_sets_clock(client, answer)) {
            was_set = true;
            continue;
        }
        if (!answer->may_pass || tries + 1 >= client->options->tries)
            return;
        if (tries == 0)
            cw_tool_say("upload", "%s; retrying", answer->words);
        s3_client_wait(client, answer, tries);
    }
}

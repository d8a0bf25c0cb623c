#include "tools/index/index_http.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/json/json_read.h"
#include "base/text/http_date.h"
#include "tools/index/engines.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ANSWER_MAX = 64 << 20 };

struct cw_index_http {
    const cw_index_http_options *options;
    CURL *curl;
    crawl_buf url, answer;
    char words[CURL_ERROR_SIZE];
};

crawl_err cw_index_http_create(const cw_index_http_options *options, cw_index_http **out)
{
    cw_index_http *http = calloc(1, sizeof *http);
    if (http)
        http->curl = curl_easy_init();
    if (!http || !http->curl) {
        free(http);
        return CRAWL_ENOMEM;
    }
    http->options = options;
    *out = http;
    return CRAWL_OK;
}

void cw_index_http_free(cw_index_http *http)
{
    if (!http)
        return;
    curl_easy_cleanup(http->curl);
    crawl_buf_free(&http->url);
    crawl_buf_free(&http->answer);
    free(http);
}

static size_t index_http_take(char *bytes, size_t size, size_t count, void *user)
{
    crawl_buf *answer = user;
    bool fits = answer->size + size * count <= ANSWER_MAX;
    return fits && crawl_buf_append(answer, bytes, size * count) == CRAWL_OK ? size * count : 0;
}

/* Sets the options of a request. Does not follow redirects: an engine sends none, and only it may get the key. */
static void index_http_set(cw_index_http *http, const char *method, struct curl_slist *headers, crawl_slice body,
                           bool has_body)
{
    CURL *curl = http->curl;
    curl_easy_reset(curl); /* connections stay */
    curl_easy_setopt(curl, CURLOPT_URL, http->url.data);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, http->options->timeout_s);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->words);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, index_http_take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &http->answer);
    if (http->options->user)
        curl_easy_setopt(curl, CURLOPT_USERPWD, http->options->user);
    if (http->options->ca_file) {
        curl_easy_setopt(curl, CURLOPT_CAINFO, http->options->ca_file);
        curl_easy_setopt(curl, CURLOPT_CAPATH, NULL); /* the folder that libcurl was built with */
    }
    if (has_body) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.size);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.data);
    }
}

/* Makes the headers. "Expect:" keeps libcurl from waiting for a 100. NULL: out of memory. */
static struct curl_slist *index_http_headers(const cw_index_http *http, const char *type)
{
    char line[100];
    struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
    snprintf(line, sizeof line, "Content-Type: %s", type ? type : "");
    if (type)
        headers = curl_slist_append(headers, line);
    return http->options->header ? curl_slist_append(headers, http->options->header) : headers;
}

cw_index_answer cw_index_http_ask(cw_index_http *http, const char *method, const char *path, const char *type,
                                  crawl_slice body)
{
    cw_index_answer answer = {.retry_ms = -1, .words = "out of memory"};
    crawl_buf_clear(&http->url);
    crawl_buf_clear(&http->answer);
    struct curl_slist *headers = index_http_headers(http, type);
    if (!headers || crawl_buf_printf(&http->url, "%s%s", http->options->url, path)) {
        curl_slist_free_all(headers);
        return answer;
    }
    index_http_set(http, method, headers, body, type != NULL);
    http->words[0] = '\0';
    if (http->options->shows_life) {
        puts("{}");
        fflush(stdout);
    }
    CURLcode code = curl_easy_perform(http->curl);
    curl_slist_free_all(headers);
    answer.words = *http->words ? http->words : curl_easy_strerror(code);
    if (code)
        return answer;
    long status = 0;
    struct curl_header *header;
    curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
    answer.status = (int)status;
    answer.body = crawl_buf_slice(&http->answer);
    if (curl_easy_header(http->curl, "Retry-After", 0, CURLH_HEADER, -1, &header) == CURLHE_OK)
        answer.retry_ms = cw_http_retry_after(crawl_slice_from(header->value), cw_wall_ms());
    return answer;
}

/* Returns true if Typesense has no disk or memory left, which it says with the status of a bad document. */
static bool index_http_is_full(const cw_index_answer *answer)
{
    return answer->status == 422 && cw_find_text(answer->body, "running out of resource") < answer->body.size;
}

cw_index_outcome cw_index_judge_answer(cw_index_target *target, const cw_index_answer *answer)
{
    enum { SAID_MAX = 200 };
    int status = answer->status;
    size_t said = answer->body.size < SAID_MAX ? answer->body.size : SAID_MAX;
    target->retry_ms = answer->retry_ms;
    if (status / 100 == 2)
        return CW_INDEX_JUDGED;
    if (!status)
        snprintf(target->words, sizeof target->words, "%s", answer->words);
    else
        snprintf(target->words, sizeof target->words, "status %d: %.*s", status, (int)said,
                 said ? answer->body.data : "");
    if (!status || status == 408 || status == 429 || status >= 500 || index_http_is_full(answer))
        return CW_INDEX_AGAIN;
    return status == 413 || status == 400 || status == 422 ? CW_INDEX_HALVE : CW_INDEX_FAILED;
}

cw_index_outcome cw_index_answer_number(cw_index_target *target, const cw_index_answer *answer, const char *name,
                                        int64_t *out)
{
    cw_index_outcome outcome = cw_index_judge_answer(target, answer);
    if (outcome != CW_INDEX_JUDGED)
        return outcome;
    json_t *said = cw_json_read(answer->body, NULL);
    const json_t *number = json_object_get(said, name);
    if (json_is_integer(number)) {
        *out = (int64_t)json_integer_value(number);
    } else {
        snprintf(target->words, sizeof target->words, "the answer has no %s", name);
        outcome = CW_INDEX_FAILED;
    }
    json_decref(said);
    return outcome;
}

cw_index_outcome cw_index_no_memory(cw_index_target *target)
{
    snprintf(target->words, sizeof target->words, "out of memory");
    return CW_INDEX_FAILED;
}

void cw_index_refuse(cw_index_item *item, const char *reason)
{
    item->fate = CW_INDEX_REFUSED;
    snprintf(item->reason, sizeof item->reason, "%s", reason ? reason : "");
}

crawl_err cw_index_put_document(const cw_index_item *item, crawl_buf *out)
{
    crawl_err err = crawl_buf_printf(out, "{\"id\":\"%.*s\",\"crawl_version\":%" PRId64 ",", (int)item->id.size,
                                     item->id.data, item->version);
    if (!err)
        err = crawl_buf_append(out, item->record.data + 1, item->record.size - 1);
    return err ? err : crawl_buf_append_char(out, '\n');
}

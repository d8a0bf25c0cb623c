#include "tools/mcp/common.h"

#include "base/bytes.h"
#include "base/json/json_read.h"
#include "tools/mcp/handles.h"
#include "tools/mcp/outgoing.h"

#include <crawl/url.h>

bool cw_mcp_common_url(cw_mcp_job *job, const char *text, crawl_buf *href, crawl_buf *host)
{
    const char *wrong = NULL;
    crawl_buf origin = {0};
    crawl_url *url = cw_tool_memory_granted(crawl_url_create());
    crawl_err err = cw_tool_memory_must(crawl_url_parse(url, crawl_slice_from(text), NULL, NULL));
    if (err)
        wrong = "is not an absolute URL";
    else if (!crawl_url_is_http(url))
        wrong = "is not http or https, and nothing else is read";
    else if (crawl_url_username(url).size || crawl_url_password(url).size)
        wrong = "has a user or password, which are not sent";
    if (wrong)
        cw_mcp_refuse(job, "%.200s %s.", text, wrong);
    if (!wrong) {
        crawl_slice request = crawl_url_request(url), name = crawl_url_hostname(url);
        crawl_buf_clear(href);
        cw_tool_memory_must(crawl_buf_append(href, request.data, request.size));
        cw_tool_memory_must(crawl_buf_append(host, name.data, name.size));
        cw_tool_memory_must(crawl_url_origin(url, &origin));
        json_array_append_new(job->hosts, json_string(origin.data));
    }
    crawl_buf_free(&origin);
    crawl_url_free(url);
    return !wrong;
}

bool cw_mcp_common_file(cw_mcp_job *job, const char *file, crawl_buf *path)
{
    const char *handle = cw_mcp_word(job, "handle", "");
    if (cw_mcp_handles_find(job->server, handle, file, path))
        return true;
    cw_mcp_refuse(job, "There is no crawl %.100s, or it has no %s. `list` names all crawls.", handle, file);
    return false;
}

void cw_mcp_common_words(const cw_mcp_job *job, cw_mcp_words *out)
{
    enum { MOST = 1 << 20 };
    crawl_buf file = {0};
    cw_mcp_handles_read(&job->folder, "err", MOST, &file);
    for (crawl_slice rest = crawl_buf_slice(&file); rest.size;) {
        crawl_slice line = cw_cut_line(&rest);
        json_t *message = cw_json_read(line, NULL);
        const char *level = json_string_value(json_object_get(message, "level"));
        const char *words = json_string_value(json_object_get(message, "message"));
        crawl_buf *to = level && strcmp(level, "info") == 0 ? &out->ended : &out->faults;
        crawl_slice text = words ? crawl_slice_from(words) : line;
        if (to == &out->ended) {
            crawl_buf_clear(to);
            text = cw_cut_line(&text);
        } else if (to->size) {
            cw_tool_memory_must(crawl_buf_append_text(to, "; "));
        }
        cw_tool_memory_must(crawl_buf_append(to, text.data, text.size));
        json_decref(message);
    }
    crawl_buf_free(&file);
}

void cw_mcp_common_words_free(cw_mcp_words *words)
{
    crawl_buf_free(&words->ended);
    crawl_buf_free(&words->faults);
}

void cw_mcp_common_failed(cw_mcp_job *job)
{
    cw_mcp_words words = {0};
    cw_mcp_common_words(job, &words);
    cw_mcp_refuse(job, "%.900s",
                  words.faults.size  ? words.faults.data
                  : words.ended.size ? words.ended.data
                                     : "The work ended without a result.");
    cw_mcp_common_words_free(&words);
}

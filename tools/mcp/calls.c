#include "tools/mcp/calls.h"

#include "base/bytes.h"
#include "base/json/json_read.h"
#include "tools/mcp/arguments.h"
#include "tools/mcp/jobs.h"
#include "tools/mcp/places.h"
#include "tools/mcp/strangers.h"
#include "tools/mcp/tools.h"
#include "tools/mcp/wire.h"

#include <crawl/url.h>

static const struct {
    const char *name;
    void (*begin)(cw_mcp_job *job);
} calls[] = {
    {"fetch", cw_mcp_call_fetch},   {"crawl", cw_mcp_call_crawl},   {"list", cw_mcp_call_list},
    {"report", cw_mcp_call_report}, {"robots", cw_mcp_call_robots}, {"explain", cw_mcp_call_explain},
};

void cw_mcp_calls_open(cw_mcp_server *server)
{
    server->tools = cw_mcp_need(json_loads(cw_mcp_tools, 0, NULL));
}

const json_t *cw_mcp_calls_find(const cw_mcp_server *server, const char *name)
{
    const json_t *tool;
    size_t i;
    json_array_foreach(server->tools, i, tool)
    {
        if (strcmp(json_string_value(json_object_get(tool, "name")), name) == 0)
            return tool;
    }
    return NULL;
}

void cw_mcp_calls_begin(cw_mcp_server *server, const cw_mcp_caller *caller, const json_t *tool, json_t *arguments)
{
    char wrong[256];
    const char *name = json_string_value(json_object_get(tool, "name"));
    cw_mcp_job *job = cw_mcp_jobs_add(server, caller, arguments);
    if (!job) {
        cw_mcp_refuse(&(cw_mcp_job){.caller = *caller}, "Too many calls are waiting. Wait for their answers first.");
        return;
    }
    if (!cw_mcp_arguments_check(json_object_get(tool, "inputSchema"), job->arguments, wrong))
        cw_mcp_refuse(job, "%s", wrong);
    else if (cw_mcp_places_make(job))
        cw_mcp_refuse(job, "The server cannot make a folder in %s.", server->scratch);
    else
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
            if (strcmp(name, calls[i].name) == 0)
                calls[i].begin(job);
    if (!job->is_started)
        cw_mcp_jobs_drop(job);
}

/* ---- what several of them need ---- */

bool cw_mcp_calls_url(cw_mcp_job *job, const char *text, crawl_buf *href, crawl_buf *host)
{
    const char *wrong = NULL;
    crawl_buf origin = {0};
    crawl_url *url = cw_mcp_need(crawl_url_create());
    crawl_err err = crawl_url_parse(url, crawl_slice_from(text), NULL, NULL);
    if (err == CRAWL_ENOMEM)
        cw_mcp_must(err);
    if (err)
        wrong = "is no absolute URL";
    else if (!crawl_url_is_http(url))
        wrong = "is not http or https, and nothing else is read";
    else if (crawl_url_username(url).size || crawl_url_password(url).size)
        wrong = "has a user or password, which are not sent";
    if (wrong)
        cw_mcp_refuse(job, "%.200s %s.", text, wrong);
    if (!wrong) {
        crawl_slice request = crawl_url_request(url), name = crawl_url_hostname(url);
        crawl_buf_clear(href);
        cw_mcp_must(crawl_buf_append(href, request.data, request.size));
        cw_mcp_must(crawl_buf_append(host, name.data, name.size));
        cw_mcp_must(crawl_url_origin(url, &origin));
        json_array_append_new(job->hosts, cw_mcp_need(json_string(origin.data)));
    }
    crawl_buf_free(&origin);
    crawl_url_free(url);
    return !wrong;
}

bool cw_mcp_calls_file(cw_mcp_job *job, const char *file, crawl_buf *path)
{
    const char *handle = cw_mcp_word(job, "handle", "");
    if (cw_mcp_places_find(job->server, handle, file, path))
        return true;
    cw_mcp_refuse(job, "There is no crawl %.100s, or it has no %s. `list` names all crawls.", handle, file);
    return false;
}

void cw_mcp_calls_words(cw_mcp_job *job, cw_mcp_words *out)
{
    enum { MOST = 65536 };
    crawl_buf file = {0};
    cw_mcp_places_read(&job->folder, "err", MOST, &file);
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
            cw_mcp_must(crawl_buf_append_text(to, "; "));
        }
        cw_mcp_must(crawl_buf_append(to, text.data, text.size));
        json_decref(message);
    }
    crawl_buf_free(&file);
}

void cw_mcp_calls_words_free(cw_mcp_words *words)
{
    crawl_buf_free(&words->ended);
    crawl_buf_free(&words->faults);
}

void cw_mcp_calls_failed(cw_mcp_job *job)
{
    cw_mcp_words words = {0};
    cw_mcp_calls_words(job, &words);
    cw_mcp_refuse(job, "%.900s",
                  words.faults.size  ? words.faults.data
                  : words.ended.size ? words.ended.data
                                     : "The work ended without a word.");
    cw_mcp_calls_words_free(&words);
}

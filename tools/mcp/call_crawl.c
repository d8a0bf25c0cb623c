#include "base/bytes.h"
#include "base/files/replace.h"
#include "tools/common/status.h"
#include "tools/mcp/common.h"
#include "tools/mcp/handles.h"
#include "tools/mcp/holds.h"
#include "tools/mcp/jobs.h"
#include "tools/mcp/mcp.h"
#include "tools/mcp/outgoing.h"
#include "tools/mcp/tally.h"

static void crawl_ended(cw_mcp_job *job, int status)
{
    enum { FIRST = 20 };
    cw_mcp_tally tally = {0};
    cw_mcp_rows rows = {.start = job->pages_before, .most = FIRST};
    cw_mcp_words words = {0};
    crawl_buf path = {0};
    cw_mcp_tally_count(&job->place, &tally);
    if (status != CW_EXIT_OK && status != CW_EXIT_NOTHING && status != CW_EXIT_STOPPED) {
        cw_mcp_common_failed(job);
        if (!tally.pages && !cw_mcp_word(job, "handle", NULL))
            cw_remove_folder(job->place.data);
        return;
    }
    cw_mcp_common_words(job, &words);
    cw_tool_memory_must(crawl_buf_printf(&path, "%s/" CW_MCP_RECORDS, job->place.data));
    cw_mcp_rows_read(path.data, &rows);
    json_t *facts =
        json_pack("{s:s, s:I, s:I, s:I, s:I, s:o}", "handle", job->handle.data, "pages", (json_int_t)tally.pages, "new",
                  (json_int_t)(tally.pages - job->pages_before), "failed", (json_int_t)tally.failed, "bytes",
                  (json_int_t)tally.bytes, "ended",
                  cw_mcp_clean(crawl_slice_of(words.ended.data, cw_find_char(crawl_buf_slice(&words.ended), ';'))));
    cw_mcp_holds_tell(job, facts);
    cw_mcp_answer(job, facts, crawl_buf_slice(&rows.text), false);
    cw_mcp_common_words_free(&words);
    crawl_buf_free(&rows.text);
    crawl_buf_free(&path);
}

static void crawl_add_list(cw_mcp_job *job, const char *name, const char *option)
{
    const json_t *value;
    size_t i;
    json_array_foreach(json_object_get(job->arguments, name), i, value)
    {
        cw_mcp_command_set(job, option, json_string_value(value));
    }
}

/* Adds the options of a new crawl. */
static void crawl_add_options(cw_mcp_job *job)
{
    char depth[32];
    snprintf(depth, sizeof depth, "%lld", (long long)cw_mcp_number(job, "depth", 2));
    cw_mcp_command_set(job, "--text", "markdown");
    cw_mcp_command_add(job, "--data");
    cw_mcp_command_set(job, "--depth", depth);
    cw_mcp_command_set(job, "--scope", cw_mcp_word(job, "scope", "host"));
    if (cw_mcp_flag(job, "sitemaps"))
        cw_mcp_command_add(job, "--sitemaps");
    crawl_add_list(job, "include", "--include");
    crawl_add_list(job, "exclude", "--exclude");
}

/* Finds the crawl to continue. */
static bool crawl_find(cw_mcp_job *job)
{
    json_t *asked = json_object(), *until;
    const char *host;
    crawl_buf path = {0}, records = {0};
    const char *handle = cw_mcp_word(job, "handle", "");
    bool found = cw_mcp_common_file(job, CW_MCP_STATE, &path) && cw_mcp_common_file(job, CW_MCP_RECORDS, &records);
    if (found) {
        cw_tool_memory_must(crawl_buf_append_text(&job->handle, handle));
        cw_tool_memory_must(crawl_buf_printf(&job->place, "%s/%s", job->server->root, handle));
        (void)cw_mcp_tally_requests(&job->place, asked);
        json_object_update_missing(job->server->holds, asked);
        json_object_foreach(asked, host, until)
        {
            json_array_append_new(job->hosts, json_string(host));
        }
    }
    json_decref(asked);
    crawl_buf_free(&path);
    crawl_buf_free(&records);
    return found;
}

/* Reads the URLs into a list of request URLs. */
static json_t *crawl_read_urls(cw_mcp_job *job, crawl_buf *host)
{
    crawl_buf href = {0}, other = {0};
    json_t *urls = json_array();
    const json_t *url;
    size_t i;
    json_array_foreach(json_object_get(job->arguments, "urls"), i, url)
    {
        if (!cw_mcp_common_url(job, json_string_value(url), &href, i ? &other : host)) {
            json_decref(urls);
            urls = NULL;
            break;
        }
        json_array_append_new(urls, json_string(href.data));
    }
    crawl_buf_free(&href);
    crawl_buf_free(&other);
    return urls;
}

void cw_mcp_call_crawl(cw_mcp_job *job)
{
    const cw_mcp_limits wanted = {.pages = cw_mcp_number(job, "pages", 0),
                                  .bytes = cw_mcp_number(job, "bytes", 0),
                                  .ms = cw_mcp_number(job, "seconds", 0) * 1000};
    crawl_buf host = {0};
    json_t *urls = NULL;
    bool goes_on = cw_mcp_word(job, "handle", NULL) != NULL;
    if (goes_on == (json_object_get(job->arguments, "urls") != NULL)) {
        cw_mcp_refuse(job, "Give either urls, for a new crawl, or handle, to go on with one.");
        return;
    }
    bool is_ready = goes_on ? crawl_find(job) : (urls = crawl_read_urls(job, &host)) != NULL;
    if (is_ready && !goes_on && cw_mcp_handles_make_crawl(job, crawl_buf_slice(&host))) {
        cw_mcp_refuse(job, "The server cannot make a folder below its root.");
        is_ready = false;
    }
    if (is_ready) {
        cw_mcp_command_crawl(job, &wanted, true);
        cw_mcp_command_file(job, "--state", &job->place, CW_MCP_STATE);
        if (!goes_on)
            crawl_add_options(job);
        for (size_t i = 0; i < json_array_size(urls); i++)
            cw_mcp_command_add(job, json_string_value(json_array_get(urls, i)));
        job->ended = crawl_ended;
    }
    json_decref(urls);
    crawl_buf_free(&host);
}

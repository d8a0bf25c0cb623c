#include "base/bytes.h"
#include "base/json/json_read.h"
#include "tools/mcp/common.h"
#include "tools/mcp/fetched.h"
#include "tools/mcp/handles.h"
#include "tools/mcp/jobs.h"
#include "tools/mcp/mcp.h"
#include "tools/mcp/outgoing.h"
#include "tools/mcp/tally.h"

/* Redirects, and the page they lead to. */
enum { FETCH_REDIRECTS = 5, FETCH_PAGES = FETCH_REDIRECTS + 1 };

typedef struct fetch_search {
    crawl_buf wanted; /* URL */
    crawl_buf line;   /* its record */
    bool was_redirected;
} fetch_search;

static bool fetch_compare(void *user, const cw_mcp_record *record)
{
    fetch_search *search = user;
    if (!crawl_slice_equal(record->url, crawl_buf_slice(&search->wanted)))
        return true;
    crawl_buf_clear(&search->line);
    cw_tool_memory_must(crawl_buf_append(&search->line, record->line.data, record->line.size));
    search->was_redirected = record->redirect.size;
    if (search->was_redirected) { /* the target's record has no fragment */
        crawl_buf_clear(&search->wanted);
        cw_tool_memory_must(
            crawl_buf_append(&search->wanted, record->redirect.data, cw_find_char(record->redirect, '#')));
    }
    return true;
}

/* Returns the record of a URL, or of the target of its redirects, as far as recorded. NULL: none. */
static json_t *fetch_find_record(const char *path, const char *href)
{
    fetch_search search = {.was_redirected = true};
    cw_tool_memory_must(crawl_buf_append_text(&search.wanted, href));
    for (int i = 0; i < FETCH_PAGES && search.was_redirected; i++) {
        search.was_redirected = false;
        cw_mcp_records(path, fetch_compare, &search);
    }
    json_t *record = cw_json_read(crawl_buf_slice(&search.line), NULL);
    crawl_buf_free(&search.wanted);
    crawl_buf_free(&search.line);
    return record;
}

/* Does the same for the URL that the job has crawled. */
static json_t *fetch_read_record(const cw_mcp_job *job)
{
    crawl_buf path = {0};
    const char *href = json_string_value(json_array_get(job->command, json_array_size(job->command) - 1));
    cw_tool_memory_must(crawl_buf_printf(&path, "%s/" CW_MCP_RECORDS, job->place.data));
    json_t *record = fetch_find_record(path.data, href);
    crawl_buf_free(&path);
    return record;
}

/* ---- fetch ---- */

static void fetch_make_key(const cw_mcp_job *job, const char *href, crawl_buf *key)
{
    cw_tool_memory_must(crawl_buf_printf(key, "%s\n%d%d%s", href, cw_mcp_flag(job, "all"), cw_mcp_flag(job, "links"),
                                         cw_mcp_word(job, "handle", "")));
}

static void fetch_ended(cw_mcp_job *job, int)
{
    crawl_buf key = {0}, href = {0}, host = {0};
    json_t *record = fetch_read_record(job);
    if (!record)
        cw_mcp_common_failed(job);
    else if (cw_mcp_common_url(job, cw_mcp_word(job, "url", ""), &href, &host)) {
        fetch_make_key(job, href.data, &key);
        cw_mcp_fetched_show(job, cw_mcp_fetched_keep(job, key.data, record, &job->folder));
    }
    json_decref(record);
    crawl_buf_free(&key);
    crawl_buf_free(&href);
    crawl_buf_free(&host);
}

/* Finds the state that keeps robots.txt of the job's host, and Retry-After; with many hosts, one for this job alone. */
static void fetch_find_state(cw_mcp_job *job)
{
    enum { MOST = 256 }; /* of 200 KB each */
    json_t *states = job->server->states;
    const char *origin = json_string_value(json_array_get(job->hosts, 0));
    const json_t *kept = json_object_get(states, origin);
    if (kept) {
        cw_tool_memory_must(crawl_buf_append_text(&job->state, json_string_value(kept)));
    } else if (json_object_size(states) < MOST) {
        cw_tool_memory_must(
            crawl_buf_printf(&job->state, "%s/state-%zu", job->server->scratch, json_object_size(states)));
        json_object_set_new(states, origin, json_string(job->state.data));
    } else {
        cw_tool_memory_must(crawl_buf_printf(&job->state, "%s/" CW_MCP_STATE, job->folder.data));
    }
}

/* Begins a crawl of one page in the job's folder. The state remembers hosts, but nothing of pages. */
static void fetch_begin_crawl(cw_mcp_job *job, bool links)
{
    static const char *const settings[] = {
        "seen.kind=exact",    "seen.capacity=1k",      "seen.forget_after=1ms",      "seen.forget_failed_after=1ms",
        "dedupe.kind=off",    "revisit.revisit=false", "crawl.max_pages_per_host=0", "crawl.max_pages_per_domain=0",
        "crawl.max_queries=0"};
    const cw_mcp_limits wanted = {.pages = FETCH_PAGES};
    char redirects[16];
    snprintf(redirects, sizeof redirects, "%d", FETCH_REDIRECTS);
    cw_tool_memory_must(crawl_buf_append_text(&job->place, job->folder.data));
    cw_mcp_command_crawl(job, &wanted, links);
    cw_mcp_command_set(job, "--depth", "0");
    cw_mcp_command_set(job, "--scope", "any");
    cw_mcp_command_set(job, "--max-redirects", redirects);
    cw_mcp_command_set(job, "--retries", "0");
    cw_mcp_command_set(job, "--state", job->state.data);
    cw_mcp_command_file(job, "--bodies", &job->folder, CW_MCP_BODIES);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        cw_mcp_command_set(job, "--set", settings[i]);
}

static void fetch_begin(cw_mcp_job *job, const char *href)
{
    fetch_find_state(job);
    fetch_begin_crawl(job, cw_mcp_flag(job, "links"));
    cw_mcp_command_set(job, "--text", cw_mcp_flag(job, "all") ? "all-markdown" : "markdown");
    cw_mcp_command_add(job, href);
    job->ended = fetch_ended;
}

static void fetch_from_crawl(cw_mcp_job *job, const char *href, const char *key)
{
    crawl_buf path = {0};
    if (cw_mcp_common_file(job, CW_MCP_RECORDS, &path)) {
        json_t *record = fetch_find_record(path.data, href);
        if (record)
            cw_mcp_fetched_show(job, cw_mcp_fetched_keep(job, key, record, NULL));
        else
            cw_mcp_refuse(job, "The crawl has no page %.300s. `explain` says why.", href);
        json_decref(record);
    }
    crawl_buf_free(&path);
}

void cw_mcp_call_fetch(cw_mcp_job *job)
{
    crawl_buf href = {0}, host = {0}, key = {0};
    if (cw_mcp_common_url(job, cw_mcp_word(job, "url", ""), &href, &host)) {
        fetch_make_key(job, href.data, &key);
        const cw_mcp_page *page = cw_mcp_number(job, "start", 0) ? cw_mcp_fetched_find(job->server, key.data) : NULL;
        if (page)
            cw_mcp_fetched_show(job, page);
        else if (cw_mcp_word(job, "handle", NULL))
            fetch_from_crawl(job, href.data, key.data);
        else
            fetch_begin(job, href.data);
    }
    crawl_buf_free(&href);
    crawl_buf_free(&host);
    crawl_buf_free(&key);
}

/* ---- robots ---- */

static void robots_explain(cw_mcp_job *job);

static void robots_fetched(cw_mcp_job *job, int)
{
    json_t *record = fetch_read_record(job);
    const char *error = json_string_value(json_object_get(record, "error"));
    if (error && (strcmp(error, "private") == 0 || strcmp(error, "port") == 0 || strcmp(error, "dns") == 0))
        cw_mcp_refuse(job, "%s: %s", error, json_string_value(json_object_get(record, "detail")));
    else
        robots_explain(job);
    json_decref(record);
}

static void robots_fetch(cw_mcp_job *job)
{
    crawl_buf href = {0};
    fetch_begin_crawl(job, false);
    cw_tool_memory_must(crawl_buf_printf(&href, "%s/robots.txt", json_string_value(json_array_get(job->hosts, 0))));
    cw_mcp_command_add(job, href.data);
    job->ended = robots_fetched;
    crawl_buf_free(&href);
}

/* Answers with the check of robots.txt in the output of `crawl explain`, or fetches robots.txt. */
static void robots_ended(cw_mcp_job *job, int)
{
    enum { MOST = 1 << 20 };
    crawl_buf out = {0};
    cw_mcp_handles_read(&job->folder, CW_MCP_OUT, MOST, &out);
    json_t *told = cw_json_read(crawl_buf_slice(&out), NULL), *check, *found = NULL;
    size_t i;
    json_array_foreach(json_object_get(told, "checks"), i, check)
    {
        if (strcmp(json_string_value(json_object_get(check, "name")), "robots") == 0)
            found = check;
    }
    const char *verdict = json_string_value(json_object_get(found, "verdict"));
    bool is_known = verdict && strcmp(verdict, "unknown") != 0;
    if (is_known)
        cw_mcp_answer(
            job, json_pack("{s:O, s:b}", "url", json_object_get(told, "href"), "allowed", strcmp(verdict, "pass") == 0),
            crawl_slice_from(json_string_value(json_object_get(found, "rule"))), false);
    else if (job->place.size)
        cw_mcp_common_failed(job);
    else
        robots_fetch(job);
    json_decref(told);
    crawl_buf_free(&out);
}

static void robots_explain(cw_mcp_job *job)
{
    cw_mcp_command(job, "explain");
    cw_mcp_command_set(job, "--state", job->state.data);
    cw_mcp_command_set(job, "--config", "/dev/null");
    cw_mcp_command_add(job, "--jsonl");
    cw_mcp_command_add(job, cw_mcp_word(job, "url", ""));
    job->ended = robots_ended;
}

void cw_mcp_call_robots(cw_mcp_job *job)
{
    crawl_buf href = {0}, host = {0};
    if (cw_mcp_common_url(job, cw_mcp_word(job, "url", ""), &href, &host)) {
        fetch_find_state(job);
        robots_explain(job);
    }
    crawl_buf_free(&href);
    crawl_buf_free(&host);
}

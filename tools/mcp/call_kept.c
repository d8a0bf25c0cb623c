#include "base/json/json_read.h"
#include "tools/common/status.h"
#include "tools/mcp/common.h"
#include "tools/mcp/handles.h"
#include "tools/mcp/jobs.h"
#include "tools/mcp/mcp.h"
#include "tools/mcp/outgoing.h"
#include "tools/mcp/tally.h"

#include <dirent.h>
#include <stdlib.h>

/* ---- list ---- */

static int kept_compare(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void kept_list_crawls(cw_mcp_job *job, uint64_t start, uint64_t most)
{
    struct dirent **names = NULL;
    crawl_buf path = {0};
    uint64_t found = 0;
    json_t *handles = json_array();
    int count = scandir(job->server->root, &names, NULL, kept_compare);
    if (count < 0)
        cw_mcp_try(NULL);
    for (int i = 0; i < count; i++) {
        if (cw_mcp_handles_find(job->server, names[i]->d_name, CW_MCP_RECORDS, &path) && found++ >= start &&
            found <= start + most)
            json_array_append_new(handles, cw_mcp_clean(crawl_slice_from(names[i]->d_name)));
        free(names[i]);
    }
    free(names);
    crawl_buf_free(&path);
    json_t *facts = json_pack("{s:o}", "handles", handles);
    if (found > start + most)
        json_object_set_new(facts, "next", json_integer((json_int_t)(start + most)));
    cw_mcp_answer(job, facts, crawl_slice_of("", 0), false);
}

void cw_mcp_call_list(cw_mcp_job *job)
{
    enum { COUNT = 50 };
    crawl_buf path = {0};
    cw_mcp_rows rows = {.start = (uint64_t)cw_mcp_number(job, "start", 0),
                        .most = (uint64_t)cw_mcp_number(job, "count", COUNT),
                        .only_failed = cw_mcp_flag(job, "failed")};
    if (!cw_mcp_word(job, "handle", NULL)) {
        kept_list_crawls(job, rows.start, rows.most);
    } else if (cw_mcp_common_file(job, CW_MCP_RECORDS, &path)) {
        cw_mcp_rows_read(path.data, &rows);
        json_t *facts = json_pack("{s:s}", "handle", cw_mcp_word(job, "handle", ""));
        if (rows.more)
            json_object_set_new(facts, "next", json_integer((json_int_t)rows.passed));
        cw_mcp_answer(job, facts, crawl_buf_slice(&rows.text), false);
    }
    crawl_buf_free(&rows.text);
    crawl_buf_free(&path);
}

/* ---- report, query and explain ---- */

/* Returns the facts about what a child has told; warning: why it has not told all. */
static json_t *kept_facts(cw_mcp_job *job, int status)
{
    cw_mcp_words words = {0};
    json_t *facts = json_pack("{s:s}", "handle", cw_mcp_word(job, "handle", ""));
    if (status != CW_EXIT_OK)
        cw_mcp_common_words(job, &words);
    if (words.faults.size)
        json_object_set_new(facts, "warning", cw_mcp_clean(crawl_buf_slice(&words.faults)));
    cw_mcp_common_words_free(&words);
    return facts;
}

static void kept_told(cw_mcp_job *job, int status)
{
    crawl_buf out = {0};
    cw_mcp_handles_read(&job->folder, CW_MCP_OUT, CW_MCP_OUT_MOST + 1, &out);
    if (status < 0 || status == CW_EXIT_STOPPED || out.size > CW_MCP_OUT_MOST)
        cw_mcp_refuse(job, "It took longer than a call may, or said more than %d MiB: ask for less.",
                      CW_MCP_OUT_MOST >> 20);
    else if (status != CW_EXIT_OK && !out.size)
        cw_mcp_common_failed(job);
    else
        cw_mcp_answer_part(job, kept_facts(job, status), crawl_buf_slice(&out), false);
    crawl_buf_free(&out);
}

/* Adds a file of the crawl as the value of an option. Returns false if it does not exist. */
static bool kept_add(cw_mcp_job *job, const char *option, const char *file)
{
    crawl_buf path = {0};
    bool exists = cw_mcp_handles_find(job->server, cw_mcp_word(job, "handle", ""), file, &path);
    if (exists)
        cw_mcp_command_set(job, option, path.data);
    crawl_buf_free(&path);
    return exists;
}

static bool kept_is_table(const char *word)
{
    return *word != '-' && word[strspn(word, "abcdefghijklmnopqrstuvwxyz-")] == '\0';
}

void cw_mcp_call_report(cw_mcp_job *job)
{
    crawl_buf path = {0};
    const char *table = cw_mcp_word(job, "table", NULL);
    if (table && !kept_is_table(table)) {
        cw_mcp_refuse(job, "table: expected a word such as broken");
    } else if (cw_mcp_common_file(job, CW_MCP_RECORDS, &path)) {
        cw_mcp_command(job, "report");
        if (table)
            cw_mcp_command_set(job, "--print", table);
        kept_add(job, "--links", CW_MCP_LINKS);
        kept_add(job, "--requests", CW_MCP_REQUESTS);
        cw_mcp_command_add(job, path.data);
        job->ended = kept_told;
    }
    crawl_buf_free(&path);
}

void cw_mcp_call_query(cw_mcp_job *job)
{
    crawl_buf path = {0};
    if (cw_mcp_common_file(job, CW_MCP_RECORDS, &path)) {
        cw_mcp_command(job, "query");
        cw_mcp_command_set(job, "--json", "--");
        cw_mcp_command_add(job, path.data);
        if (cw_mcp_handles_find(job->server, cw_mcp_word(job, "handle", ""), CW_MCP_LINKS, &path))
            cw_mcp_command_add(job, path.data);
        cw_mcp_command_add(job, cw_mcp_word(job, "sql", ""));
        job->ended = kept_told;
    }
    crawl_buf_free(&path);
}

static void kept_explain_ended(cw_mcp_job *job, int)
{
    crawl_buf out = {0};
    cw_mcp_handles_read(&job->folder, CW_MCP_OUT, CW_MCP_OUT_MOST, &out);
    json_t *told = cw_json_read(crawl_buf_slice(&out), NULL);
    if (json_is_object(told))
        cw_mcp_answer(job,
                      json_pack("{s:O, s:O, s:O}", "url", json_object_get(told, "href"), "verdict",
                                json_object_get(told, "verdict"), "by", json_object_get(told, "by")),
                      crawl_buf_slice(&out), false);
    else
        cw_mcp_common_failed(job);
    json_decref(told);
    crawl_buf_free(&out);
}

void cw_mcp_call_explain(cw_mcp_job *job)
{
    crawl_buf path = {0}, href = {0}, host = {0};
    if (cw_mcp_common_url(job, cw_mcp_word(job, "url", ""), &href, &host) &&
        cw_mcp_common_file(job, CW_MCP_RECORDS, &path)) {
        json_array_clear(job->hosts); /* nothing is requested */
        cw_mcp_command(job, "explain");
        cw_mcp_command_set(job, "--records", path.data);
        kept_add(job, "--records", CW_MCP_LINKS);
        if (kept_add(job, "--state", CW_MCP_STATE))
            cw_mcp_command_set(job, "--config", "/dev/null");
        else
            cw_mcp_command_settings(job);
        cw_mcp_command_set(job, "--jsonl", href.data);
        job->ended = kept_explain_ended;
    }
    crawl_buf_free(&path);
    crawl_buf_free(&href);
    crawl_buf_free(&host);
}

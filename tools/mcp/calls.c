#include "tools/mcp/calls.h"

#include "tools/mcp/arguments.h"
#include "tools/mcp/handles.h"
#include "tools/mcp/jobs.h"
#include "tools/mcp/outgoing.h"

static const struct {
    const char *name;
    void (*begin)(cw_mcp_job *job);
} calls[] = {
    {"fetch", cw_mcp_call_fetch},   {"crawl", cw_mcp_call_crawl},   {"list", cw_mcp_call_list},
    {"report", cw_mcp_call_report}, {"robots", cw_mcp_call_robots}, {"explain", cw_mcp_call_explain},
};

void cw_mcp_calls_open(cw_mcp_server *server)
{
    server->tools = json_loads(cw_mcp_tools, 0, NULL);
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
    else if (cw_mcp_handles_make(job))
        cw_mcp_refuse(job, "The server cannot make a folder in %s.", server->scratch);
    else
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
            if (strcmp(name, calls[i].name) == 0)
                calls[i].begin(job);
    if (!job->is_started)
        cw_mcp_jobs_drop(job);
}

/* Jobs: they wait for their hosts, run a child, are counted, and end. */
#pragma once

#include "tools/mcp/mcp.h"

/* The standard output of a job's child, in its folder, and the number of bytes beyond which the child is ended. */
#define CW_MCP_OUT "out"
enum { CW_MCP_OUT_MOST = 16 << 20 };

/* Adds a job without a command. NULL: too many jobs. */
cw_mcp_job *cw_mcp_jobs_add(cw_mcp_server *server, const cw_mcp_caller *caller, json_t *arguments);
/* Removes an answered job. */
void cw_mcp_jobs_drop(cw_mcp_job *job);
/* Returns true if a job will answer this request. */
bool cw_mcp_jobs_have(const cw_mcp_server *server, const json_t *id);
/* Stops the job of this request, without an answer. */
void cw_mcp_jobs_cancel(cw_mcp_server *server, const json_t *id);
/* Starts, watches and ends jobs. Returns the milliseconds until the next call; -1: when something happens. */
int cw_mcp_jobs_turn(cw_mcp_server *server);
/* Ends all children and waits for them. */
void cw_mcp_jobs_stop(cw_mcp_server *server);

/* Begins a command: NULL is crawl itself, another word one of its tools. */
void cw_mcp_command(cw_mcp_job *job, const char *tool);
void cw_mcp_command_add(cw_mcp_job *job, const char *word);
/* Adds an option and its value. */
void cw_mcp_command_set(cw_mcp_job *job, const char *option, const char *value);
/* Adds a file below a folder, as the value of an option, or alone if option is NULL. */
void cw_mcp_command_file(cw_mcp_job *job, const char *option, const crawl_buf *folder, const char *name);
/* Adds the settings of the server. */
void cw_mcp_command_settings(cw_mcp_job *job);
/* Begins a crawl that writes its records, its links if asked for, and its requests to job->place. Its start grants what
 * is wanted (0: the maximum of a call), as far as the server still has it. */
void cw_mcp_command_crawl(cw_mcp_job *job, const cw_mcp_limits *wanted, bool links);

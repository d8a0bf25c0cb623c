/* Jobs: they wait for their hosts, run a child, are counted, and end. */
#pragma once

#include "tools/mcp/mcp.h"

/* The standard output of a job's child, in its folder: the child is ended that writes more bytes than these. */
#define CW_MCP_OUT "out"
enum { CW_MCP_OUT_MOST = 16 << 20 };

/* A new job without a command; NULL: there are too many. */
cw_mcp_job *cw_mcp_jobs_add(cw_mcp_server *server, const cw_mcp_caller *caller, json_t *arguments);
/* Removes one that was answered. */
void cw_mcp_jobs_drop(cw_mcp_job *job);
/* Has a job the answer of this request to give? */
bool cw_mcp_jobs_have(const cw_mcp_server *server, const json_t *id);
/* Stops the job of this request; it gives no answer. */
void cw_mcp_jobs_cancel(cw_mcp_server *server, const json_t *id);
/* Starts, watches and ends jobs. Returns ms until it should be called again; -1: when something happens. */
int cw_mcp_jobs_turn(cw_mcp_server *server);
/* Ends all children and waits for them. */
void cw_mcp_jobs_stop(cw_mcp_server *server);

/* Begins a command with a program of ours: NULL is crawl itself, another word a tool of it. */
void cw_mcp_command(cw_mcp_job *job, const char *tool);
void cw_mcp_command_add(cw_mcp_job *job, const char *word);
/* An option and its value. */
void cw_mcp_command_set(cw_mcp_job *job, const char *option, const char *value);
/* A file below a folder, as the value of an option, or as a word where option is NULL. */
void cw_mcp_command_file(cw_mcp_job *job, const char *option, const crawl_buf *folder, const char *name);
/* A crawl that keeps its records, its links if these are wanted, and its requests at job->place, within what was
 * granted. */
void cw_mcp_command_crawl(cw_mcp_job *job, bool links);

/* Grants the job what it wants (0: as much as a call may have), as far as the server has it. False: it has nothing
 * left, and the job was answered. */
bool cw_mcp_jobs_grant(cw_mcp_job *job, const cw_mcp_limits *wanted);

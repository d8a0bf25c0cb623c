/* Hosts that asked to wait, by Retry-After or a quota: later calls leave them alone, too. */
#pragma once

#include "tools/mcp/mcp.h"

/* Returns how long the job has to wait for its hosts, in ms; 0: not at all. A crawl that goes on can begin with any of
 * its hosts, others ask all of theirs. */
int64_t cw_mcp_holds_wait(const cw_mcp_job *job);
/* Answers with an error if that is longer than the job may take. */
bool cw_mcp_holds_refuse(cw_mcp_job *job);
/* Adds to facts which of the job's hosts asked to wait, if one did. */
void cw_mcp_holds_tell(const cw_mcp_job *job, json_t *facts);

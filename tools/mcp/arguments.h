/* Checks the arguments of a call against the schema that the client was given. */
#ifndef CW_MCP_ARGUMENTS_H
#define CW_MCP_ARGUMENTS_H

#include "tools/mcp/mcp.h"

/* False: wrong says, in words, what is not as the schema has it. Of JSON Schema it knows what tools.json uses. */
bool cw_mcp_arguments_check(const json_t *schema, json_t *arguments, char wrong[256]);

/* Values of arguments that were checked; fallback where there is none. */
json_int_t cw_mcp_number(const cw_mcp_job *job, const char *name, json_int_t fallback);
bool cw_mcp_flag(const cw_mcp_job *job, const char *name);
const char *cw_mcp_word(const cw_mcp_job *job, const char *name, const char *fallback);

#endif

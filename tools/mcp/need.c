#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/mcp/mcp.h"

#include <unistd.h>

void *cw_mcp_need(void *value)
{
    if (value)
        return value;
    cw_tool_say("mcp", "%s", crawl_strerror(CRAWL_ENOMEM));
    _exit(CW_EXIT_LOCAL);
}

void cw_mcp_must(crawl_err err)
{
    (void)cw_mcp_need(err ? NULL : &err);
}

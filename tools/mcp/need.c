#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/mcp/mcp.h"

#include <errno.h>
#include <stdlib.h>
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

void *cw_mcp_try(void *value)
{
    if (!value && errno == ENOMEM)
        cw_mcp_must(CRAWL_ENOMEM);
    return value;
}

static void *need_allocate(size_t size)
{
    return cw_mcp_need(malloc(size));
}

void cw_mcp_need_json(void)
{
    json_set_alloc_funcs(need_allocate, free);
}

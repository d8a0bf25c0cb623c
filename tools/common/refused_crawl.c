/* Separate from refused_memory.c, so that tools without a crawl do not load libcurl and its dependencies, which takes
 * half of their start-up time. */
#include "tools/common/refused_memory.h"

#include <curl/curl.h>
#include <event2/event.h>
#include <stdlib.h>

static void *refused_crawl_take_zeroed(size_t count, size_t size)
{
    return cw_tool_memory_granted(calloc(count ? count : 1, size ? size : 1));
}

void cw_tool_memory_begin_crawl(void)
{
    event_set_mem_functions(cw_tool_memory_take, cw_tool_memory_resize, free);
    /* The first call counts; those of the fetcher only add users. */
    if (curl_global_init_mem(CURL_GLOBAL_DEFAULT, cw_tool_memory_take, free, cw_tool_memory_resize, cw_tool_memory_copy,
                             refused_crawl_take_zeroed))
        cw_tool_memory_refused();
}

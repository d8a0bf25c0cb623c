/* Handles failed allocations, for libraries that cannot report them. */
#pragma once

#include <crawl/base.h>

/* Prints "crawl: out of memory", and ends the process with CW_EXIT_LOCAL. No destructor runs, and nothing is flushed:
 * for files on disk it is like a kill. */
_Noreturn void cw_tool_memory_refused(void);

/* malloc, realloc and strdup that never fail: the program ends instead. Size 0 gives a valid block too. */
void *cw_tool_memory_take(size_t size);
void *cw_tool_memory_resize(void *block, size_t size);
char *cw_tool_memory_copy(const char *text);
/* Returns the block unless it is NULL, which ends the program. */
void *cw_tool_memory_granted(void *block);
/* Ends the program if err is CRAWL_ENOMEM, otherwise returns it. */
crawl_err cw_tool_memory_must(crawl_err err);

/* Makes allocation failures in jansson, libxml2 and the C++ library end the program by cw_tool_memory_refused. Call
 * before using any of them. */
void cw_tool_memory_begin(void);

/* Does the same for the C++ library if only RocksDB loads it. Call before a frontier in a directory is opened. */
void cw_tool_memory_begin_disk(void);

/* Does the same for libevent and libcurl, in a crawl. Call before using either, and before there is a second thread. */
void cw_tool_memory_begin_crawl(void);

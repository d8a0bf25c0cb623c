/* Memory that is refused to a library which cannot say so to its caller. */
#pragma once

#include <crawl/base.h>

/* Prints "crawl: out of memory", and ends the process with CW_EXIT_LOCAL. No destructor runs and nothing is flushed:
 * for what is kept on disk it is like a kill. */
_Noreturn void cw_tool_memory_refused(void);

/* malloc, realloc and strdup that are not refused: the program ends before. Any size is a piece of its own. */
void *cw_tool_memory_take(size_t size);
void *cw_tool_memory_resize(void *block, size_t size);
char *cw_tool_memory_copy(const char *text);
/* Gives a block back that the system has granted; NULL: it was refused. */
void *cw_tool_memory_granted(void *block);
/* Ends the program where err is CRAWL_ENOMEM, and gives it back otherwise. */
crawl_err cw_tool_memory_must(crawl_err err);

/* From now on a refusal within jansson, libxml2 or the C++ library ends the program by cw_tool_memory_refused. To be
 * called before either is used. */
void cw_tool_memory_begin(void);

/* The same for the C++ library where RocksDB alone brings it. To be called before a frontier in a directory is opened.
 */
void cw_tool_memory_begin_disk(void);

/* The same for libevent and libcurl, in a crawl. To be called before either is used and before there is a second
 * thread. */
void cw_tool_memory_begin_crawl(void);

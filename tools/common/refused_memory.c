/* Our own code returns CRAWL_ENOMEM. Some libraries cannot. jansson's writers and builders drop what they have no
 * memory for, so that a line is short or missing. libxml2 prints a message, and omits a part of a page. RocksDB is C++,
 * whose exceptions end a C program by abort(). libcurl 7.88 divides by the size of a table that it could not allocate,
 * and forgets transfers; libevent forgets events. All of them let a program replace the allocator. A crawl that is kept
 * loses nothing when its process ends. */
#include "tools/common/refused_memory.h"

#include "tools/common/status.h"

#include <dlfcn.h>
#include <jansson.h>
#include <libxml/xmlmemory.h>
#include <stdlib.h>
#include <unistd.h>

typedef void (*new_handler)(void);

_Noreturn void cw_tool_memory_refused(void)
{
    static const char words[] = "crawl: out of memory\n";
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0)
        _exit(CW_EXIT_LOCAL);
    _exit(CW_EXIT_LOCAL);
}

void *cw_tool_memory_granted(void *block)
{
    if (!block)
        cw_tool_memory_refused();
    return block;
}

crawl_err cw_tool_memory_must(crawl_err err)
{
    if (err == CRAWL_ENOMEM)
        cw_tool_memory_refused();
    return err;
}

void *cw_tool_memory_take(size_t size)
{
    return cw_tool_memory_granted(malloc(size ? size : 1));
}

void *cw_tool_memory_resize(void *block, size_t size)
{
    return cw_tool_memory_granted(realloc(block, size ? size : 1));
}

char *cw_tool_memory_copy(const char *text)
{
    return cw_tool_memory_granted(strdup(text));
}

/* Calls std::set_new_handler by its mangled name. It is absent if no C++ is linked. */
static void refused_memory_handle_new(void *library)
{
    new_handler (*set)(new_handler);
    void *found = dlsym(library, "_ZSt15set_new_handlerPFvvE");
    memcpy(&set, &found, sizeof set);
    if (found)
        set(cw_tool_memory_refused);
}

void cw_tool_memory_begin(void)
{
    json_set_alloc_funcs(cw_tool_memory_take, free);
    xmlMemSetup(free, cw_tool_memory_take, cw_tool_memory_resize, cw_tool_memory_copy);
    refused_memory_handle_new(RTLD_DEFAULT);
}

/* The handle stays open, as RocksDB stays loaded. */
void cw_tool_memory_begin_disk(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    if (library)
        refused_memory_handle_new(library);
}

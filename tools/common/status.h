/* How the program and its tools end, and the file that sets them up. */
#pragma once

#include <crawl/base.h>

/* The configuration that is read where --config names no other. */
#define CW_TOOL_CONFIG_FILE "crawler.conf"

/* Exit statuses of the program. */
enum {
    CW_EXIT_OK = 0,
    CW_EXIT_NOTHING = 1, /* no page came with status 2xx; a tool: some input was refused */
    CW_EXIT_USAGE = 2,   /* usage or configuration */
    CW_EXIT_STOPPED = 3, /* a signal has stopped it */
    CW_EXIT_LOCAL = 4,   /* the disk or the memory of this machine has failed */
    CW_EXIT_FOUND = 5,   /* `crawl report --fail-on` found what it was to look for */
    CW_EXIT_IN_USE = 6   /* another process has the crawl or the copy */
};

/* The exit status for an error that ends a tool: CRAWL_EINVAL is what the user asked for, and cannot be had. */
static inline int cw_tool_status(crawl_err err)
{
    return err == CRAWL_OK ? CW_EXIT_OK : err == CRAWL_EINVAL ? CW_EXIT_USAGE : CW_EXIT_LOCAL;
}

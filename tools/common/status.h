/* Exit statuses of the program and its tools, and the name of the configuration file. */
#pragma once

#include <crawl/base.h>

/* The configuration that is read unless --config names another. */
#define CW_TOOL_CONFIG_FILE "crawler.conf"

/* Exit statuses of the program. */
enum {
    CW_EXIT_OK = 0,
    CW_EXIT_NOTHING = 1, /* no page came with status 2xx; for a tool: some input was refused */
    CW_EXIT_USAGE = 2,   /* usage or configuration */
    CW_EXIT_STOPPED = 3, /* stopped by a signal */
    CW_EXIT_LOCAL = 4,   /* disk or memory of this machine failed */
    CW_EXIT_FOUND = 5,   /* `crawl report --fail-on` found something */
    CW_EXIT_IN_USE = 6   /* another process uses the crawl or the copy */
};

/* Returns the exit status for an error that ends a tool. CRAWL_EINVAL: the user asked for something impossible;
 * CRAWL_ESTATE: something is in use. */
static inline int cw_tool_status(crawl_err err)
{
    return err == CRAWL_OK       ? CW_EXIT_OK
           : err == CRAWL_EINVAL ? CW_EXIT_USAGE
           : err == CRAWL_ESTATE ? CW_EXIT_IN_USE
                                 : CW_EXIT_LOCAL;
}

#include "crawler/engine/descriptors.h"

#include "config/config_values.h"

#include <crawl/frontier.h>

#include <dirent.h>
#include <limits.h>
#include <sys/resource.h>

enum {
    OF_A_WORKER = 17,    /* its loop, its timer, its waker, libcurl's own, and 10 ports to three name servers */
    OF_THE_OUTPUTS = 10, /* records, links, requests, WARC and its index, a body being written */
    OF_THE_STATE = 8,    /* besides the files that hold the queue: log, lock, manifest, list of files */
    OF_THE_LIVE_VIEW = 40,
    CONNECTIONS_OF_A_WORKER = 2, /* at least: one in use, and one idle or for the second address of a host */
    IDLE = 1024,                 /* kept open by default: this many hosts take turns without handshakes */
    TURNS = 5,   /* hosts that take turns per connection in use: with fewer, a host's next turn may come before its last
                    answer; with more, their data is less likely to be in the caches */
    UNKNOWN = 32 /* number open, if the system does not say */
};

unsigned cw_engine_descriptors_open(void)
{
    DIR *folder = opendir("/proc/self/fd");
    unsigned count = 0;
    if (!folder)
        return UNKNOWN;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count > 3 ? count - 3 : 0; /* ".", ".." and the folder itself */
}

static unsigned limit_of_process(void)
{
    struct rlimit limit;
    bool is_known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < INT_MAX;
    return is_known ? (unsigned)limit.rlim_cur : INT_MAX;
}

static unsigned descriptors_least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned descriptors_most(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static unsigned idle_wanted(const crawl_config *config)
{
    return config->idle_connections ? config->idle_connections : descriptors_most(config->connections, IDLE);
}

crawl_err cw_engine_descriptors_share(const crawl_config *config, unsigned workers, unsigned open,
                                      cw_engine_descriptors *out, crawl_error *error)
{
    unsigned limit = limit_of_process();
    unsigned taken = open + OF_THE_OUTPUTS + workers * OF_A_WORKER + (config->program.listen ? OF_THE_LIVE_VIEW : 0) +
                     (config->state ? OF_THE_STATE + crawl_frontier_files() : 0);
    unsigned needed = taken + workers * CONNECTIONS_OF_A_WORKER;
    if (limit < needed)
        return crawl_error_set(error, CRAWL_EIO,
                               "this process may open %u files (ulimit -n), and a crawl with %u worker%s needs %u",
                               limit, workers, workers == 1 ? "" : "s", needed);
    /* Three quarters are for connections in use; keeping some for reuse saves handshakes. */
    unsigned left = limit - taken;
    unsigned spare = descriptors_most(left / 4, workers);
    out->limit = limit;
    out->connections = descriptors_least(config->connections, left - spare);
    unsigned room = left - out->connections; /* half of it stays for more in use at once */
    out->idle = descriptors_least(descriptors_most(idle_wanted(config), workers), descriptors_most(room / 2, spare));
    out->most = left - out->idle;
    out->sessions = descriptors_least(out->idle, out->connections * TURNS);
    return CRAWL_OK;
}

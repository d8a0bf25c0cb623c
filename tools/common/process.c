#include "tools/common/process.h"

#include "tools/common/messages/message.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <event2/event.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>

/* The least number of open files: the streams, signals, a loop with its timer, the socket of the live view, a file or
 * two are open before the engine counts what is left. */
enum { LEAST_FILES = 32 };

static void on_event_log(int severity, const char *words)
{
    if (severity == EVENT_LOG_ERR)
        cw_tool_say(NULL, "the event loop cannot go on: %s", words);
    else if (severity == EVENT_LOG_WARN)
        cw_message_say(CW_MESSAGE_WARNING, "the event loop: %s", words);
}

/* Tells why libevent cannot go on. It ends the process when this returns. */
static void on_event_fatal(int code)
{
    (void)code;
    _exit(CW_EXIT_LOCAL);
}

bool cw_tool_process_prepare(void)
{
    struct rlimit limit;
    event_set_log_callback(on_event_log);
    event_set_fatal_callback(on_event_fatal);
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return true;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit); /* if it fails, the engine counts with the limit as it is */
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= LEAST_FILES)
        return true;
    cw_tool_say(NULL, "this process may open %ju files (ulimit -n), and a crawl needs %d at least",
                (uintmax_t)limit.rlim_cur, LEAST_FILES);
    return false;
}

#include "tools/common/signals.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "tools/common/messages/message.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <errno.h>
#include <event2/event.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SECOND_US = 500 * 1000 }; /* least time between the first signal and a second one */

struct cw_tool_signals {
    pthread_t watcher;
    pthread_mutex_t lock;
    crawl_engine *engine; /* NULL: none */
    bool came;            /* the first ending signal came, and stopped the engine of that time */
    bool closing;
};

/* Globals, because handlers have no argument. */
static int stop_event = -1;
static int bell = -1; /* rung at each signal, for the watcher */
static atomic_bool wants_summary;
static atomic_bool hangup_reopens; /* SIGHUP asks for reopening files */
static atomic_bool wants_reopen;
static atomic_bool ends_at_once;
static atomic_int_fast64_t first_us; /* time of the first signal, monotonic; 0: none */

static void give_nothing_back(void)
{
}

static void (*give_back)(void) = give_nothing_back; /* set before signals are caught */

static void signals_ring(int event)
{
    int before = errno;
    uint64_t one = 1;
    ssize_t written = write(event, &one, sizeof one); /* one event is enough, and the first is always taken */
    (void)written;
    errno = before;
}

static void signals_tell(void)
{
    signals_ring(stop_event);
    signals_ring(bell);
}

static void on_signal(int number)
{
    int_fast64_t first = 0;
    int64_t now_us = cw_now_us();
    bool is_first = atomic_compare_exchange_strong(&first_us, &first, now_us);
    if (atomic_load(&ends_at_once))
        _exit(CW_EXIT_STOPPED);
    if (!is_first && now_us - first >= SECOND_US) {
        give_back();
        _exit(128 + number);
    }
    signals_tell();
}

static void on_question(int)
{
    atomic_store(&wants_summary, true);
    signals_ring(bell);
}

static void on_hangup(int number)
{
    if (!atomic_load(&hangup_reopens)) {
        on_signal(number);
        return;
    }
    atomic_store(&wants_reopen, true);
    signals_ring(bell);
}

static void catch_all(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_flags = SA_RESTART};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction question = {.sa_handler = on_question, .sa_flags = SA_RESTART};
    struct sigaction before;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        action.sa_handler = numbers[i] == SIGHUP ? on_hangup : on_signal;
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGUSR1, &question, NULL);
}

/* Stops the engine at an ending signal; for others, makes its tick handle them. */
static bool signals_answer(cw_tool_signals *signals)
{
    pthread_mutex_lock(&signals->lock);
    bool ends = atomic_load(&first_us) != 0;
    bool goes_on = !ends && !signals->closing;
    signals->came = ends && !signals->closing;
    if (signals->engine && signals->came)
        crawl_engine_stop(signals->engine);
    else if (signals->engine && goes_on)
        crawl_engine_tick(signals->engine);
    pthread_mutex_unlock(&signals->lock);
    return goes_on;
}

/* Waits for the first ending signal, or for the end. */
static void *signals_watch(void *user)
{
    struct pollfd event = {.fd = bell, .events = POLLIN};
    eventfd_t rung;
    do {
        while (poll(&event, 1, -1) <= 0 || eventfd_read(bell, &rung))
            ;
    } while (signals_answer(user));
    return NULL;
}

crawl_err cw_tool_signals_open(void (*before_death)(void), cw_tool_signals **out, crawl_error *error)
{
    cw_tool_signals *signals = calloc(1, sizeof *signals);
    if (!signals)
        return cw_error(error, CRAWL_ENOMEM);
    pthread_mutex_init(&signals->lock, NULL);
    give_back = before_death ? before_death : give_nothing_back;
    stop_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int why = stop_event < 0 || bell < 0 ? errno : cw_thread_start(&signals->watcher, signals_watch, signals);
    if (why) {
        pthread_mutex_destroy(&signals->lock);
        free(signals);
        return crawl_error_set(error, CRAWL_EIO, "cannot watch for signals: %s", strerror(why));
    }
    catch_all();
    *out = signals;
    return CRAWL_OK;
}

void cw_tool_signals_end_at_once(bool ends)
{
    atomic_store(&ends_at_once, ends);
}

bool cw_tool_signals_want_summary(void)
{
    return atomic_exchange(&wants_summary, false);
}

void cw_tool_signals_reopen_on_hangup(void)
{
    struct sigaction action = {.sa_handler = on_hangup, .sa_flags = SA_RESTART};
    atomic_store(&hangup_reopens, true);
    sigaction(SIGHUP, &action, NULL);
}

bool cw_tool_signals_want_reopen(void)
{
    return atomic_exchange(&wants_reopen, false);
}

int cw_tool_signals_event(void)
{
    return stop_event;
}

void cw_tool_signals_stop_engine(cw_tool_signals *signals, crawl_engine *engine)
{
    pthread_mutex_lock(&signals->lock);
    signals->engine = engine;
    if (signals->came && engine)
        crawl_engine_stop(engine);
    pthread_mutex_unlock(&signals->lock);
}

void cw_tool_signals_close(cw_tool_signals *signals)
{
    if (!signals)
        return;
    pthread_mutex_lock(&signals->lock);
    signals->closing = true;
    pthread_mutex_unlock(&signals->lock);
    signals_tell();
    pthread_join(signals->watcher, NULL);
    pthread_mutex_destroy(&signals->lock);
    free(signals);
}

/* Minimum number of open files: the streams, signals, a loop with its timer, the socket of the live view, and a file or
 * two are open before the engine counts what is left. */
enum { LEAST_FILES = 32 };

static void on_event_log(int severity, const char *words)
{
    if (severity == EVENT_LOG_ERR)
        cw_tool_say(NULL, "the event loop failed: %s", words);
    else if (severity == EVENT_LOG_WARN)
        cw_message_say(CW_MESSAGE_WARNING, "the event loop: %s", words);
}

/* Ends the process on a fatal error of libevent, with our exit status. on_event_log has reported it. */
static void on_event_fatal(int)
{
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
    setrlimit(RLIMIT_NOFILE, &limit); /* on failure, the engine uses the present limit */
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= LEAST_FILES)
        return true;
    cw_tool_say(NULL, "this process may open %ju files (ulimit -n), and a crawl needs %d at least",
                (uintmax_t)limit.rlim_cur, LEAST_FILES);
    return false;
}

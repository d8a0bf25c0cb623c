/* Starts threads, and makes conditions for them. */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <time.h>

/* Starts a thread with signals blocked: the other threads of the process handle them, and SIGPIPE, raised when a peer
 * goes away, must not kill it. A fault of the thread itself reaches its handler. Returns 0, or an errno. */
static inline int cw_thread_start(pthread_t *thread, void *(*run)(void *user), void *user)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t others, before;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&others, faults[i]);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    int why = pthread_create(thread, NULL, run, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return why;
}

/* Makes a condition whose waits end at times of the monotonic clock. Returns 0, or an errno. */
static inline int cw_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    int why = pthread_condattr_init(&monotonic);
    if (why)
        return why;
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    why = pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return why;
}

/* Starts threads. */
#pragma once

#include <pthread.h>
#include <signal.h>

/* Starts a thread in which signals are blocked: they are for the other threads of the process, but for SIGPIPE, which a
 * peer that goes away would bring. A fault of the thread itself reaches its handler. Returns 0, or an errno. */
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

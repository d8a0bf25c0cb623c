/* Starts threads. */
#ifndef CW_THREAD_H
#define CW_THREAD_H

#include <pthread.h>
#include <signal.h>

/* Starts a thread in which all signals are blocked: they are for the other threads of the process, but for SIGPIPE,
 * which a peer that goes away would bring. Returns 0, or an errno. */
static inline int cw_thread_start(pthread_t *thread, void *(*run)(void *user), void *user)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int why = pthread_create(thread, NULL, run, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return why;
}

#endif

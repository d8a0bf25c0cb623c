/* Signals of a thread. */
#include "base/thread.h"

#include <criterion/criterion.h>
#include <stdatomic.h>

static sigset_t blocked;
static atomic_int faulted;

static void *see_mask(void *user)
{
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    return user;
}

static void on_fault(int number)
{
    atomic_store(&faulted, number);
}

static void *fail(void *user)
{
    raise(SIGSEGV);
    return user;
}

static void *run(void *(*what)(void *user))
{
    pthread_t thread;
    void *got = NULL;
    cr_assert_eq(cw_thread_start(&thread, what, &blocked), 0);
    cr_assert_eq(pthread_join(thread, &got), 0);
    return got;
}

Test(thread, signals_from_outside_are_for_the_others)
{
    sigset_t own;
    cr_assert_eq(run(see_mask), &blocked);
    cr_expect(sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGUSR1) && sigismember(&blocked, SIGPIPE));
    pthread_sigmask(SIG_SETMASK, NULL, &own);
    cr_expect_not(sigismember(&own, SIGINT));
}

Test(thread, a_fault_reaches_its_handler)
{
    signal(SIGSEGV, on_fault);
    run(fail);
    cr_expect_eq(atomic_load(&faulted), SIGSEGV);
}

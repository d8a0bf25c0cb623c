/* Runs one thread at a time, as the dice decide. Threads, locks, condition variables, sleeps and event loops of the
 * whole process, libraries included, take turns: functions here replace the system's. Time passes when no thread can go
 * on. */
#pragma once

#include <stdint.h>

/* Makes the calling thread the first; threads that it creates take turns from then on. Before this call, the system's
 * functions are used. */
void sim_threads_begin(void);

/* Lets another thread go on now and then. */
void sim_threads_yield(void);

/* The next moment at which a timer of sim_clock.c fires, and the action at that moment. */
int64_t sim_clock_next_us(void);
void sim_clock_fire(int64_t now_us);

/* Waits until descriptor is readable or until_us has come; INT64_MAX: for ever. */
void sim_threads_poll(int descriptor, int64_t until_us);
/* Suspends the calling thread until until_us. */
void sim_threads_sleep(int64_t until_us);
/* Returns true if the calling thread takes turns. */
int sim_threads_are_simulated(void);

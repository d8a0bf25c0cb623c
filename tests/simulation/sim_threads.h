/* One thread at a time, as the dice say: threads, locks, condition variables, sleeps and event loops of the whole
 * process, those of its libraries too, take turns by functions that stand in place of the system's. Time passes when
 * nobody can go on. */
#pragma once

#include <stdint.h>

/* The calling thread is the first; threads that it begins take turns from then on. Before that, nothing of the
 * system's is replaced. */
void sim_threads_begin(void);

/* Lets another thread go on now and then. */
void sim_threads_yield(void);

/* The next moment at which a timer of sim_clock.c fires, and what it does then. */
int64_t sim_clock_next_us(void);
void sim_clock_fire(int64_t now_us);

/* Waits until descriptor can be read, at most until then; INT64_MAX: for ever. */
void sim_threads_poll(int descriptor, int64_t until_us);
/* The calling thread does nothing until then. */
void sim_threads_sleep(int64_t until_us);
/* Do turns apply to the calling thread? */
int sim_threads_are_simulated(void);

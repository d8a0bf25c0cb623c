/* For benchmarks: clocks, the memory of the process, and the end after a fault. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Prints why and ends the program. */
_Noreturn static inline void fail(const char *why)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, why);
    exit(2);
}

static inline void require(bool holds, const char *why)
{
    if (!holds)
        fail(why);
}

/* Returns seconds. */
static inline double clock_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Returns bytes of resident memory. */
static inline double resident(void)
{
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    require(statm && fscanf(statm, "%*u %lu", &pages) == 1, "no /proc/self/statm");
    fclose(statm);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

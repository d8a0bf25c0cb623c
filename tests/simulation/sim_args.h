/* The arguments and file names of the program in a simulated world. */
#pragma once

#include <stdint.h>

enum { SIM_ARGS_MAX = 40, SIM_NAME_SIZE = 32, SIM_STATE_SIZE = 96 };

/* Ends with NULL. */
typedef struct sim_args {
    char *words[SIM_ARGS_MAX + 1];
    int count;
} sim_args;

/* Adds the arguments of the plan to args, which must be {0}; its words are never freed. With several processes, counts
 * their births. */
void sim_args_of_plan(sim_args *args);
/* Adds the arguments of crawl audit for all request logs. */
void sim_args_of_audit(sim_args *args);
/* Returns the directory of the crawl's state. */
char *sim_args_state(char out[SIM_STATE_SIZE]);
/* Returns the file of records of the process with this birth. */
const char *sim_args_records(uint32_t birth, char out[SIM_NAME_SIZE]);

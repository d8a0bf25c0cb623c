/* The arguments of the program in a world, and its files. */
#pragma once

#include <stdint.h>

enum { SIM_ARGS_MAX = 40, SIM_NAME_SIZE = 32, SIM_STATE_SIZE = 96 };

/* Ends with NULL. */
typedef struct sim_args {
    char *words[SIM_ARGS_MAX + 1];
    int count;
} sim_args;

/* args is {0}; what is in it is never freed. Counts the births of processes that share the crawl. */
void sim_args_of_plan(sim_args *args);
/* Of crawl audit, of all request logs. */
void sim_args_of_audit(sim_args *args);
/* Where the crawl is kept. */
char *sim_args_state(char out[SIM_STATE_SIZE]);
/* The file of records of a process, by its birth. */
const char *sim_args_records(uint32_t birth, char out[SIM_NAME_SIZE]);

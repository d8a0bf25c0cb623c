/* The User-Agent of each run, and whether it changes after a wall. */
#pragma once

#include "tools/audit/practices/practice.h"

/* Initialise with {0}, free with cw_practice_agents_free. */
typedef struct cw_practice_agents {
    struct cw_practice_agent *runs;
    size_t count;
    size_t capacity;
    bool is_walled;
    int64_t walled_us; /* time of the first wall */
} cw_practice_agents;

void cw_practice_agents_free(cw_practice_agents *agents);

/* Begins a run on this line. agent: its User-Agent; token: its name for robots.txt, or NULL. CRAWL_ENOMEM. */
crawl_err cw_practice_agents_add(cw_practice_agents *agents, cw_practice_findings *findings, uint64_t line,
                                 int64_t at_us, const char *agent, const char *token);
/* Notes a wall at this time. */
void cw_practice_agents_wall(cw_practice_agents *agents, int64_t at_us);
/* Judges the runs after the first wall. */
void cw_practice_agents_end(const cw_practice_agents *agents, cw_practice_findings *findings);

/* Several processes of one crawl, which share it through Redis: one of them goes on at a time, and time passes when
 * none can. The dice kill some, and stop some for a while. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Runs them until all have ended. live: what each does, given its number; never returns. judge: of the status of one
 * that was not killed. */
void sim_crew_run(void (*live)(uint32_t number), void (*judge)(int status));

/* Is the calling process one of several? */
bool sim_crew_is_one(void);
/* When the calling process began. */
int64_t sim_crew_began_us(void);
/* It has nothing to do before then; INT64_MAX: for ever. Others go on. */
void sim_crew_rest(int64_t next_us);
/* Others may have the hosts of each process from now on, and do not know what that has not told. */
void sim_crew_lose_all(void);
/* The calling process has a connection to Redis. */
void sim_crew_connected(void);
/* It sends a request to this host, at this address. The number says later whether others may have the host. */
uint32_t sim_crew_asked(uint32_t host, uint32_t address);
/* Have they not, since the request with this number? */
bool sim_crew_has(uint32_t number);
/* That request has ended. False: they may have the host. */
bool sim_crew_ended(uint32_t host, uint32_t address, uint32_t number);

/* Several processes of one crawl, which share it through Redis. Only one of them runs at a time; time passes when none
 * can go on. The dice kill some of them, and stop some for a while. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Runs the processes until all have ended. live: the body of each, given its number; never returns. judge: called with
 * the status of each that was not killed. */
void sim_crew_run(void (*live)(uint32_t number), void (*judge)(int status));

/* Returns true if the calling process is one of several. */
bool sim_crew_is_one(void);
/* Returns true if this process was the last to ask the host. */
bool sim_crew_asked_last(uint32_t host);
/* Returns when the calling process began. */
int64_t sim_crew_began_us(void);
/* Lets others run until next_us, when the calling process has something to do again; INT64_MAX: for ever. */
void sim_crew_rest(int64_t next_us);
/* Makes every process lose its hosts: others may take them from now on, and know only what is in Redis. */
void sim_crew_lose_all(void);
/* Notes that the calling process has connected to Redis. */
void sim_crew_connected(void);
/* Notes that the calling process sends a request to this host at this address. The returned number tells sim_crew_has
 * whether others may have got the host since. */
uint32_t sim_crew_asked(uint32_t host, uint32_t address);
/* Returns true if no other process may have got the host since the request with this number. */
bool sim_crew_has(uint32_t number);
/* Notes that the request has ended. False: another process may have got the host. */
bool sim_crew_ended(uint32_t host, uint32_t address, uint32_t number);

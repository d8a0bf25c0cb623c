/* Several processes of one crawl, which share it through Redis: one of them goes on at a time, and time passes when
 * none can. The dice kill some, and stop some for a while. */
#ifndef SIM_CREW_H
#define SIM_CREW_H

#include <stdbool.h>
#include <stdint.h>

/* Runs them until all have ended. live: what each does, given its number; never returns. judge: of the status of one
 * that was not killed. */
void sim_crew_run(void (*live)(uint32_t number), void (*judge)(int status));

/* Is the calling process one of several? */
bool sim_crew_is_one(void);
/* The calling process has nothing to do before then; INT64_MAX: for ever. Others go on. */
void sim_crew_rest(int64_t next_us);
/* It has sent a request to this host, */
void sim_crew_asked(uint32_t host);
/* or one has ended. False: it was stopped for so long meanwhile that others may have the host. */
bool sim_crew_ended(uint32_t host);

#endif

/* The three clocks of a joint frontier: that of its callers, that of the machine, which goes on while it sleeps
 * (CLOCK_BOOTTIME), and that of the server. In microseconds unless a name says milliseconds. */
#pragma once

#include <stdint.h>

/* All calls: under the frontier's lock. */
typedef struct cw_joint_clock {
    int64_t said_ms, said_us; /* a time given by a caller, and CLOCK_BOOTTIME then */
    int64_t server_us;        /* CLOCK_BOOTTIME plus this is at least the server's time; 0: unknown */
    int64_t within_us;        /* by how much that may be too large */
    int64_t best_us;          /* the least heard since the last cw_joint_clock_follow; INT64_MAX: none */
    int64_t best_within_us;
} cw_joint_clock;

/* Converts a callers' date to the server's clock, and back; never too early. */
int64_t cw_joint_to_server(const cw_joint_clock *clock, int64_t at_ms);
int64_t cw_joint_from_server(const cw_joint_clock *clock, int64_t at_ms);

/* Returns the server's time this long from now, or a little later. */
int64_t cw_joint_server_in(const cw_joint_clock *clock, int64_t ms);

/* Records a time given by a caller. */
void cw_joint_clock_told(cw_joint_clock *clock, int64_t now_ms);
/* Records how far the server was ahead of CLOCK_BOOTTIME when a connection was made. */
void cw_joint_clock_set(cw_joint_clock *clock, int64_t server_us, int64_t within_us);
/* Records an answer that comes now to a question sent at sent_us, made at this time of the server. */
void cw_joint_clock_heard(cw_joint_clock *clock, int64_t sent_us, int64_t server_ms);
/* Adopts the best value heard since the last call, so that clocks that drift apart are followed. */
void cw_joint_clock_follow(cw_joint_clock *clock);

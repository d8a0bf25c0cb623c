/* The three clocks of a joint frontier: that of its callers, that of the machine, which goes on while it sleeps
 * (CLOCK_BOOTTIME), and that of the server. Microseconds, but where a name says milliseconds. */
#pragma once

#include <stdint.h>

/* Under the frontier's lock, as are all calls. */
typedef struct cw_joint_clock {
    int64_t said_ms, said_us; /* a time that a caller told, and CLOCK_BOOTTIME then */
    int64_t server_us;        /* to be added to CLOCK_BOOTTIME for the server's time at most; 0: not known */
    int64_t within_us;        /* it may be too much by so much */
    int64_t best_us; /* the least that was heard since the last turn of cw_joint_clock_follow; INT64_MAX: none */
    int64_t best_within_us;
} cw_joint_clock;

/* A date of callers as one of the server, and the reverse; never too soon. */
int64_t cw_joint_to_server(const cw_joint_clock *clock, int64_t at_ms);
int64_t cw_joint_from_server(const cw_joint_clock *clock, int64_t at_ms);

/* The server's time so long from now, or a little later. */
int64_t cw_joint_server_in(const cw_joint_clock *clock, int64_t ms);

/* A caller told this time. */
void cw_joint_clock_told(cw_joint_clock *clock, int64_t now_ms);
/* The server's time was so much ahead of CLOCK_BOOTTIME when a connection was made. */
void cw_joint_clock_set(cw_joint_clock *clock, int64_t server_us, int64_t within_us);
/* An answer has come now to what was asked at sent_us, and the server had this time then. */
void cw_joint_clock_heard(cw_joint_clock *clock, int64_t sent_us, int64_t server_ms);
/* The best of what was heard since the last call counts, so that clocks that run apart are followed. */
void cw_joint_clock_follow(cw_joint_clock *clock);

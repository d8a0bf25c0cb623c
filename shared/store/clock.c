/* The three clocks of a joint frontier: that of its callers, that of the machine, which goes on while it sleeps, and
 * that of the server. */
#include "base/clock.h"
#include "shared/store/joint_state.h"

/* The time of callers when CLOCK_BOOTTIME was us; both run evenly. */
static int64_t callers_ms(const cw_joint *joint, int64_t us)
{
    return joint->said_ms + (us - joint->said_us) / 1000;
}

/* The time of the server when CLOCK_BOOTTIME was us, rounded up. */
static int64_t clock_server_ms(const cw_joint *joint, int64_t us)
{
    return (us + joint->server_us + 999) / 1000;
}

int64_t cw_joint_to_server(const cw_joint *joint, int64_t at_ms)
{
    int64_t us = cw_clock_us(CLOCK_BOOTTIME);
    return clock_server_ms(joint, us) + (at_ms - callers_ms(joint, us)) + 1;
}

int64_t cw_joint_from_server(const cw_joint *joint, int64_t at_ms)
{
    int64_t us = cw_clock_us(CLOCK_BOOTTIME);
    return callers_ms(joint, us) + (at_ms - clock_server_ms(joint, us)) + 1;
}

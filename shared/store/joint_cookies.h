/* The crawl's cookies. Redis has them by host, with a version that rises with each change. When this process gets a
 * host, it reads the cookies for it before it leases any of its requests: for all names from the host up to its site,
 * in one question. Cookies set here are told within a turn, and a lease that ends afterwards is told only after them.
 * Others hear of a change by a word per partition, which every process with hosts reads twice a second; then they read
 * the changes of their own hosts. A word may be lost with the process that was to say it, so all cookies are read now
 * and then. Each question names the known versions, so it is cheap if nothing has changed. All of it belongs to the
 * thread. */
#pragma once

#include "shared/store/hold.h"

crawl_err cw_joint_cookies_open(cw_joint *joint);
void cw_joint_cookies_free(cw_joint *joint);
/* Begins a hold, which waits for the cookies of its host; or ends it, under the lock. */
void cw_joint_cookies_begin(cw_joint_hold *hold);
void cw_joint_cookies_leave(cw_joint_hold *hold);
/* Reads cookies for the holds that wait. */
void cw_joint_cookies_ask(cw_joint *joint);
/* Tells the changes made here, and now and then reads the changes of others. */
void cw_joint_cookies_turn(cw_joint *joint, int64_t now_us);
/* Returns true if Redis knows all changes. */
bool cw_joint_cookies_are_told(cw_joint *joint);

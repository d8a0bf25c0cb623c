/* The crawl's cookies. Redis has them by host, each with a version that changes with them. Those of a host are read
 * when this process gets it, before anything of it is leased: for all names that may have cookies for it, from the host
 * itself to its site, in one question. Cookies set here are told within a turn, and no lease that ends afterwards is
 * told before. Others hear of it by a word for each partition, which every process that has hosts reads twice a second;
 * then they read what has changed of the hosts that they have. A word may be lost with the process that was to say it,
 * so all are read now and then. Each question says which versions are known, and so costs little where nothing has
 * changed. All of it is the thread's. */
#pragma once

#include "shared/store/hold.h"

crawl_err cw_joint_cookies_open(cw_joint *joint);
void cw_joint_cookies_free(cw_joint *joint);
/* A hold begins, and waits for the cookies of its host; or it is gone, which is said under the lock. */
void cw_joint_cookies_begin(cw_joint_hold *hold);
void cw_joint_cookies_leave(cw_joint_hold *hold);
/* Reads cookies for the holds that wait for them. */
void cw_joint_cookies_ask(cw_joint *joint);
/* Tells what was set here, and finds out now and then what others have set. */
void cw_joint_cookies_turn(cw_joint *joint, int64_t now_us);
/* Does Redis know all? */
bool cw_joint_cookies_are_told(cw_joint *joint);

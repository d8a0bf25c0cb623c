/* How the crawl is joined, on the thread of the caller, who waits for it. */
#ifndef CW_JOINT_JOIN_H
#define CW_JOINT_JOIN_H

#include "shared/store/joint.h"

typedef struct cw_joint_joining {
    crawl_err err;
    crawl_error error;
    char words[200]; /* of the connection */
    bool is_loading; /* the server is there, and reads its data */
    bool was_patient;
    bool made; /* the crawl is a new one */
} cw_joint_joining;

/* Waits until the crawl is joined. CRAWL_EINVAL: user, password or an option will not do; other errors: the server
 * will not. error says why. */
crawl_err cw_joint_join_wait(cw_joint *joint, crawl_error *error);
/* Until then: the connection stands, or is lost. */
void cw_joint_join_on_state(cw_joint *joint, crawl_redis_fault fault, const char *words);

#endif

/* A line that a sink answers: {"ack":1}, {"ack_to":5}, {"nack":3,"retry":true,"after_ms":500}, or
 * {"nack":3,"retry":false,"reason":"..."}. */
#ifndef CW_EXEC_ANSWER_H
#define CW_EXEC_ANSWER_H

#include <crawl/base.h>

typedef struct cw_exec_answer {
    uint64_t ack;     /* 0: this and the two below are not there */
    uint64_t ack_to;  /* this one and all before it */
    uint64_t nack;    /* not kept */
    bool retry;       /* with nack: to be sent again, */
    int64_t after_ms; /* after so long; 0 to an hour */
    char reason[200]; /* with nack: why, cut where it is longer; "": it does not say */
} cw_exec_answer;

/* Members that are not known are passed over: `{}` says that the sink lives. False: it is no object, or a member that
 * is known is no such value. */
bool cw_exec_answer_read(crawl_slice line, cw_exec_answer *out);

#endif

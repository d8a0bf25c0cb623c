/* Writes lines to the process of sink.h, and reads its answers. */
#pragma once

#include "crawler/program/exec/sink.h"

#include <crawl/base.h>

/* Gives numbers to the lines that wait, and writes as much as the process takes now. False: it takes nothing any
 * more. */
bool cw_exec_talk_write(cw_exec_output *output);
/* Is there anything to write? */
bool cw_exec_talk_has_more(const cw_exec_output *output);
/* Reads its answers, and does as they say. False: its output has ended, or words say what is wrong with it. */
bool cw_exec_talk_read(cw_exec_output *output, char words[300]);
/* Hands on what it has written to standard error, line by line. False: that has ended. */
bool cw_exec_talk_read_errors(cw_exec_output *output);
/* Takes lines whose time has come out of `later`. Returns when the next one is due; INT64_MAX: there is none. */
int64_t cw_exec_talk_repeat(cw_exec_output *output, int64_t now_us);

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

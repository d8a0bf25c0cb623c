/* Writes lines to the process of sink.h, and reads its answers. */
#pragma once

#include "crawler/program/exec/sink.h"

#include <crawl/base.h>

/* Numbers the waiting lines, and writes as much as the process takes now. Returns false if it takes nothing any
 * more. */
bool cw_exec_talk_write(cw_exec_output *output);
/* Returns true if there is anything to write. */
bool cw_exec_talk_has_more(const cw_exec_output *output);
/* Reads and applies its answers. Returns false if its output has ended, or if words say what is wrong with it. */
bool cw_exec_talk_read(cw_exec_output *output, char words[300]);
/* Passes on its standard error, line by line. Returns false once that has ended. */
bool cw_exec_talk_read_errors(cw_exec_output *output);
/* Moves due lines out of `later`. Returns when the next one is due; INT64_MAX: none. */
int64_t cw_exec_talk_repeat(cw_exec_output *output, int64_t now_us);

typedef struct cw_exec_answer {
    uint64_t ack;     /* 0 here and in the next two: not given */
    uint64_t ack_to;  /* this line and all before it */
    uint64_t nack;    /* line that was not kept */
    bool retry;       /* with nack: send it again */
    int64_t after_ms; /* with nack: after this time; 0 to an hour */
    char reason[200]; /* with nack: why, truncated if too long; "": not given */
} cw_exec_answer;

/* Reads an answer. Unknown members are ignored, so `{}` says that the sink lives. Returns false if it is no object, or
 * if a known member has a bad value. */
bool cw_exec_answer_read(crawl_slice line, cw_exec_answer *out);

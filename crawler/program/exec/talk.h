/* What goes to the process of sink.h, and what it says. */
#ifndef CW_EXEC_TALK_H
#define CW_EXEC_TALK_H

#include "crawler/program/exec/sink.h"

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

#endif

/* Watches the program's standard output in one place. A tool need not check whether printing worked, except to end
 * early; the reason for a failure is written once, at the end, in the system's words. */
#pragma once

#include <stdbool.h>

/* The main() of a program: calls run, and reports a failed standard output, unless its reader went away. First it opens
 * a failing substitute for each closed descriptor from 0 to 2, so that no file gets its number; ignores SIGPIPE and
 * SIGXFSZ, so that such writes fail as any other; and makes failed allocations end the program where a library could
 * not report them. Returns the exit status. */
int cw_tool_main(int argc, char **argv, int (*run)(int argc, char **argv));

/* Returns true if a write to standard output has failed. Call after a flush. */
bool cw_tool_output_failed(void);

/* Prints text. Returns CW_EXIT_OK. */
int cw_tool_output_text(const char *text);

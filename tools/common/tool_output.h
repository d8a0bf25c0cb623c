/* Watches the program's standard output in one place. A tool need not check whether printing
 * worked, except to end early; the reason of a failure is written once, at the end, in the words of the system. */
#pragma once

#include <stdbool.h>

/* The main() of a program: runs it, and tells of a standard output that has failed, unless its reader went away.
 * Before, it puts a stand-in that fails in the place of each closed descriptor from 0 to 2, so that no file gets its
 * number; ignores SIGPIPE and SIGXFSZ, so that such a write fails as any other; and has missing memory told where a
 * library could not. Returns the exit status. */
int cw_tool_main(int argc, char **argv, int (*run)(int argc, char **argv));

/* Could something that was printed not be written? To be asked after a flush. */
bool cw_tool_output_failed(void);

/* Prints text; CW_EXIT_OK. */
int cw_tool_output_text(const char *text);

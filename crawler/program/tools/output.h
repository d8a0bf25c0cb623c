/* The program's standard output, watched in one place: main() begins and ends it. A tool that prints need not ask
 * whether printing worked, but for ending early; why it did not is said once, at the end, with the words of the
 * system. */
#ifndef CW_TOOL_OUTPUT_H
#define CW_TOOL_OUTPUT_H

#include <stdbool.h>

/* Before anything is opened or printed: puts a stand-in that fails for each of the descriptors 0 to 2 that is closed,
 * so that no file takes its place, ignores SIGPIPE, and watches stdout. False: errno says why not. */
bool cw_tool_output_begin(void);

/* Has something that was printed not left? To be asked after a flush. */
bool cw_tool_output_failed(void);

/* Prints text; CW_EXIT_OK. */
int cw_tool_output_text(const char *text);

/* At the end of main(): status, or CW_EXIT_LOCAL where the output failed, which is said. A reader that went away has
 * all it wanted: nothing is said, and status holds. */
int cw_tool_output_end(int status);

#endif

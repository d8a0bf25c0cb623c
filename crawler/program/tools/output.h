/* Watches the program's standard output in one place: main() begins and ends it. A tool need not check whether printing
 * worked, except to end early; the reason of a failure is written once, at the end, in the words of the system. */
#ifndef CW_TOOL_OUTPUT_H
#define CW_TOOL_OUTPUT_H

#include <stdbool.h>

/* To be called before anything is opened or printed: puts a stand-in that fails in the place of each closed descriptor
 * from 0 to 2, so that no file gets its number, ignores SIGPIPE, and watches stdout. False: errno says why it
 * failed. */
bool cw_tool_output_begin(void);

/* Could something that was printed not be written? To be asked after a flush. */
bool cw_tool_output_failed(void);

/* Prints text; CW_EXIT_OK. */
int cw_tool_output_text(const char *text);

/* To be called at the end of main(): returns status, or CW_EXIT_LOCAL after a message if the output failed. If the
 * reader of the output went away, there is no message, and status counts. */
int cw_tool_output_end(int status);

#endif

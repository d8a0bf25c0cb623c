/* Tools that are executables of their own (base/process.h). */
#pragma once

#include <crawl/base.h>

/* Replaces this process by the tool's executable; argv[0] should be its name. Returns only on failure: an exit status,
 * after a message. */
int cw_program_executable_become(const char *tool, char **argv);

/* Runs the tool to its end, and appends its output to *out. inherited: descriptors that it gets under the same numbers,
 * ended by -1; NULL: none. Returns its exit status; CW_EXIT_LOCAL, after a message: it could not be run, or a signal
 * ended it. */
int cw_program_executable_run(const char *tool, char **argv, const int *inherited, crawl_buf *out);

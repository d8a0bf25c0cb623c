/* The tools that are executables of their own (base/process.h). */
#pragma once

#include <crawl/base.h>

/* Becomes the executable of this tool; argv[0] is taken to be its name. Returns only if that failed: an exit status,
 * after a message. */
int cw_program_executable_become(const char *tool, char **argv);

/* Runs it to its end, and appends to *out what it prints. inherited: descriptors that it has too, under their numbers;
 * -1 ends them; NULL: none. Returns its exit status; CW_EXIT_LOCAL, after a message, if it could not be run or a signal
 * ended it. */
int cw_program_executable_run(const char *tool, char **argv, const int *inherited, crawl_buf *out);

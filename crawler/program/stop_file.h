/* Input that may never end. It is read until its end, or until a descriptor becomes readable, which means stop. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Returns true if the descriptor is readable. -1: never. */
bool cw_program_stop_told(int stop);

/* Opens path ("-": standard input) for reading. Neither opening nor reading waits for a writer once stop is readable.
 * From then on reads fail with EINTR, even if the file ends at that moment, since an interrupted writer may have cut it
 * short. A line that getline returns with ferror set is incomplete. stop is borrowed; -1: never. Close it with fclose,
 * which leaves standard input open. NULL: errno says why. */
FILE *cw_program_stop_file_open(const char *path, int stop);

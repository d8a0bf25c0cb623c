/* Input that may never end: it is read until its end, or until a descriptor becomes readable, which means stop. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Is this descriptor readable? -1: never. */
bool cw_program_stop_told(int stop);

/* Opens path ("-": standard input) for reading. Neither opening nor reading it waits for a writer when stop is
 * readable: from then on reads fail with EINTR, also where the file ends at that moment, since an interrupted writer
 * may have cut it short. A line that getline returns with ferror set has no end. stop is borrowed; -1: never. To be
 * closed by fclose, which leaves standard input open. NULL: errno says why. */
FILE *cw_program_stop_file_open(const char *path, int stop);

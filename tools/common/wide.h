/* Text in UTF-16, as PowerShell and Notepad write it, is read as UTF-8. */
#pragma once

#include <stdio.h>

/* Takes a file that nothing was read from. Returns it as it is, or, where it begins with a byte order mark of UTF-16, a
 * file of its text, which closes it with itself, but for standard input. Halves of pairs become U+FFFD. Reads the first
 * bytes, so it waits for them. NULL: the file is NULL, or there is no memory, and it is closed. */
FILE *cw_tool_wide(FILE *file);

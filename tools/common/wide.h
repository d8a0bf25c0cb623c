/* Reads UTF-16 text, as PowerShell and Notepad write it, as UTF-8. */
#pragma once

#include <stdio.h>

/* Takes an unread file. Returns it unchanged or, if it begins with a UTF-16 byte order mark, a file of its text in
 * UTF-8, which closes the original with itself, unless that is standard input. Unpaired halves become U+FFFD. Waits for
 * the first bytes. NULL: the file is NULL or, closed, out of memory. */
FILE *cw_tool_wide(FILE *file);

/* Compares paths of files that may not exist yet. */
#pragma once

#include <stdbool.h>

/* Returns true if both paths are the same text, or lead to one regular file, or, if no file is there, to one name in
 * one folder. */
bool cw_same_file(const char *path, const char *other);

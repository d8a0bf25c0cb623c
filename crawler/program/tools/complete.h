/* `crawl help --complete WORD...`: the words that may come next on a command line, for the shells' completion
 * (packaging/completions/). They come from the help texts and the schema, so that no shell has a list of its own. */
#ifndef CW_TOOL_COMPLETE_H
#define CW_TOOL_COMPLETE_H

#include "crawler/program/tools/man.h"

#include <stdbool.h>

/* typed: the words after "crawl"; the last is being typed and may be empty; bash gives the "=" of "--name=value" as a
 * word of its own. Prints a candidate per line, followed by a tab and a few words about it if there are any; or
 * ":files" or ":folders" if the shell is to offer those. Returns the exit status. */
int cw_tool_complete(int count, char **typed, const cw_tool_word *words, size_t word_count);

/* Does a help text name this option, written with its two dashes? */
bool cw_tool_help_names(const char *help, const char *option);

#endif

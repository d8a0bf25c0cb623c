/* `crawl help --complete WORD...`: the words that may come next on a command line, for the shells' completion
 * (packaging/completions/). They come from the help texts and the schema, so that no shell has a list of its own. */
#ifndef CW_COMMAND_COMPLETE_H
#define CW_COMMAND_COMPLETE_H

#include <stdbool.h>

/* typed: the words after "crawl"; the last is being typed and may be empty; bash gives the "=" of "--name=value" as a
 * word of its own. Prints a candidate per line, followed by a tab and a few words about it if there are any; or
 * ":files" or ":folders" if the shell is to offer those. Returns the exit status. */
int cw_command_complete(int count, char **typed);

/* Does a help text name this option, written with its two dashes? */
bool cw_command_help_names(const char *help, const char *option);

#endif

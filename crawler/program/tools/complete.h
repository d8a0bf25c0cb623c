/* `crawl help --complete WORD...`: the words that may come next on a command line, for the shells' completion
 * (packaging/completions/). They come from the help texts and the schema, so that no shell has a list of its own. */
#ifndef CW_TOOL_COMPLETE_H
#define CW_TOOL_COMPLETE_H

#include "crawler/program/tools/man.h"

/* typed: the words behind "crawl", the last of them the one that is being typed, which may be empty; bash gives the "="
 * of "--name=value" as a word of its own. Prints a candidate per line, with a tab and a few words about it where there
 * are any; or ":files" or ":folders", where the shell is to offer those. The exit status. */
int cw_tool_complete(int count, char **typed, const cw_tool_word *words, size_t word_count);

#endif

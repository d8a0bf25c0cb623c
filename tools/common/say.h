/* The messages of a tool about its failures, and the bytes of strangers that it quotes. */
#ifndef CW_TOOL_SAY_H
#define CW_TOOL_SAY_H

#include "base/text/escape.h"

#include <stdio.h>

/* A message of one line, "crawl: MESSAGE", or "crawl TOOL: MESSAGE" if tool is not NULL, escaped as by cw_escape. */
void cw_tool_say(const char *tool, const char *format, ...) CRAWL_PRINTF(2, 3);

/* cw_escape to a file. */
void cw_tool_escape_print(crawl_slice text, FILE *out);

#endif

/* Messages of a tool about its failures, quoted bytes of strangers, and warnings about files with secrets that other
 * users may read. */
#pragma once

#include "base/text/escape.h"

#include <crawl/config.h>
#include <stdio.h>

/* Writes a message of one line, "crawl: MESSAGE", or "crawl TOOL: MESSAGE" if tool is not NULL, escaped as by
 * cw_escape. */
void cw_tool_say(const char *tool, const char *format, ...) CRAWL_PRINTF(2, 3);

/* Does what cw_escape does, to a file. */
void cw_tool_escape_print(crawl_slice text, FILE *out);

/* Warns on standard error about each file that config names, and about the configuration's own (NULL: none), if it
 * holds a secret and others than its owner may read it. */
void cw_tool_secrets_warn(const crawl_config *config, const char *path);

/* Warns about one file in the same way; NULL: none. what: its contents, such as "a private key". */
void cw_tool_secret_warn(const char *path, const char *what);

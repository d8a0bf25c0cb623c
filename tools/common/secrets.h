/* Warnings of files with secrets that other users may read. */
#ifndef CW_TOOL_SECRETS_H
#define CW_TOOL_SECRETS_H

#include <crawl/config.h>

/* Warns on standard error of each file that config names, and of the configuration's own (NULL: none), if it holds a
 * secret and others than its owner may read it. */
void cw_tool_secrets_warn(const crawl_config *config, const char *path);

/* Warns of one file in the same way; NULL: there is none. what: what it holds, as "a private key". */
void cw_tool_secret_warn(const char *path, const char *what);

#endif

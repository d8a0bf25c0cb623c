/* Verifies signed requests from a server's log. */
#pragma once

#include <crawl/identity.h>

/* Prints a line for each request whose signature is wrong or came before, and the totals. path "-": standard input.
 * Returns an exit status; CW_EXIT_NOTHING: a signature is not by one of these keys, or a line cannot be read. */
int cw_bot_requests(const char *path, const crawl_keys *keys);
